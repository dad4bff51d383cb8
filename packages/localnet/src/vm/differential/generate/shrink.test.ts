import { expect, test } from 'vitest';
import { shrink } from './shrink.ts';

const weight = (numbers: readonly number[]) => numbers.reduce((sum, each) => sum + each + 1, 0);

test('what does not matter to a failure is left out of it', async () => {
  const numbers = Array.from({ length: 100 }, (_, i) => i + 1);
  const fails = (each: number[]) => each.includes(42) && each.includes(77);
  const shrunk = await shrink(numbers, weight, async (candidates) =>
    candidates.flatMap((each, i) => (fails(each) ? [i] : [])),
  );
  expect(fails(shrunk)).toBe(true);
  expect(shrunk.length).toBeLessThan(10);
});

test('what cannot be made smaller stays', async () => {
  expect(await shrink([3, 4], weight, async () => [])).toEqual([3, 4]);
});
