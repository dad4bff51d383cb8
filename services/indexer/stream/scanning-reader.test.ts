import { setImmediate as turn } from 'node:timers/promises';
import { GrpcTypes } from '@mysten/sui/grpc';
import { expect, test } from 'vitest';
import { QueueOverflowError } from './frames.ts';
import type { LedgerNode } from './node.ts';
import { openScanningReader } from './scanning-reader.ts';

/** Reads checkpoints of so many transactions each. Returns the most that were requested at the same time. */
async function scan(transactions: number) {
  const ahead = { now: 0, max: 0 };
  const checkpoint = GrpcTypes.Checkpoint.create({
    contents: { transactions: Array.from({ length: transactions }, () => ({})) },
    transactions: Array.from({ length: transactions }, () => ({})),
  });
  const ledgerService = {
    async getCheckpoint() {
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
  await reader.sendHistory({ from: 0, to: 300 }, sink, new AbortController().signal);
  expect(covered).toBe(299);
  return ahead.max;
}

test('a scan requests many small checkpoints ahead, and fewer once they are large', async () => {
  const results = await Promise.all([10, 100, 5_000].map(scan));
  expect(results).toEqual([64, 20, 16]);
});

test('a subscription ends when too many checkpoints wait for one that the stream left out', async () => {
  const responses = {
    onNext(listener: (message: object) => void) {
      for (let sequence = 2; sequence <= 300; sequence += 1)
        listener({ cursor: BigInt(sequence), checkpoint: GrpcTypes.Checkpoint.create() });
    },
  };
  const client = {
    ledgerService: { getCheckpoint: () => new Promise(() => undefined) },
    subscriptionService: { subscribeCheckpoints: () => ({ headers: Promise.resolve(), responses }) },
  };
  const node = { url: 'node', client, info: async () => ({ tip: 0 }) } as unknown as LedgerNode;
  const reader = openScanningReader(node, [], { idleMs: 60_000 });
  const sink = { push() {}, ready: async () => undefined };
  await expect(reader.subscribe(sink, new AbortController().signal, () => {})).rejects.toThrow(
    QueueOverflowError,
  );
});
