import { expect, test } from 'vitest';
import { computeRecheckSeconds, computeRetrySeconds } from './schedule.ts';

test('attempts grow rare, and end: nothing is fetched for ever', () => {
  const middle = () => 0.5;
  const waits = Array.from({ length: 20 }, (_, attempts) => computeRetrySeconds(attempts + 1, middle));
  expect(waits.slice(0, 6)).toEqual([5, 60, 600, 3_600, 21_600, 86_400]);
  expect(waits.at(-1)).toBeNull();
  const total = waits.reduce<number>((sum, wait) => sum + (wait ?? 0), 0);
  expect(total / 86_400).toBeLessThan(14);
});

test('known answers are asked for again after a day, spread over half of one', () => {
  const hours = [0, 0.5, 1].map((random) => computeRecheckSeconds(() => random) / 3_600);
  expect(hours).toEqual([18, 24, 30]);
});
