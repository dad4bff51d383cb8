import { expect, test } from 'vitest';
import { transactionMessage } from '../../test/support/frames/messages.ts';
import { fitWork, predictRange } from './model.ts';
import { listMatches } from './node-lists.ts';
import { countRoundTrips } from './round-trips.ts';
import { SparseChain } from './sparse-chain.ts';

test('the work of which processor times are made is found', () => {
  const points = [
    [80, 10_000],
    [280, 100_000],
    [460, 10_000],
    [110, 50_000],
  ].map(([lists = 0, events = 0]) => ({
    lists,
    events,
    indexerSeconds: 1.5 + 0.001 * lists + 0.000_03 * events,
    databaseSeconds: 0.1 + 0.000_03 * events,
  }));
  const work = fitWork(points);
  expect(work.start).toBeCloseTo(1.6, 6);
  expect(work.list).toBeCloseTo(0.001, 6);
  expect(work.event).toBeCloseTo(0.000_06, 9);
  const [least, most] = predictRange(work, { roundTrips: 20, lists: 0, events: 0, delayMs: 150 });
  expect([least, most]).toEqual([expect.closeTo(3, 6), expect.closeTo(4.6, 6)]);
});

test('round trips are those that follow each other: 24 stretches wait at the same time', async () => {
  const sparse = { checkpoints: 24_000, matches: 0, transactionsPerCheckpoint: 10 };
  expect(await countRoundTrips(sparse, 240_000)).toEqual({ roundTrips: 1, lists: 24 });
  // Each stretch of a thousand checkpoints reaches the scan limit four times, and then its end.
  expect(await countRoundTrips(sparse, 2_000)).toEqual({ roundTrips: 5, lists: 120 });
});

test.each([
  { checkpoints: 1_000_000, matches: 10_000, most: { roundTrips: 5, lists: 90 } },
  { checkpoints: 1_000_000, matches: 100_000, most: { roundTrips: 18, lists: 280 } },
  { checkpoints: 300_000_000, matches: 100_000, most: { roundTrips: 18, lists: 340 } },
])(
  '$matches matches of $checkpoints checkpoints take few round trips that follow each other',
  async ({ most, ...sparse }) => {
    // A full node's scan limit: transactions that one list looks through, in a chain of 300 million checkpoints.
    const scanTransactions = Math.ceil((1_024 * 65_536 * sparse.checkpoints) / 300_000_000);
    const counted = await countRoundTrips({ ...sparse, transactionsPerCheckpoint: 10 }, scanTransactions);
    expect(counted.roundTrips).toBeLessThanOrEqual(most.roundTrips);
    expect(counted.lists).toBeLessThanOrEqual(most.lists);
  },
);

const shape = { checkpoints: 3_000, matches: 700, transactionsPerCheckpoint: 7 };
const chain = new SparseChain(shape, 0);
const createMessage = (match: number) => transactionMessage(chain.createTransaction(match));

test('the first match at or after any transaction of a generated chain is found', () => {
  const sequences = Array.from({ length: shape.matches }, (_, match) => chain.findSequence(match));
  expect(new Set(sequences.map((sequence) => Math.floor(sequence / 7))).size).toBe(shape.matches);
  for (let sequence = 0; sequence <= 21_000; sequence += 1) {
    const expected = sequences.findIndex((at) => at >= sequence);
    expect(chain.findMatch(sequence)).toBe(expected < 0 ? shape.matches : expected);
  }
});

test('lists of the synthetic node, followed by their cursors, bring each match once and claim nothing too early', () => {
  for (const scanTransactions of [10, 333, 100_000]) {
    const found: number[] = [];
    let after: Uint8Array | undefined;
    for (let lists = 0; lists < 5_000; lists += 1) {
      const request = {
        startCheckpoint: after ? undefined : 0n,
        endCheckpoint: 2_500n,
        options: { after, limit: 500 },
      };
      const frames = [
        ...listMatches({ chain, tip: 2_999, scanTransactions, createMessage }, request as never),
      ];
      for (const { transaction, watermark } of frames) {
        if (transaction) found.push(Number(transaction.checkpoint));
        after = watermark!.cursor;
        const covered = watermark!.checkpoint;
        if (covered === undefined) continue;
        const complete = chain.findMatch(Number(covered + 1n) * 7);
        expect(found.length).toBeGreaterThanOrEqual(complete);
      }
      // CHECKPOINT_BOUND
      if (frames.at(-1)!.end!.reason === 3) break;
    }
    const expected = Array.from({ length: chain.findMatch(2_500 * 7) }, (_, match) =>
      chain.findCheckpoint(match),
    );
    expect(found).toEqual(expected);
  }
});
