import { join } from 'node:path';
import { Ledger } from '@adaptor-marketplace/localnet/ledger/ledger';
import { compileFramework } from '@adaptor-marketplace/move-toolchain';
import {
  Client,
  clients,
  executeIn,
  firstGasOf,
  perSecond,
  prepareWorkload,
  type Signed,
  startServer,
  temporaryFolder,
  type Workload,
} from './localnet/network.ts';
import type { Options, Result } from './measure.ts';
import { median } from './measure.ts';

const full = { calls: 5_000, tenCommands: 1_000 };
const startsFull = 7;
/** As many as the default interval has at 500 transactions per second. */
const transactionsPerCheckpoint = 125;

/**
 * Transactions per second of a local network in its own process, with its state in a file, for clients in this process over
 * native gRPC. Also measures the time from the start of the process to its first response. The limit is the ledger alone,
 * which executes the same transactions in this process. Transactions are built and signed in advance.
 */
export async function run({ scale }: Options): Promise<Result> {
  const count = {
    calls: Math.max(100, Math.round(full.calls * scale)),
    tenCommands: Math.max(50, Math.round(full.tenCommands * scale)),
  };
  const starts: number[] = [];
  for (let start = 0; start < Math.max(1, Math.round(startsFull * scale)); start += 1) {
    starts.push(await startUpMs());
  }
  const direct = await throughLedger(count);
  const served = await throughGrpc(count);
  return {
    name: 'localnet',
    unit: 'registry calls/s',
    value: Math.round(served.calls),
    limit: Math.round(direct.calls),
    limitName: 'the same transactions straight into the ledger',
    ratio: served.calls / direct.calls,
    aim: 0.6,
    details: {
      ...count,
      clients,
      aimPerSecond: 500,
      tenCommandsPerSecond: Math.round(served.tenCommands),
      tenCommandsLimit: Math.round(direct.tenCommands),
      startUpMs: Math.round(median(starts)),
      startUpAimMs: 2_000,
    },
  };
}

interface Rates {
  calls: number;
  tenCommands: number;
}

async function throughLedger(count: Rates): Promise<Rates> {
  await using stack = new AsyncDisposableStack();
  const path = join(await temporaryFolder(stack), 'ledger.sqlite');
  const ledger = Ledger.open({ path, framework: await compileFramework() });
  stack.defer(() => ledger.close());
  const workload = await prepareWorkload(count, firstGasOf(ledger), (each) => executeIn(ledger, each));
  let executed = 0;
  return await rates(workload, async ({ bytes, signature }) => {
    const { failureDescription } = await ledger.execute(bytes, [signature]);
    if (failureDescription !== undefined) throw new Error(failureDescription);
    executed += 1;
    if (executed % transactionsPerCheckpoint === 0) ledger.createCheckpoint();
  });
}

async function throughGrpc(count: Rates): Promise<Rates> {
  await using stack = new AsyncDisposableStack();
  const folder = await temporaryFolder(stack);
  const { url } = await startServer(['--data-dir', folder], stack);
  const client = new Client(url);
  stack.defer(() => client.close());
  const workload = await prepareWorkload(count, await client.firstGas(), (each) => client.create(each));
  return await rates(workload, (each) => client.execute(each));
}

async function rates(workload: Workload, execute: (transaction: Signed) => Promise<void>): Promise<Rates> {
  const warmUp = workload.calls.splice(0, Math.round(workload.calls.length / 10));
  await perSecond(warmUp, execute);
  return {
    calls: await perSecond(workload.calls, execute),
    tenCommands: await perSecond(workload.tenCommands, execute),
  };
}

/** Time from the start of the process to the first response. */
async function startUpMs(): Promise<number> {
  await using stack = new AsyncDisposableStack();
  const started = performance.now();
  const { url } = await startServer([], stack);
  const client = new Client(url);
  stack.defer(() => client.close());
  await client.serviceInfo();
  return performance.now() - started;
}
