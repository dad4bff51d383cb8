import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Ledger } from '@adaptor-marketplace/localnet/ledger/ledger';
import { compileFramework } from '@adaptor-marketplace/move-toolchain';
import { executeIn, firstGasOf, prepareWorkload } from './localnet/network.ts';
import type { Options, Result } from './measure.ts';

const full = 1_000_000;
/** All others are empty. */
const everyWithTransaction = 500;
const share = { first: 0.01, pruned: 0.1 };
const keptWhenPruning = 1_000;
const megabyte = 1_000_000;

/**
 * Heap of a local network with a million checkpoints on disk, some of them with a transaction. The limit is its heap after
 * the first hundredth of them. Also measures the size of the file with all checkpoints, and with pruning.
 */
export async function run({ scale }: Options): Promise<Result> {
  const count = Math.round(full * scale);
  const kept = await make(count, undefined);
  const pruned = await make(Math.round(count * share.pruned), keptWhenPruning);
  return {
    name: 'checkpoints',
    unit: 'MB of heap',
    value: rounded(kept.heapBytes / megabyte),
    limit: rounded(kept.firstHeapBytes / megabyte),
    limitName: 'after the first hundredth of them',
    ratio: kept.firstHeapBytes / kept.heapBytes,
    aim: 0.8,
    details: {
      checkpoints: count,
      transactions: kept.transactions,
      perSecond: Math.round(kept.perSecond),
      fileMegabytes: rounded(kept.fileBytes / megabyte),
      checkpointsWhenPruning: Math.round(count * share.pruned),
      keptWhenPruning,
      prunedFileMegabytes: rounded(pruned.fileBytes / megabyte),
      prunedPerSecond: Math.round(pruned.perSecond),
    },
  };
}

async function make(count: number, keepCheckpoints: number | undefined) {
  const folder = await mkdtemp(join(tmpdir(), 'bench-checkpoints-'));
  const path = join(folder, 'ledger.sqlite');
  try {
    const ledger = Ledger.open({
      ...{ path, framework: await compileFramework() },
      ...(keepCheckpoints !== undefined && { keepCheckpoints }),
    });
    const transactions = Math.floor(count / everyWithTransaction);
    const { calls } = await prepareWorkload(
      { calls: transactions, tenCommands: 0 },
      firstGasOf(ledger),
      (each) => executeIn(ledger, each),
    );
    const first = Math.max(1, Math.round(count * share.first));
    let firstHeapBytes = 0;
    const started = performance.now();
    for (let made = 1; made <= count; made += 1) {
      const transaction = made % everyWithTransaction === 0 ? calls.pop() : undefined;
      if (transaction) await ledger.execute(transaction.bytes, [transaction.signature]);
      ledger.createCheckpoint();
      if (made === first) firstHeapBytes = heapBytes();
    }
    const perSecond = (count * 1_000) / (performance.now() - started);
    const result = { heapBytes: heapBytes(), firstHeapBytes, perSecond, transactions };
    ledger.close();
    return { ...result, fileBytes: (await stat(path)).size };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Used heap after garbage collection. */
function heapBytes(): number {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage().heapUsed;
}

const rounded = (value: number) => Math.round(value * 10) / 10;
