import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shrinkList, shrinkWorld, type WorldParts } from './shrink.ts';

const size = 40;

test('a list shrinks to exactly the items that it needs to fail', async () => {
  const needs = fc.uniqueArray(fc.nat(size - 1), { maxLength: 5 });
  await fc.assert(
    fc.asyncProperty(needs, async (needed) => {
      const items = [...Array(size).keys()];
      const kept = await shrinkList(items, async (some) => needed.every((item) => some.includes(item)));
      expect(kept).toEqual([...needed].sort((a, b) => a - b));
    }),
  );
});

test('no item of a shrunk list can be left out, for any rule by which lists fail', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer(), fc.integer({ min: 2, max: 7 }), async (salt, divisor) => {
      const items = [...Array(12).keys()];
      const fails = async (some: readonly number[]) =>
        some.length === items.length ||
        some.reduce((sum, item) => Math.imul(sum ^ item, 31) >>> 0, salt >>> 0) % divisor === 0;
      const kept = await shrinkList(items, fails);
      expect(await fails(kept)).toBe(true);
      for (const item of kept.length > 1 ? kept : [])
        expect(await fails(kept.filter((other) => other !== item))).toBe(false);
    }),
  );
});

test('a world shrinks to the time, the faults and the acts that make it differ', async () => {
  const played: WorldParts[] = [];
  const shrunk = await shrinkWorld(
    { minutes: 2, faults: ['cut node', 'cut store', 'kill agent'], acts: ['register', 'grant', 'hire'] },
    async (parts) => {
      played.push(parts);
      return parts.minutes >= 0.4 && parts.faults.includes('cut store') && parts.acts.includes('grant');
    },
  );
  expect(shrunk).toEqual({ minutes: 0.5, faults: ['cut store'], acts: ['grant'] });
  expect(played.length).toBeLessThan(20);
});
