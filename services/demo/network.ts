import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { type Localnet, startLocalnet } from '@adaptor-marketplace/localnet';
import { startBlobStore } from '@adaptor-marketplace/localnet/blobs/server';
import { FileLockedError, lockFile, makeFolder, type Port } from '@adaptor-marketplace/process';
import { FatalError } from '../../lib/errors/index.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { During } from '../../lib/log/phases.ts';
import { type DemoFile, readDemoFile, writeDemoFile } from './file.ts';
import { dayMs, historyDays } from './history.ts';
import { type DemoMarketplace, makeMarketplace } from './marketplace.ts';
import { startPastNetwork } from './past.ts';
import { findRunning } from './running.ts';

/** Time between two checkpoints while the marketplace of the demo is made. */
const makingIntervalMs = 250;

/**
 * Locks the data folder for this process, and creates it if it is missing.
 * @throws FatalError `data_dir_in_use`, `data_dir_unusable`
 */
export function lockFolder(dataDir: string): { release(): void } {
  makeFolder(dataDir);
  const path = join(dataDir, 'localnet.lock');
  try {
    return lockFile(path);
  } catch (error) {
    if (error instanceof FileLockedError) {
      const reason = `DATA_DIR: another process runs its local network in ${dataDir}. Stop that, or set another DATA_DIR.`;
      throw new FatalError('data_dir_in_use', reason, { cause: error });
    }
    const reason = `DATA_DIR: ${path} cannot be locked: ${getErrorMessage(error)}. Free space on the disk, or set another DATA_DIR.`;
    throw new FatalError('data_dir_unusable', reason, { cause: error });
  }
}

interface DemoNetworkOptions {
  /** Holds `localnet/`, `blobs/` and `demo.json`. */
  dataDir: string;
  host: string;
  /** Host name or address in the urls that other machines use. */
  publicHost: string;
  port: Port;
  /** Default: free ones. */
  faucetPort?: Port;
  blobsPort?: Port;
  /** Default: the network's own. */
  checkpointIntervalMs?: number;
  log: Logger;
  during: During;
}

interface DemoNetwork {
  demo: DemoFile;
  localnet: Localnet;
  close(): Promise<void>;
}

/** Starts the local network and its blob store. The first start in a data folder makes the marketplace before that. */
export async function startDemoNetwork(options: DemoNetworkOptions): Promise<DemoNetwork> {
  const { dataDir, host, publicHost, port, faucetPort = 0, blobsPort = 0, during, ...network } = options;
  const { log } = network;
  await using starting = new AsyncDisposableStack();
  const lock = lockFolder(dataDir);
  starting.defer(() => lock.release());
  const ledgerDir = join(dataDir, 'localnet');
  const known = await readDemoFile(dataDir);
  if (known) requireLedger(dataDir);
  // `demo.json` is written when the marketplace is complete: without it, an earlier start was interrupted.
  else await rm(ledgerDir, { recursive: true, force: true });

  const blobStore = await startBlobStore({ dir: join(dataDir, 'blobs'), host, port: blobsPort });
  starting.defer(() => blobStore.close());
  const made =
    known ?? (await makeDemo({ dataDir: ledgerDir, blobStoreUrl: blobStore.url, host, log, during }));
  const localnet = await during('starting the local network', () =>
    startLocalnet({ dataDir: ledgerDir, host, port, faucetPort, names: listNames(made), ...network }),
  );
  starting.defer(() => localnet.close());

  const urls = listPublicUrls(localnet, blobStore.url, publicHost);
  const demo = { ...made, ...urls, baseUrl: await findRunning(made.baseUrl) };
  await writeDemoFile(dataDir, demo);
  const running = starting.move();
  return { demo, localnet, close: () => running.disposeAsync() };
}

/** Lists the names that the network resolves in place of SuiNS. One publisher has a name. */
const listNames = ({ publishers }: Pick<DemoFile, 'publishers'>) =>
  publishers.filter(({ name }) => name === 'reef').map(({ address }) => ({ name: 'reef.sui', address }));

interface DemoOptions extends Pick<DemoNetworkOptions, 'host' | 'log' | 'during'> {
  /** Folder of the ledger. */
  dataDir: string;
  blobStoreUrl: string;
}

/** Makes the marketplace on a network whose chain begins in the past, and ends that network. */
async function makeDemo({ dataDir, blobStoreUrl, host, log, during }: DemoOptions): Promise<DemoMarketplace> {
  const options = { dataDir, host, checkpointIntervalMs: makingIntervalMs, log };
  const past = await during('beginning the chain', () => startPastNetwork(options, historyDays * dayMs));
  try {
    const { clock, localnet } = past;
    const { rpcUrl, faucetUrl } = localnet;
    return await makeMarketplace({ rpcUrl, faucetUrl, blobStoreUrl }, { log, during, clock });
  } finally {
    await past.close();
  }
}

/** @throws FatalError `data_dir_incomplete` without the ledger: a new chain would not be that of `demo.json` */
function requireLedger(dataDir: string): void {
  if (existsSync(join(dataDir, 'localnet', 'ledger.sqlite'))) return;
  const reason = `DATA_DIR: the local network that ${dataDir}/demo.json describes is missing. Remove ${dataDir} to start over.`;
  throw new FatalError('data_dir_incomplete', reason);
}

function listPublicUrls(localnet: Localnet, blobStoreUrl: string, publicHost: string) {
  const toPublicUrl = (url: string) => `http://${publicHost}:${new URL(url).port}`;
  return {
    rpcUrl: toPublicUrl(localnet.rpcUrl),
    faucetUrl: toPublicUrl(localnet.faucetUrl),
    blobStoreUrl: toPublicUrl(blobStoreUrl),
  };
}
