import { GrpcTypes } from '@mysten/sui/grpc';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { LedgerPosition, LedgerScan, TransactionRecord } from '../../ledger/types.ts';
import { resolveInterval } from './interval.ts';
import { type CursorKind, encodeCursor } from './position.ts';
import { ledgerRange, type ScanFrame, type ScanSource, scan } from './scan.ts';

const { Ordering, QueryEndReason } = GrpcTypes;
const limits = { default: 50, max: 100 };

/** How many events each transaction of each checkpoint has. */
type History = number[][];

interface Item {
  checkpoint: bigint;
  transaction: number;
  event: number;
}

interface Query {
  start?: bigint;
  end?: bigint;
  after?: Uint8Array;
  before?: Uint8Array;
  limit?: number;
  descending?: boolean;
  /** The time for one request is over from the start. */
  late?: boolean;
  budget?: number;
  lowest?: bigint;
}

function itemsOf(history: History, kind: CursorKind): Item[] {
  return history.flatMap((transactions, index) => {
    const checkpoint = BigInt(index);
    if (kind === 'checkpoint') {
      return transactions.some((events) => events > 0) ? [{ checkpoint, transaction: 0, event: 0 }] : [];
    }
    return transactions.flatMap((events, transaction) =>
      Array.from({ length: kind === 'event' ? events : Math.min(events, 1) }, (_, event) => ({
        checkpoint,
        transaction,
        event,
      })),
    );
  });
}

/** The reading half of a ledger whose transactions have nothing but a place. */
function read(history: History) {
  const records = history.flatMap((transactions, checkpoint) =>
    transactions.map((events, transactionIndex) => ({
      checkpoint: BigInt(checkpoint),
      transactionIndex,
      events: Array.from({ length: events }, (_, index) => ({ index })),
    })),
  ) as unknown as TransactionRecord[];
  const before = (left: LedgerPosition, right: LedgerPosition) =>
    left.checkpoint === right.checkpoint
      ? left.transactionIndex < right.transactionIndex
      : left.checkpoint < right.checkpoint;
  return ({ from, to, ordering, limit }: LedgerScan) => {
    const found = records.filter((record) => !before(record, from) && before(record, to));
    return (ordering === 'descending' ? found.reverse() : found).slice(0, limit);
  };
}

/** Events as they are; transactions and checkpoints match by having one. */
function placed(kind: CursorKind, { checkpoint, transactionIndex, events }: TransactionRecord) {
  const transaction = transactionIndex + 1;
  if (kind === 'event') {
    return events.map(({ index }) => ({
      position: { checkpoint, transaction, event: index + 1 },
      item: { checkpoint, transaction: transactionIndex, event: index },
    }));
  }
  if (events.length === 0) return [];
  return kind === 'transaction'
    ? [
        {
          position: { checkpoint, transaction, event: 0 },
          item: { checkpoint, transaction: transactionIndex, event: 0 },
        },
      ]
    : [
        {
          position: { checkpoint, transaction: 1, event: 0 },
          item: { checkpoint, transaction: 0, event: 0 },
        },
      ];
}

async function list(history: History, query: Query, kind: CursorKind = 'event') {
  const interval = resolveInterval(
    kind,
    {
      startCheckpoint: query.start,
      endCheckpoint: query.end,
      options: {
        after: query.after,
        before: query.before,
        limit: query.limit,
        ordering: query.descending ? Ordering.DESCENDING : Ordering.ASCENDING,
      },
    },
    {
      lowest: query.lowest ?? 0n,
      highest: BigInt(history.length - 1),
      hasTransactionBetween(lower, upper) {
        const range = ledgerRange({ kind: 'transaction', lower, upper });
        return read(history)({ ...range, ordering: 'ascending', limit: 1 }).length > 0;
      },
    },
    limits,
  );
  const source: ScanSource<Item> = {
    read: read(history),
    keys: undefined,
    scanBudget: query.budget ?? 10_000,
    itemsOf: (record) => placed(kind, record),
    isLate: () => query.late ?? false,
  };
  const frames: ScanFrame<Item>[] = [];
  for await (const frame of scan(interval, source)) frames.push(frame);
  return frames;
}

const delivered = (frames: ScanFrame<Item>[]) => frames.flatMap(({ item }) => item ?? []);
const endOf = (frames: ScanFrame<Item>[]) => frames.at(-1)!.end!.reason;

const histories: fc.Arbitrary<History> = fc.array(fc.array(fc.nat({ max: 3 }), { maxLength: 4 }), {
  minLength: 1,
  maxLength: 8,
});

const kinds = fc.constantFrom<CursorKind>('event', 'transaction', 'checkpoint');

test('following the cursors page by page brings every item once and in order, both ways', async () => {
  await fc.assert(
    fc.asyncProperty(
      histories,
      kinds,
      fc.integer({ min: 1, max: 5 }),
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      async (history, kind, limit, budget, descending) => {
        const seen: Item[] = [];
        let cursor: Uint8Array | undefined;
        for (let page = 0; ; page++) {
          expect(page).toBeLessThan(200);
          const bound = descending ? { before: cursor } : { after: cursor };
          const frames = await list(history, { ...bound, limit, budget, descending }, kind);
          seen.push(...delivered(frames));
          cursor = frames.at(-1)!.watermark.cursor;
          const reason = endOf(frames);
          if (reason !== QueryEndReason.ITEM_LIMIT && reason !== QueryEndReason.SCAN_LIMIT) break;
        }
        const expected = itemsOf(history, kind);
        expect(seen).toEqual(descending ? expected.reverse() : expected);
      },
    ),
  );
});

test('a watermark never claims a checkpoint of which an item is still to come, nor steps back', async () => {
  await fc.assert(
    fc.asyncProperty(histories, kinds, fc.boolean(), async (history, kind, descending) => {
      const frames = await list(history, { descending }, kind);
      let covered: bigint | undefined;
      for (const [index, { watermark }] of frames.entries()) {
        if (covered !== undefined) expect(watermark.checkpoint).toBeDefined();
        covered = watermark.checkpoint;
        if (covered === undefined) continue;
        for (const { item } of frames.slice(index + 1)) {
          if (item) expect(descending ? item.checkpoint < covered : item.checkpoint > covered).toBe(true);
        }
      }
    }),
  );
});

describe('a stream ends for the reason it ends for', () => {
  const history = [[1], [1, 1], [], [2]];
  const middle = encodeCursor('event', { checkpoint: 1n, transaction: 2, event: 1 });

  test('at the tip, which it covers', async () => {
    const frames = await list(history, {});
    expect(delivered(frames)).toHaveLength(5);
    expect(endOf(frames)).toBe(QueryEndReason.LEDGER_TIP);
    expect(frames.at(-1)!.watermark.checkpoint).toBe(3n);
  });

  test('at the tip, also when the asked end lies beyond it', async () => {
    expect(endOf(await list(history, { end: 9n }))).toBe(QueryEndReason.LEDGER_TIP);
  });

  test('at the asked end, which excludes itself', async () => {
    const frames = await list(history, { start: 1n, end: 3n });
    expect(delivered(frames).map(({ checkpoint }) => checkpoint)).toEqual([1n, 1n]);
    expect(endOf(frames)).toBe(QueryEndReason.CHECKPOINT_BOUND);
    expect(frames.at(-1)!.watermark.checkpoint).toBe(2n);
  });

  test('at a cursor, whose checkpoint it does not claim', async () => {
    const frames = await list(history, { before: middle });
    expect(delivered(frames)).toHaveLength(2);
    expect(endOf(frames)).toBe(QueryEndReason.CURSOR_BOUND);
    expect(frames.at(-1)!.watermark.checkpoint).toBe(0n);
    expect(endOf(await list(history, { after: middle, descending: true }))).toBe(QueryEndReason.CURSOR_BOUND);
  });

  test('at the item limit, with the last item', async () => {
    const frames = await list(history, { limit: 2 });
    expect(delivered(frames)).toHaveLength(2);
    expect(frames.at(-1)!.item).toBeDefined();
    expect(endOf(frames)).toBe(QueryEndReason.ITEM_LIMIT);
  });

  test('at the scan limit, without an item', async () => {
    const frames = await list([[0, 0, 0, 0, 1]], { budget: 3 });
    expect(frames).toHaveLength(1);
    expect(endOf(frames)).toBe(QueryEndReason.SCAN_LIMIT);
  });

  test('at the scan limit too when its time is up, after at least one batch of progress', async () => {
    const many = [Array.from({ length: 600 }, () => 0), [1]];
    const [frame, ...others] = await list(many, { late: true });
    expect(others).toEqual([]);
    expect(frame!.end!.reason).toBe(QueryEndReason.SCAN_LIMIT);
    const rest = await list(many, { after: frame!.watermark.cursor });
    expect(delivered(rest)).toHaveLength(1);
  });

  test('downwards, at genesis', async () => {
    const frames = await list(history, { descending: true });
    expect(endOf(frames)).toBe(QueryEndReason.CHECKPOINT_BOUND);
    expect(frames.at(-1)!.watermark.checkpoint).toBe(0n);
  });

  test('at once, where the interval is empty', async () => {
    const frames = await list(history, { start: 2n, end: 2n });
    expect(frames).toHaveLength(1);
    expect(endOf(frames)).toBe(QueryEndReason.CHECKPOINT_BOUND);
    expect(frames[0]!.watermark.checkpoint).toBeUndefined();
  });

  test('at a cursor that leaves nothing of the range, also where the range ends at the tip', async () => {
    const last = encodeCursor('transaction', { checkpoint: 3n, transaction: 1, event: 0 });
    for (const end of [undefined, 4n, 9n]) {
      const frames = await list(history, { after: last, end }, 'transaction');
      expect(frames).toEqual([{ watermark: { cursor: last }, end: { reason: QueryEndReason.CURSOR_BOUND } }]);
    }
    const beyond = encodeCursor('transaction', { checkpoint: 2n, transaction: 0, event: 0 });
    expect(endOf(await list(history, { after: beyond, end: 2n }, 'transaction'))).toBe(
      QueryEndReason.CURSOR_BOUND,
    );
    const checkpoint = encodeCursor('checkpoint', { checkpoint: 3n, transaction: 1, event: 0 });
    expect(endOf(await list(history, { after: checkpoint }, 'checkpoint'))).toBe(QueryEndReason.CURSOR_BOUND);
  });

  test('at the end of the range, where a transaction that does not match follows the cursor', async () => {
    const first = encodeCursor('transaction', { checkpoint: 1n, transaction: 1, event: 0 });
    const frames = await list([[1], [1, 0]], { after: first, end: 2n }, 'transaction');
    expect(delivered(frames)).toEqual([]);
    expect(endOf(frames)).toBe(QueryEndReason.CHECKPOINT_BOUND);
  });

  test('at the tip, where the cursor is beyond it', async () => {
    const after = encodeCursor('transaction', { checkpoint: 7n, transaction: 2, event: 0 });
    const frames = await list(history, { after, end: 9n }, 'transaction');
    const cursor = encodeCursor('transaction', { checkpoint: 4n, transaction: 0, event: 0 });
    expect(frames).toEqual([{ watermark: { cursor }, end: { reason: QueryEndReason.LEDGER_TIP } }]);
  });
});

test('a scan that begins inside a checkpoint claims none before the next one', async () => {
  const after = encodeCursor('event', { checkpoint: 1n, transaction: 1, event: 1 });
  const [first] = await list([[1], [1, 1], [1]], { after });
  expect(first!.item).toMatchObject({ checkpoint: 1n, transaction: 1 });
  expect(first!.watermark.checkpoint).toBeUndefined();
});

test('no more than the largest page is delivered, whatever was asked for', async () => {
  const frames = await list([Array.from({ length: 300 }, () => 1)], { limit: 100_000 });
  expect(delivered(frames)).toHaveLength(limits.max);
});

describe('below the lowest available checkpoint', () => {
  const history = [[1], [1], [1]];

  test('an explicit lower bound is OUT_OF_RANGE, so that a gap is never silent', async () => {
    await expect(list(history, { start: 0n, lowest: 2n })).rejects.toThrow(/earliest available/);
    const after = encodeCursor('event', { checkpoint: 0n, transaction: 1, event: 1 });
    await expect(list(history, { after, lowest: 2n })).rejects.toThrow(/earliest available/);
  });

  test('a lower bound left out begins at what there is', async () => {
    expect(delivered(await list(history, { lowest: 2n }))).toHaveLength(1);
  });
});

test('a range that ends before it starts, and an unknown ordering, are refused', async () => {
  await expect(list([[1], [1]], { start: 1n, end: 0n })).rejects.toThrow(/end_checkpoint/);
  const options = { ordering: 7 as GrpcTypes.Ordering };
  const available = { lowest: 0n, highest: 1n, hasTransactionBetween: () => true };
  expect(() => resolveInterval('event', { options }, available, limits)).toThrow(/options.ordering/);
});

test('a cursor of another listing is refused', () => {
  const cursor = (kind: CursorKind) => encodeCursor(kind, { checkpoint: 1n, transaction: 1, event: 0 });
  return expect(list([[1]], { after: cursor('transaction') })).rejects.toThrow(/cursor/);
});
