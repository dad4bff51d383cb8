import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Ledger } from '@adaptor-marketplace/localnet/ledger/ledger';
import { compileFramework } from '@adaptor-marketplace/move-toolchain';
import { executeIn, findFirstGas, prepareWorkload } from './localnet/network.ts';
import type { Options, Result } from './measure.ts';

const full = 1_000_000;
/** All others are empty. */
const everyWithTransaction = 500;
const prunedShare = 0.1;
/** Memory is measured so often, at equal distances. */
const samples = 20;
const keptWhenPruning = 1_000;
const megabyte = 1_000_000;

/**
 * Heap of a local network with a million checkpoints on disk, some of them with a transaction: the end of the straight line
 * through twenty measurements. The limit is the beginning of the line. The details have its slope, that of the resident
 * memory, and the size of the file with all checkpoints and with pruning.
 */
export async function run({ scale }: Options): Promise<Result> {
  const count = Math.round(full * scale);
  const kept = await make(count, undefined);
  const pruned = await make(Math.round(count * prunedShare), keptWhenPruning);
  return {
    name: 'checkpoints',
    unit: 'MB of heap',
    value: rounded(kept.heap.last / megabyte),
    limit: rounded(kept.heap.first / megabyte),
    limitName: `after the first ${Math.round(count / samples)} of them`,
    ratio: kept.heap.first / kept.heap.last,
    aim: 0.8,
    details: {
      checkpoints: count,
      transactions: kept.transactions,
      perSecond: Math.round(kept.perSecond),
      heapBytesPerThousandCheckpoints: Math.round(kept.heap.slope * 1_000),
      residentBytesPerThousandCheckpoints: Math.round(kept.resident.slope * 1_000),
      residentMegabytesFirst: rounded(kept.resident.first / megabyte),
      residentMegabytesLast: rounded(kept.resident.last / megabyte),
      fileBytesPerThousandCheckpoints: Math.round((kept.fileBytes / count) * 1_000),
      fileMegabytes: rounded(kept.fileBytes / megabyte),
      checkpointsWhenPruning: Math.round(count * prunedShare),
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
      path,
      framework: await compileFramework(),
      ...(keepCheckpoints !== undefined && { keepCheckpoints }),
    });
    const transactions = Math.floor(count / everyWithTransaction);
    const { calls } = await prepareWorkload(
      { calls: transactions, tenCommands: 0 },
      findFirstGas(ledger),
      (each) => executeIn(ledger, each),
    );
    const step = Math.max(1, Math.floor(count / samples));
    const heaps: Point[] = [];
    const residents: Point[] = [];
    const started = performance.now();
    for (let made = 1; made <= count; made += 1) {
      const transaction = made % everyWithTransaction === 0 ? calls.pop() : undefined;
      if (transaction) await ledger.execute(transaction.bytes, [transaction.signature]);
      ledger.createCheckpoint();
      if (made % step !== 0) continue;
      const { heapUsed, rss } = memory();
      heaps.push([made, heapUsed]);
      residents.push([made, rss]);
    }
    const perSecond = (count * 1_000) / (performance.now() - started);
    const result = { heap: lineThrough(heaps), resident: lineThrough(residents), perSecond, transactions };
    ledger.close();
    return { ...result, fileBytes: (await stat(path)).size };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Memory after garbage collection, in bytes. */
function memory(): NodeJS.MemoryUsage {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
  return process.memoryUsage();
}

type Point = readonly [at: number, value: number];

/** The straight line of least squares: its values at the first and the last point, and its slope. */
function lineThrough(points: readonly Point[]) {
  const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length;
  const [middle, height] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))];
  const across = mean(points.map(([at, value]) => (at - middle) * (value - height)));
  const slope = across / mean(points.map(([at]) => (at - middle) ** 2));
  const valueAt = ([at]: Point) => height + slope * (at - middle);
  return { first: valueAt(points[0]!), last: valueAt(points.at(-1)!), slope };
}

const rounded = (value: number) => Math.round(value * 10) / 10;
