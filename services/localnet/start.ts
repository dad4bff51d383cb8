import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../lib/log/index.ts';
import { compileFramework } from '../../lib/move/index.ts';
import { startCheckpoints } from './checkpoint-timer.ts';
import { serveFaucet } from './faucet/server.ts';
import { Ledger } from './ledger/ledger.ts';
import { serveNetwork } from './rpc/serve-network.ts';

export interface LocalnetOptions {
  /** Where the network's state is kept and continued from, or `:memory:`. */
  dataDir: string;
  /** Address to listen on. Default: this machine only. */
  host?: string;
  /** gRPC port; 0 takes a free one. */
  port: number;
  /** Default: a free one. */
  faucetPort?: number;
  /** See `startCheckpoints`. 0: a checkpoint only when `ledger.createCheckpoint` is called. */
  checkpointIntervalMs?: number;
  log: Logger;
}

export interface Localnet {
  rpcUrl: string;
  faucetUrl: string;
  ledger: Ledger;
  /** Ends open calls with UNAVAILABLE, makes a last checkpoint of what executed, and closes the state. */
  close(): Promise<void>;
}

export const defaultCheckpointIntervalMs = 250;

/** Starts a Sui network in this process, or continues the one in `dataDir`. */
export async function startLocalnet(options: LocalnetOptions): Promise<Localnet> {
  const { dataDir, host = '127.0.0.1', port, faucetPort = 0, log } = options;
  const { checkpointIntervalMs = defaultCheckpointIntervalMs } = options;
  if (dataDir !== ':memory:') await mkdir(dataDir, { recursive: true });
  const path = dataDir === ':memory:' ? dataDir : join(dataDir, 'ledger.sqlite');

  await using starting = new AsyncDisposableStack();
  const ledger = Ledger.open({ path, framework: await compileFramework() });
  starting.defer(() => ledger.close());
  if (checkpointIntervalMs > 0) starting.defer(startCheckpoints(ledger, checkpointIntervalMs, log));
  const faucet = await serveFaucet({ ledger, host, port: faucetPort, log });
  starting.defer(() => faucet.close());
  const rpc = await serveNetwork({ ledger, host, port, log });
  starting.defer(() => rpc.close());

  const running = starting.move();
  return { rpcUrl: rpc.url, faucetUrl: faucet.url, ledger, close: () => running.disposeAsync() };
}
