import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { ask, type CatchUp, catchUp, type HistoryNode } from './history/catch-up.ts';
import { findLargestError, fitWork, type WorkPoint } from './history/model.ts';
import type { NodeAddress, NodeCounts, NodeOptions } from './history/node-process.ts';
import { type Measured, writeCatchUpPart } from './history/report.ts';
import { median, type Options, percentile, type Result, startChild } from './measure.ts';
import { replaceWrittenPart } from './written-part.ts';

const checkpointsFull = 1_000_000;
/** The length of a public chain, and the transactions that one list of a node looks through: 1,024 times 65,536. */
const longChain = 300_000_000;
const scanTransactions = 1_024 * 65_536;
const transactionsPerCheckpoint = 10;
/** Lists that the scan limit makes necessary in the long chain. A million checkpoints need as many with a lower limit. */
const longScanPages = (longChain * transactionsPerCheckpoint) / scanTransactions;
/** Checkpoints of a chain that is scanned: two sizes give the time of one without that of the start. */
const scannedFull = [1_000, 5_000];
const delays = [0, 50, 150];

/** Matches of a million checkpoints, and lists that the scan limit makes necessary. */
const shapes = [
  { matches: 10_000, scanPages: longScanPages },
  { matches: 100_000, scanPages: longScanPages },
  { matches: 10_000, scanPages: 10 * longScanPages },
];
const longMatches = 100_000;

/**
 * A full history of a registry with sparse events, through the real indexer into PostgreSQL, from nodes with list indexes and
 * without, at three distances, and with a kill in the middle. A model is fitted to the processor times of a million
 * checkpoints, and tried on a chain of 300 million. A full run writes both into docs/performance.md.
 */
export async function run({ scale }: Options): Promise<Result> {
  await using stack = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'bench-history-'));
  stack.defer(() => rm(dir, { recursive: true }));
  const server = await startEmbeddedServer({ dir });
  stack.defer(() => server.stop());
  const checkpoints = Math.round(checkpointsFull * scale);
  const create = (size: number, matches: number, scanPages: number): NodeOptions => ({
    checkpoints: size,
    matches: Math.round(matches * scale),
    transactionsPerCheckpoint,
    isIndexed: true,
    scanTransactions: Math.ceil((size * transactionsPerCheckpoint) / scanPages),
    delays,
  });
  const cases = [
    ...shapes.map(({ matches, scanPages }) => create(checkpoints, matches, scanPages)),
    create(Math.round(longChain * scale), longMatches, longScanPages),
    ...scannedFull.map((size) => {
      const scaled = Math.round(size * scale);
      return { ...create(scaled, 0, 1), matches: Math.round(scaled / 100), isIndexed: false };
    }),
  ];
  const measured: Measured[] = [];
  for (const options of cases) measured.push(...(await measureCase(server.url, options)));
  const killed = [await measureKill(server.url, cases[1]!), await measureKill(server.url, cases.at(-1)!)];

  const listed = measured.filter(({ options }) => options.isIndexed);
  const isLong = ({ options }: Measured) => options.checkpoints > checkpoints;
  const points = listed.filter((each) => !isLong(each)).map(toPoint);
  const work = fitWork(points);
  const long = listed.filter(isLong).map(toPoint);
  if (scale === 1) {
    const longShape = { checkpoints: longChain, transactionsPerCheckpoint };
    const estimates = {
      listed: describeEstimates(listed),
      scanned: describeEstimates(measured.filter(({ options }) => !options.isIndexed)),
      killed: describeEstimates(killed),
    };
    const report = { measured, killed, estimates, work, points, long, longShape, scanTransactions, delays };
    const part = await writeCatchUpPart(report, new Date());
    const page = join(import.meta.dirname, '../docs/performance.md');
    await writeFile(page, replaceWrittenPart(await readFile(page, 'utf8'), 'catch-up', part));
  }
  const find = (options: NodeOptions, delayMs: number) =>
    measured.find((each) => each.options === options && each.delayMs === delayMs)!.result;
  const perSecond = (delayMs: number) => Math.round(checkpoints / find(cases[1]!, delayMs).seconds);
  const estimates = [...measured, ...killed].flatMap(({ result }) => result.estimates);
  return {
    name: 'history',
    unit: 'checkpoints/s',
    value: perSecond(50),
    limit: perSecond(0),
    limitName: 'the same at 0 ms',
    ratio: perSecond(50) / perSecond(0),
    aim: 0.9,
    details: {
      checkpoints,
      events: cases[1]!.matches,
      ratioAt150: round(perSecond(150) / perSecond(0)),
      processorTimeErrorPercentMax: Math.round(100 * findLargestError(work, points)),
      processorTimeErrorPercentMaxLongChain: Math.round(100 * findLargestError(work, long)),
      estimatesCompared: estimates.length,
      ...(estimates.length > 0 && { estimateByTimeLeftMedian: round(median(estimates)) }),
      ...Object.fromEntries(
        [...measured, ...killed].map(({ options, delayMs, result }) => [
          [
            options.isIndexed ? 'listed' : 'scanned',
            result.resumedAt === undefined ? '' : ` and killed at ${result.resumedAt}`,
            `, ${options.checkpoints} checkpoints, ${options.matches} events, ${delayMs} ms`,
          ].join(''),
          describe(result),
        ]),
      ),
    },
  };
}

function describeEstimates(measured: readonly Measured[]): number[] {
  const estimates = measured.flatMap(({ result }) => result.estimates);
  return estimates.length === 0 ? [] : [0.1, 0.5, 0.9].map((share) => percentile(estimates, share));
}

/** Starts a node in a process of its own, which the stack ends. */
async function startHistoryNode(options: NodeOptions, stack: AsyncDisposableStack): Promise<HistoryNode> {
  const { process: child, said } = await startChild(
    'history/node-process.ts',
    [JSON.stringify(options)],
    stack,
  );
  return { ...(said as NodeAddress), options, readCounts: () => ask<NodeCounts>(child) };
}

async function measureCase(serverUrl: string, options: NodeOptions): Promise<Measured[]> {
  await using stack = new AsyncDisposableStack();
  const node = await startHistoryNode(options, stack);
  const { checkpointBytes } = node;
  const measured: Measured[] = [];
  for (const delayMs of delays) {
    measured.push({ options, delayMs, checkpointBytes, result: await measure(serverUrl, node, delayMs) });
  }
  return measured;
}

async function measureKill(serverUrl: string, options: NodeOptions): Promise<Measured> {
  await using stack = new AsyncDisposableStack();
  const node = await startHistoryNode(options, stack);
  const { checkpointBytes } = node;
  return { options, delayMs: 50, checkpointBytes, result: await measure(serverUrl, node, 50, true) };
}

async function measure(
  serverUrl: string,
  node: HistoryNode,
  delayMs: number,
  isKilled = false,
): Promise<CatchUp> {
  const { checkpoints, matches, isIndexed } = node.options;
  const result = await catchUp({ serverUrl, node, delayMs, isKilled });
  console.log(
    `${isIndexed ? 'listed' : 'scanned'} ${checkpoints} checkpoints with ${matches} events at ${delayMs} ms: ${describe(result)}`,
  );
  return result;
}

const toPoint = ({ options, result }: Measured): WorkPoint => ({
  lists: result.lists,
  events: options.matches,
  indexerSeconds: result.indexerCpuSeconds,
  databaseSeconds: result.databaseCpuSeconds,
});

const describe = ({ seconds, lists, checkpoints, ...result }: CatchUp) =>
  `${round(seconds)} s, ${lists || checkpoints} requests, processor time ${round(result.indexerCpuSeconds)} s of the indexer, ` +
  `${round(result.databaseCpuSeconds)} s of PostgreSQL, ${round(result.nodeCpuSeconds)} s of the node, ` +
  `${result.residentMegabytes} MB resident`;

const round = (value: number) => Math.round(value * 100) / 100;
