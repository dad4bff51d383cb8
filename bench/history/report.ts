import { cpus, loadavg, totalmem } from 'node:os';
import { formatDuration } from '../../services/indexer/reporting/progress.ts';
import type { CatchUp } from './catch-up.ts';
import { findLargestError, predictRange, type TimeRange, type Work, type WorkPoint } from './model.ts';
import type { NodeOptions } from './node-process.ts';
import { countRoundTrips } from './round-trips.ts';
import type { ChainShape } from './sparse-chain.ts';

export interface Measured {
  options: NodeOptions;
  delayMs: number;
  checkpointBytes: number;
  result: CatchUp;
}

interface Report {
  measured: readonly Measured[];
  killed: readonly Measured[];
  /** Estimates by the time that was left, below which a tenth, half and nine tenths of them lie; none if there are none. */
  estimates: { listed: readonly number[]; scanned: readonly number[]; killed: readonly number[] };
  work: Work;
  /** Runs that the work was fitted to, and those of the long chain that it was tried on. */
  points: readonly WorkPoint[];
  long: readonly WorkPoint[];
  longShape: Omit<ChainShape, 'matches'>;
  scanTransactions: number;
  delays: readonly number[];
}

const eventsCarried = [10_000, 100_000, 1_000_000];
/** Round trips before the first list and after the last: those of a run at 150 ms with few events, without its lists. */
const startRoundTrips = 15;
/** The longest time that a full node takes for a list, in milliseconds. */
const listMsMax = 5_000;
/** Whole checkpoints that are requested ahead. */
const scannedAhead = 64;

/** The measured times, the model that follows from them, and the times that it gives for a long chain. */
export async function writeCatchUpPart(report: Report, measuredAt: Date): Promise<string> {
  const { measured, killed, estimates, work, points, long, longShape, scanTransactions, delays } = report;
  const listed = measured.filter(({ options }) => options.isIndexed);
  const scanned = measured.filter(({ options }) => !options.isIndexed);
  const expected: TimeRange[] = [];
  for (const { options, delayMs } of listed) {
    expected.push(await predictTime(work, options, options.scanTransactions, delayMs));
  }
  const carried: string[][] = [];
  for (const events of eventsCarried) {
    const { roundTrips, lists } = await countRoundTrips({ ...longShape, matches: events }, scanTransactions);
    const predict = (delayMs: number) =>
      formatRange(predictRange(work, { roundTrips: roundTrips + startRoundTrips, lists, events, delayMs }));
    const slow = `${formatDuration((roundTrips * listMsMax) / 1000)} more`;
    carried.push([format(events), format(lists), format(roundTrips), ...delays.map(predict), slow]);
  }
  const perCheckpoint = (delayMs: number) => Math.max(delayMs / 1000 / scannedAhead, scanWork(scanned));
  const [processor] = cpus();
  const loads = loadavg().map((load) => load.toFixed(0));
  return `Measured on ${measuredAt.toISOString().slice(0, 10)} on ${cpus().length} cores (${processor?.model}), ${Math.round(totalmem() / 2 ** 30)} GiB of memory, Node ${process.versions.node}. The load averages over 1, 5 and 15 minutes were ${loads.join(', ')} at the end.
Above 3 or so, other processes used the machine, and times are longer by a factor that differs from run to run. Processor times,
requests and memory are hardly affected.

With list indexes:

${table(
  [
    'checkpoints',
    'events',
    'lists',
    'round trip',
    'time',
    'model',
    'processor time: indexer',
    'PostgreSQL',
    'resident',
  ],
  listed.map(({ options, delayMs, result }, at) => [
    format(options.checkpoints),
    format(options.matches),
    format(result.lists),
    `${delayMs} ms`,
    seconds(result.seconds),
    formatRange(expected[at]!),
    seconds(result.indexerCpuSeconds),
    seconds(result.databaseCpuSeconds),
    `${result.residentMegabytes} MB`,
  ]),
)}

Without list indexes, by whole checkpoints of ${format(scanned[0]!.checkpointBytes)} bytes:

${table(
  [
    'checkpoints',
    'events',
    'round trip',
    'time',
    'checkpoints/s',
    'processor time: indexer',
    'node',
    'resident',
  ],
  scanned.map(({ options, delayMs, result }) => [
    format(options.checkpoints),
    format(options.matches),
    `${delayMs} ms`,
    seconds(result.seconds),
    format(Math.round(options.checkpoints / result.seconds)),
    seconds(result.indexerCpuSeconds),
    seconds(result.nodeCpuSeconds),
    `${result.residentMegabytes} MB`,
  ]),
)}

Killed with SIGKILL in the middle, at 50 ms. Every event of the chain was stored once:

${table(
  ['node', 'checkpoints', 'resumed after checkpoint', 'time of both', 'read again'],
  killed.map(({ options, result }) => [
    options.isIndexed ? 'with list indexes' : 'without',
    format(options.checkpoints),
    format(result.resumedAt!),
    seconds(result.seconds),
    options.isIndexed
      ? `${format(result.items - options.matches)} events`
      : `${format(result.checkpoints - options.checkpoints)} checkpoints`,
  ]),
)}

The model of a catch-up with list indexes has two parts. The **work** is the processor time of the indexer and of PostgreSQL, fitted by least
squares to the ${points.length} runs of ${format(listed[0]!.options.checkpoints)} checkpoints: ${milliseconds(work.start)} to start, ${milliseconds(work.list)} for a list and ${milliseconds(work.event)} for an event. It meets these
runs within ${percent(findLargestError(work, points))}, and those of ${format(longShape.checkpoints)} checkpoints, which it was not fitted to, within ${percent(findLargestError(work, long))}. The **round trips** are counted: the
indexer's reader reads the same chain, every list is answered at the same time, and matches take no time, so that the count is the same on
every machine. The calls before the first list and after the last add ${startRoundTrips}. A catch-up takes at least the longer of work and round trips, and at
most both after each other.

Carried to ${format(longShape.checkpoints)} checkpoints of ${longShape.transactionsPerCheckpoint} transactions:

${table(
  [
    'events',
    'lists',
    'round trips of lists',
    ...delays.map((delayMs) => `time at ${delayMs} ms`),
    'if the node takes 5 s for each list',
  ],
  carried,
)}

Without list indexes, a checkpoint takes at least the indexer's processor time of ${milliseconds(scanWork(scanned))}, and at least a 64th of the
round trip, as so many are requested ahead:

${table(
  ['', ...delays.map((delayMs) => `${delayMs} ms`)],
  [
    ['a checkpoint', ...delays.map((delayMs) => milliseconds(perCheckpoint(delayMs)))],
    [
      `${format(longShape.checkpoints)} checkpoints`,
      ...delays.map((delayMs) => formatDuration(longShape.checkpoints * perCheckpoint(delayMs))),
    ],
  ],
)}

\`secondsLeft\` of the source was read 20 times a second in all runs, and compared with the time that was left, from a quarter of the
time on and until five seconds before the end:

${table(
  ['node', 'pace', 'a tenth is below', 'median of estimate by time left', 'nine tenths are below'],
  [
    ['with list indexes', 'slower to the end, as events become denser', ...estimates.listed.map(ratio)],
    ['without', 'constant', ...estimates.scanned.map(ratio)],
    ['killed in the middle', 'both', ...estimates.killed.map(ratio)],
  ],
)}

`;
}

/** Processor time of the indexer for a whole checkpoint, in seconds: what the longer chain takes more than the shorter. */
function scanWork(scanned: readonly Measured[]): number {
  const lengths = scanned.map(({ options }) => options.checkpoints);
  const findMean = (length: number) => {
    const times = scanned.flatMap(({ options, result }) =>
      options.checkpoints === length ? [result.indexerCpuSeconds] : [],
    );
    return times.reduce((sum, time) => sum + time, 0) / times.length;
  };
  const [short, long] = [Math.min(...lengths), Math.max(...lengths)];
  return (findMean(long) - findMean(short)) / (long - short);
}

async function predictTime(
  work: Work,
  shape: ChainShape,
  scanTransactions: number,
  delayMs: number,
): Promise<TimeRange> {
  const { roundTrips, lists } = await countRoundTrips(shape, scanTransactions);
  const conditions = { roundTrips: roundTrips + startRoundTrips, lists, events: shape.matches, delayMs };
  return predictRange(work, conditions);
}

function formatRange([least, most]: TimeRange): string {
  return most - least < 0.1 ? seconds(least) : `${least.toFixed(1)} to ${seconds(most)}`;
}

const table = (head: string[], rows: string[][]) =>
  [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const format = (value: number) => value.toLocaleString('en');
const seconds = (value: number) => `${value.toFixed(1)} s`;
const milliseconds = (value: number) => `${Number((1000 * value).toPrecision(3))} ms`;
const ratio = (value: number) => value.toFixed(2);
const percent = (share: number) => `${Math.round(100 * share)} %`;
