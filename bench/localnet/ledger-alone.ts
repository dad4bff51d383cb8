import { join } from 'node:path';
import { Ledger } from '@adaptor-marketplace/localnet/ledger/ledger';
import { compileFramework } from '@adaptor-marketplace/move-toolchain';
import {
  executeIn,
  findFirstGas,
  prepareWorkload,
  type Rates,
  rates,
  temporaryFolder,
  toWorkCount,
} from './network.ts';

/** Transactions of a checkpoint: as many as the default interval has at 500 transactions per second. */
const transactionsPerCheckpoint = 125;

/** Measures the same transactions as through gRPC, sent straight to a ledger. */
async function measure(calls: number, tenCommands: number, warmUp: number): Promise<Rates> {
  const count = { calls, tenCommands, warmUp };
  await using stack = new AsyncDisposableStack();
  const path = join(await temporaryFolder(stack), 'ledger.sqlite');
  const ledger = Ledger.open({ path, framework: await compileFramework() });
  stack.defer(() => ledger.close());
  const workload = await prepareWorkload(toWorkCount(count), findFirstGas(ledger), (each) =>
    executeIn(ledger, each),
  );
  let executed = 0;
  const cpuMicros = () => Promise.resolve(process.cpuUsage()).then(({ user, system }) => user + system);
  return await rates(workload, count.warmUp, cpuMicros, async ({ bytes, signature }) => {
    const { failureDescription } = await ledger.execute(bytes, [signature]);
    if (failureDescription !== undefined) throw new Error(failureDescription);
    executed += 1;
    if (executed % transactionsPerCheckpoint === 0) ledger.createCheckpoint();
  });
}

const [calls = 0, tenCommands = 0, warmUp = 0] = process.argv.slice(2).map(Number);
process.once('disconnect', () => process.exit(0));
process.send?.(await measure(calls, tenCommands, warmUp));
