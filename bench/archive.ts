import { createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { createOutbound } from '../lib/outbound/index.ts';
import { openBucket } from '../services/indexer/checkpoints/bucket.ts';
import { openBucketHistory } from '../services/indexer/checkpoints/history.ts';
import { toHistory } from '../services/indexer/stream/endpoint.ts';
import { openFilteredReader } from '../services/indexer/stream/filtered-reader.ts';
import { FrameQueue } from '../services/indexer/stream/frames.ts';
import { openNode } from '../services/indexer/stream/node.ts';
import type { LedgerHistory } from '../services/indexer/stream/reader.ts';
import { openScanningReader } from '../services/indexer/stream/scanning-reader.ts';
import type { Distance, ServedHistory } from './archive/history-process.ts';
import { median, type Options, type Result, startChild } from './measure.ts';

const fullSize = 2_000;
const delayDefault = 50;
const rounds = 5;
const idleMs = 60_000;

/**
 * Checkpoints per second of a history from a bucket of files, at a distance; every digest is checked. The limit is the same
 * without the distance. The details have the same history from the node, by filter and by whole checkpoints. Node and
 * bucket have a process of their own, and the six ways take turns.
 */
export async function run({ scale, delay }: Options): Promise<Result> {
  const delayMs = delay || delayDefault;
  await using stack = new AsyncDisposableStack();
  console.log('making the history ...');
  const child = await startChild(
    'archive/history-process.ts',
    [Math.round(fullSize * scale), delayMs],
    stack,
  );
  const served = child.said as ServedHistory;
  const checkpoints = served.last + 1;
  const { near, far, packageId } = served;
  const ways = [...openWays(near, packageId, 'near', stack), ...openWays(far, packageId, 'far', stack)];
  const rates = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round++) {
    for (const [name, history] of ways) {
      const seconds = await read(history, checkpoints);
      // The first round warms up.
      if (round > 0) rates.set(name, [...(rates.get(name) ?? []), checkpoints / seconds]);
    }
  }
  const rate = (name: string) => Math.round(median(rates.get(name)!));
  return {
    name: 'archive',
    unit: 'checkpoints/s',
    value: rate('bucket far'),
    limit: rate('bucket near'),
    limitName: 'the same at 0 ms',
    ratio: rate('bucket far') / rate('bucket near'),
    aim: 0.8,
    details: {
      checkpoints,
      fileBytes: served.fileBytes,
      delayMs,
      ...Object.fromEntries(ways.map(([name]) => [name, rate(name)])),
    },
  };
}

/** The three ways to read a history from one distance. */
function openWays(
  { rpcUrl, bucketUrl }: Distance,
  packageId: string,
  distance: string,
  stack: AsyncDisposableStack,
): [name: string, history: LedgerHistory][] {
  const eventTypes = [`${packageId}::registry`];
  const outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'], connectionsPerHost: 'unbounded' });
  stack.defer(() => outbound.close());
  const node = openNode(rpcUrl, createChainClient({ url: rpcUrl }));
  stack.defer(() => node.close());
  const url = bucketUrl.replace(/\/$/, '');
  return [
    [`bucket ${distance}`, openBucketHistory(openBucket({ url, outbound }), eventTypes)],
    [
      `node by filter ${distance}`,
      toHistory({ node, reader: openFilteredReader(node, eventTypes, { idleMs }) }),
    ],
    [
      `node by checkpoints ${distance}`,
      toHistory({ node, reader: openScanningReader(node, eventTypes, { idleMs }) }),
    ],
  ];
}

/** Reads a history to its end, and returns the seconds. */
async function read(history: LedgerHistory, to: number): Promise<number> {
  const started = performance.now();
  const queue = new FrameQueue(2_000, Number.POSITIVE_INFINITY);
  history.sendHistory({ from: 0, to }, queue, new AbortController().signal).then(
    () => queue.end(),
    (error) => queue.end(error),
  );
  while (await queue.take());
  return (performance.now() - started) / 1_000;
}
