import { join } from 'node:path';
import { compileFramework } from '@adaptor-marketplace/move-toolchain';
import { makeFolder, type Port } from '@adaptor-marketplace/process';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { type Account, createAccount } from './account.ts';
import { startCheckpoints } from './checkpoint-timer.ts';
import { explorerRouter } from './explorer/router.ts';
import { serveFaucet } from './faucet/server.ts';
import { NetworkClock } from './internal/clock.ts';
import { Closers } from './internal/closers.ts';
import { messageOf, StateError } from './internal/errors.ts';
import { type Logger, silentLogger } from './internal/log.ts';
import { faucetKeypair } from './ledger/genesis.ts';
import { Ledger } from './ledger/ledger.ts';
import { adminRouter } from './misbehaviour/admin.ts';
import { Misbehaviour } from './misbehaviour/misbehaviour.ts';
import { FolderPublisher, type PublishedFolder } from './publish-folder.ts';
import { serveNetwork } from './rpc/serve-network.ts';
import type { NameEntry } from './rpc/services/names.ts';

export interface LocalnetOptions {
  /** Where the network's state is kept and continued from. Default: `:memory:`, nowhere. */
  dataDir?: string;
  /** Address to listen on. Default: this machine only. */
  host?: string;
  /** gRPC port. Default: a free one. */
  port?: Port;
  /** Default: a free one. */
  faucetPort?: Port;
  /** See `startCheckpoints`. 0: a checkpoint only when `ledger.createCheckpoint` is called. */
  checkpointIntervalMs?: number;
  /** How many checkpoints stay. Default: all. */
  keepCheckpoints?: number;
  /** Default: nothing is logged. */
  log?: Logger;
  /** Names of the name service beside `faucet.sui`. */
  names?: NameEntry[];
  /** Lets other machines call `/admin`. */
  adminFromAnywhere?: boolean;
}

export interface Localnet {
  rpcUrl: string;
  faucetUrl: string;
  ledger: Ledger;
  /** What is out of order. */
  misbehaviour: Misbehaviour;
  /**
   * Opens another full node of this network with a misbehaviour of its own. It refuses those that change the chain:
   * `newChain`, `prune` and `clock`.
   * @param port default: a free one
   */
  openNode(port?: Port): Promise<LocalNode>;
  /** A new key with coins of the faucet, and a client. */
  account(): Promise<Account>;
  /**
   * Compiles and publishes a folder, after the local packages that it uses and that were not published before. `recipient` gets the UpgradeCap, else a
   * key made for it.
   *
   * @throws Error with the folder and the compiler's diagnostics or the chain's reason.
   */
  publish(folder: string, recipient?: string): Promise<PublishedFolder>;
  /** Keeps the state under a name, in memory, in the place of an earlier one of that name. */
  snapshot(name: string): void;
  /** Goes back to a state that was kept, as often as wanted. Open streams end. @throws Error for an unknown name. */
  restore(name: string): void;
  /** Ends open calls with UNAVAILABLE, makes a last checkpoint of what executed, and closes the state. */
  close(): Promise<void>;
}

/** A full node of a local network. */
export interface LocalNode {
  rpcUrl: string;
  misbehaviour: Misbehaviour;
  /** Ends open calls with UNAVAILABLE. The network goes on. */
  close(): Promise<void>;
}

export const defaultCheckpointIntervalMs = 250;

/** Starts a Sui network in this process, or continues the one in `dataDir`. */
export async function startLocalnet(options: LocalnetOptions = {}): Promise<Localnet> {
  const opened = new Closers();
  try {
    return await open(options, opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function open(options: LocalnetOptions, opened: Closers): Promise<Localnet> {
  const { dataDir = ':memory:', host = '127.0.0.1', port = 0, faucetPort = 0, log = silentLogger } = options;
  const { checkpointIntervalMs = defaultCheckpointIntervalMs } = options;
  if (dataDir !== ':memory:') makeStateFolder(dataDir);
  const path = dataDir === ':memory:' ? dataDir : join(dataDir, 'ledger.sqlite');

  const clock = new NetworkClock();
  const ledger = Ledger.open({
    path,
    framework: await compileFramework(),
    now: clock.now,
    ...(options.keepCheckpoints !== undefined && { keepCheckpoints: options.keepCheckpoints }),
  });
  opened.defer(() => ledger.close());
  if (checkpointIntervalMs > 0) opened.defer(startCheckpoints(ledger, checkpointIntervalMs, log));
  const misbehaviour = new Misbehaviour();
  const admin = adminRouter(ledger, misbehaviour, options.adminFromAnywhere ?? false);
  const routes = [admin, explorerRouter(ledger)];
  const faucet = await serveFaucet({ ledger, host, port: faucetPort, log, routes });
  opened.defer(() => faucet.close());
  const names = [{ name: 'faucet.sui', address: faucetKeypair().toSuiAddress() }, ...(options.names ?? [])];
  const rpc = await serveNetwork({ ledger, host, port, log, clock, names, misbehaviour });
  opened.defer(() => rpc.close());
  misbehaviour.attach({
    goAway: rpc.goAway,
    chain: {
      prune: (below) => ledger.prune(below),
      startAnew: () => ledger.reset(),
      setClockOffset(offsetMs) {
        clock.offsetMs = offsetMs;
      },
    },
  });

  const urls = { rpcUrl: rpc.url, faucetUrl: faucet.url };
  const publisher = new FolderPublisher(urls);
  ledger.onReset(() => publisher.forgetMissing((id) => ledger.getObject(id) !== undefined));
  return {
    ...urls,
    ledger,
    misbehaviour,
    async openNode(port = 0) {
      const own = new Misbehaviour();
      const node = await serveNetwork({ ledger, host, port, log, clock, names, misbehaviour: own });
      opened.defer(() => node.close());
      own.attach({ goAway: node.goAway });
      return { rpcUrl: node.url, misbehaviour: own, close: () => node.close() };
    },
    account: () => createAccount(new SuiGrpcClient({ network: 'localnet', baseUrl: rpc.url }), faucet.url),
    publish: async (folder, recipient) => (await publisher.publish(folder, recipient)).at(-1)!,
    snapshot: (name) => ledger.snapshot(name),
    restore: (name) => ledger.restore(name),
    close: () => opened.close(),
  };
}

function makeStateFolder(path: string): void {
  try {
    makeFolder(path);
  } catch (error) {
    const message = `Cannot use ${path} as the data directory: ${messageOf(error)}.`;
    throw new StateError('localnet_state_invalid', message, { cause: error });
  }
}
