import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { storeTogether } from './together.ts';

test('every item is stored once, in the order in which it came, never two transactions at a time', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.record({ bad: fc.boolean(), pause: fc.boolean() }), { maxLength: 30 }),
      fc.integer({ min: 1, max: 5 }),
      async (items, max) => {
        const transactions: number[][] = [];
        let open = 0;
        const store = storeTogether<number>(async (batch) => {
          expect(++open).toBe(1);
          await setImmediate();
          open--;
          expect(batch.length).toBeLessThanOrEqual(max);
          if (batch.some((at) => items[at]!.bad)) throw new Error('bad');
          transactions.push([...batch]);
        }, max);
        const stored: Promise<string>[] = [];
        for (const [at, { pause }] of items.entries()) {
          if (pause) await setImmediate();
          stored.push(
            store.add(at).then(
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
  await Promise.all(['a', 'b', 'c', 'd'].map(store.add));
  expect(transactions).toEqual([['a'], ['b', 'c', 'd']]);
});
