import { getEventListeners } from 'node:events';
import { setImmediate as turn } from 'node:timers/promises';
import { GrpcTypes } from '@mysten/sui/grpc';
import { expect, test } from 'vitest';
import type { LedgerNode } from './node.ts';
import { openScanningReader } from './scanning-reader.ts';

/** Reads checkpoints of so many transactions each. `aheadMax`: the most that were requested at the same time. */
async function scan(transactions: number) {
  const ahead = { now: 0, max: 0 };
  const stop = new AbortController();
  const signals: AbortSignal[] = [];
  const checkpoint = GrpcTypes.Checkpoint.create({
    contents: { transactions: Array.from({ length: transactions }, () => ({})) },
    transactions: Array.from({ length: transactions }, () => ({})),
  });
  const ledgerService = {
    async getCheckpoint(_request: unknown, { abort }: { abort: AbortSignal }) {
      signals.push(abort);
      ahead.now += 1;
      ahead.max = Math.max(ahead.max, ahead.now);
      await turn();
      ahead.now -= 1;
      return { response: { checkpoint } };
    },
  };
  const node = { url: 'node', client: { ledgerService } } as unknown as LedgerNode;
  const reader = openScanningReader(node, ['0x1::registry'], { idleMs: 60_000 });
  let covered = -1;
  const sink = {
    push(frame: { covered?: number | undefined }) {
      expect(frame.covered).toBe(covered + 1);
      covered += 1;
    },
    ready: async () => undefined,
  };
  await reader.history({ from: 0, to: 300 }, sink, stop.signal);
  expect(covered).toBe(299);
  return { aheadMax: ahead.max, signals, stop };
}

test('a scan requests many small checkpoints ahead, and fewer once they are large', async () => {
  const results = await Promise.all([10, 100, 5_000].map(scan));
  expect(results.map(({ aheadMax }) => aheadMax)).toEqual([64, 20, 16]);
});

test('a scan keeps no checkpoint that it has read: its signal no longer reaches their calls', async () => {
  const { signals, stop } = await scan(10);
  stop.abort();
  expect(signals).toHaveLength(300);
  expect(signals.filter(({ aborted }) => aborted)).toEqual([]);
  expect(getEventListeners(stop.signal, 'abort')).toEqual([]);
});
