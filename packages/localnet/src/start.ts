import { join } from 'node:path';
import { compileFramework } from '@adaptor-marketplace/move-toolchain';
import { startCheckpoints } from './checkpoint-timer.ts';
import { serveFaucet } from './faucet/server.ts';
import { NetworkClock } from './internal/clock.ts';
import { Closers } from './internal/closers.ts';
import { messageOf, StateError } from './internal/errors.ts';
import type { Port } from './internal/listen-on.ts';
import type { Logger } from './internal/log.ts';
import { makeFolder } from './internal/make-folder.ts';
import { faucetKeypair } from './ledger/genesis.ts';
import { Ledger } from './ledger/ledger.ts';
import { adminRouter } from './misbehaviour/admin.ts';
import { Misbehaviour } from './misbehaviour/misbehaviour.ts';
import { serveNetwork } from './rpc/serve-network.ts';
import type { NameEntry } from './rpc/services/names.ts';

export interface LocalnetOptions {
  /** Where the network's state is kept and continued from, or `:memory:`. */
  dataDir: string;
  /** Address to listen on. Default: this machine only. */
  host?: string;
  /** gRPC port. */
  port: Port;
  /** Default: a free one. */
  faucetPort?: Port;
  /** See `startCheckpoints`. 0: a checkpoint only when `ledger.createCheckpoint` is called. */
  checkpointIntervalMs?: number;
  /** How many checkpoints stay. Default: all. */
  keepCheckpoints?: number;
  log: Logger;
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
  /** Ends open calls with UNAVAILABLE, makes a last checkpoint of what executed, and closes the state. */
  close(): Promise<void>;
}

export const defaultCheckpointIntervalMs = 250;

/** Starts a Sui network in this process, or continues the one in `dataDir`. */
export async function startLocalnet(options: LocalnetOptions): Promise<Localnet> {
  const opened = new Closers();
  try {
    return await open(options, opened);
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function open(options: LocalnetOptions, opened: Closers): Promise<Localnet> {
  const { dataDir, host = '127.0.0.1', port, faucetPort = 0, log } = options;
  const { checkpointIntervalMs = defaultCheckpointIntervalMs } = options;
  if (dataDir !== ':memory:') makeStateFolder(dataDir);
  const path = dataDir === ':memory:' ? dataDir : join(dataDir, 'ledger.sqlite');

  const clock = new NetworkClock();
  const ledger = Ledger.open({
    ...{ path, framework: await compileFramework(), now: clock.now },
    ...(options.keepCheckpoints !== undefined && { keepCheckpoints: options.keepCheckpoints }),
  });
  opened.defer(() => ledger.close());
  if (checkpointIntervalMs > 0) opened.defer(startCheckpoints(ledger, checkpointIntervalMs, log));
  const misbehaviour = new Misbehaviour();
  const routes = adminRouter(misbehaviour, options.adminFromAnywhere ?? false);
  const faucet = await serveFaucet({ ledger, host, port: faucetPort, log, routes });
  opened.defer(() => faucet.close());
  const names = [{ name: 'faucet.sui', address: faucetKeypair().toSuiAddress() }, ...(options.names ?? [])];
  const rpc = await serveNetwork({ ledger, host, port, log, clock, names, misbehaviour });
  opened.defer(() => rpc.close());
  misbehaviour.attach({
    goAway: rpc.goAway,
    prune: (below) => ledger.prune(below),
    startAnew: () => ledger.reset(),
    setClockOffset(offsetMs) {
      clock.offsetMs = offsetMs;
    },
  });

  return {
    rpcUrl: rpc.url,
    faucetUrl: faucet.url,
    ledger,
    misbehaviour,
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
