import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import type { Frame, FrameSink } from './frames.ts';
import type { LedgerRange, LedgerReader } from './reader.ts';
import { readStretches } from './stretches.ts';

const { signal } = new AbortController();

/** A reader with a match in every `every`th checkpoint, which counts its calls and those at the same time. */
function openReader(every: number, fails: (range: LedgerRange) => boolean = () => false) {
  const seen = { ranges: [] as LedgerRange[], atOnce: 0, atOnceMax: 0, waiting: 0, waitingMax: 0 };
  const reader: Pick<LedgerReader, 'sendHistory'> = {
    async sendHistory(range, sink) {
      seen.ranges.push(range);
      seen.atOnceMax = Math.max(seen.atOnceMax, ++seen.atOnce);
      const first = Math.ceil(range.from / every) * every;
      for (let at = first; at < range.to; at += every) {
        if ((at - first) % (500 * every) === 0) await sink.ready();
        sink.push({ transaction: { checkpoint: BigInt(at), signatures: [], balanceChanges: [] } });
        seen.waitingMax = Math.max(seen.waitingMax, ++seen.waiting);
      }
      seen.atOnce -= 1;
      if (fails(range)) throw new Error('the node is restarting');
    },
  };
  return { reader: reader as LedgerReader, seen };
}

function openSink(onFrame: (frame: Frame) => void = () => undefined) {
  const checkpoints: number[] = [];
  let covered = -1;
  const sink: FrameSink = {
    push(frame) {
      onFrame(frame);
      if (frame.transaction) checkpoints.push(Number(frame.transaction.checkpoint));
      covered = frame.covered ?? covered;
    },
    ready: async () => undefined,
  };
  return { sink, checkpoints, covered: () => covered };
}

test('stretches that are read side by side arrive in order, each checkpoint once', async () => {
  const { reader, seen } = openReader(7);
  const { sink, checkpoints, covered } = openSink();
  await readStretches(reader, { after: Uint8Array.of(1), from: 14, to: 40_000 }, sink, signal);
  expect(checkpoints).toEqual(Array.from({ length: Math.ceil((40_000 - 14) / 7) }, (_, i) => 14 + 7 * i));
  expect(covered()).toBe(39_999);
  expect(seen.atOnceMax).toBe(24);
  expect(seen.ranges.filter(({ after }) => after)).toEqual([seen.ranges[0]]);
});

test('a sparse history of 300 million checkpoints takes few lists', async () => {
  const { reader, seen } = openReader(1_000_000);
  const { sink, checkpoints } = openSink();
  await readStretches(reader, { from: 0, to: 300_000_000 }, sink, signal);
  expect(checkpoints).toHaveLength(300);
  expect(seen.ranges.length).toBeLessThan(150);
  // The last ones are read beside each other for as long as possible.
  expect(Math.max(...seen.ranges.map(({ from, to }) => to - from))).toBeLessThan(10_000_000);
});

test('a dense history is read by stretches of one page', async () => {
  const { reader, seen } = openReader(10);
  const { sink } = openSink();
  await readStretches(reader, { from: 0, to: 1_000_000 }, sink, signal);
  const pages = seen.ranges.map(({ from, to }) => Math.ceil((to - from) / 10 / 500));
  expect(Math.max(...pages)).toBe(1);
  expect(pages.length).toBeLessThan(300);
});

test('what waits for a slow consumer is bounded', async () => {
  const { reader, seen } = openReader(1);
  const { sink } = openSink(({ transaction }) => {
    if (transaction) seen.waiting -= 1;
  });
  await readStretches(reader, { from: 0, to: 100_000 }, sink, signal);
  expect(seen.waitingMax).toBeLessThanOrEqual(13_000);
});

test('a failure ends the read after the frames before it, and nothing behind it is sent', async () => {
  const { reader } = openReader(10, ({ from }) => from === 1_000);
  const { sink, checkpoints, covered } = openSink();
  await expect(readStretches(reader, { from: 0, to: 9_000 }, sink, signal)).rejects.toThrow('restarting');
  expect(checkpoints.at(-1)).toBe(1_990);
  expect(covered()).toBe(999);
});

/**
 * Reads a range from a node at a distance. The answers share one connection, which brings ten matches in a millisecond.
 * Time moves when all that runs waits for it, so it is the same on every machine.
 * @returns milliseconds in which nothing arrived
 */
async function countIdleMs(range: LedgerRange, every: number, roundTripMs: number): Promise<number> {
  interface List {
    arrivesAt: number;
    left: number;
    send(): void;
    end(): void;
  }
  const lists = new Set<List>();
  let now = 0;
  const reader: Pick<LedgerReader, 'sendHistory'> = {
    async sendHistory({ from, to }, sink) {
      let at = Math.ceil(from / every) * every;
      for (let isMore = true; isMore; ) {
        await sink.ready();
        const left = Math.min(500, Math.ceil((to - at) / every));
        isMore = left === 500;
        const { promise, resolve } = Promise.withResolvers<void>();
        const send = () => {
          sink.push({ transaction: { checkpoint: BigInt(at), signatures: [], balanceChanges: [] } });
          at += every;
        };
        lists.add({ arrivesAt: now + roundTripMs, left, send, end: resolve });
        await promise;
      }
    },
  };
  let isRead = false;
  const { sink } = openSink();
  const reading = readStretches(reader as LedgerReader, range, sink, signal).finally(() => {
    isRead = true;
  });
  let idleMs = 0;
  for (;;) {
    for (let turns = 0; turns < 4; turns += 1) await turn();
    if (isRead) break;
    now += 1;
    const arriving = [...lists].filter(({ arrivesAt }) => arrivesAt <= now);
    if (arriving.length === 0) idleMs += 1;
    for (let sent = 0; sent < 10 && arriving.length > 0; sent += 1) {
      const list = arriving.shift()!;
      if (list.left > 0) {
        list.left -= 1;
        list.send();
      }
      if (list.left > 0) arriving.push(list);
      else {
        lists.delete(list);
        list.end();
      }
    }
  }
  await reading;
  return idleMs;
}

test('the distance to the node costs a few round trips, however many lists there are', async () => {
  const range = { from: 0, to: 300_000 };
  expect(await countIdleMs(range, 10, 150)).toBeLessThan(4 * 150);
  expect(await countIdleMs(range, 10, 50)).toBeLessThan(4 * 50);
});
