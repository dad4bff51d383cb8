import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { storeTogether } from './together.ts';

test('every item is stored once, in the order in which it came, never two transactions at a time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ bad: fc.boolean(), pause: fc.boolean(), isFollowed: fc.boolean() }), {
        maxLength: 30,
      }),
      fc.integer({ min: 1, max: 5 }),
      async (items, max) => {
        const transactions: number[][] = [];
        let open = 0;
        const store = storeTogether<number>(
          async (batch) => {
            expect(++open).toBe(1);
            await setImmediate();
            open--;
            expect(batch.length).toBeLessThanOrEqual(max);
            if (batch.some((at) => items[at]!.bad)) throw new Error('bad');
            transactions.push([...batch]);
          },
          max,
          1,
        );
        const stored: Promise<string>[] = [];
        for (const [at, { pause, isFollowed }] of items.entries()) {
          if (pause) await setImmediate();
          stored.push(
            store.add(at, isFollowed).then(
              () => 'stored',
              () => 'failed',
            ),
          );
        }
        expect(await Promise.all(stored)).toEqual(items.map(({ bad }) => (bad ? 'failed' : 'stored')));
        expect(transactions.flat()).toEqual([...items.keys()].filter((at) => !items[at]!.bad));
      },
    ),
  );
});

test('what comes while a transaction is under way goes into the next, together', async () => {
  const transactions: string[][] = [];
  const store = storeTogether<string>(async (batch) => {
    transactions.push([...batch]);
    await setImmediate();
  }, 10);
  await Promise.all(['a', 'b', 'c', 'd'].map((item) => store.add(item)));
  expect(transactions).toEqual([['a'], ['b', 'c', 'd']]);
});

describe('items that others follow', () => {
  const hour = 3_600_000;
  const open = (max: number, gatherMs: number) => {
    const transactions: number[][] = [];
    const store = storeTogether<number>(async (batch) => void transactions.push([...batch]), max, gatherMs);
    return { transactions, store };
  };

  test('fill a transaction, however far apart they arrive', async () => {
    const { transactions, store } = open(3, hour);
    const stored: Promise<void>[] = [];
    for (let item = 0; item < 6; item++) {
      stored.push(store.add(item, true));
      await setImmediate();
    }
    await Promise.all(stored);
    expect(transactions).toEqual([
      [0, 1, 2],
      [3, 4, 5],
    ]);
  });

  test('are stored at once with one that none follows', async () => {
    const { transactions, store } = open(100, hour);
    const first = store.add(1, true);
    await setImmediate();
    await Promise.all([first, store.add(2)]);
    expect(transactions).toEqual([[1, 2]]);
  });

  test('wait for a bounded time, if none comes', async () => {
    const { transactions, store } = open(100, 1);
    await store.add(1, true);
    expect(transactions).toEqual([[1]]);
  });
});
