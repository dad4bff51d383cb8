import { expect, test } from 'vitest';
import { describeAmountInput, parseUnits } from './amount.ts';

test.each([0, 1, 6, 9, 18])('the example for a coin with %i decimals is an amount of it', (decimals) => {
  const [example] = /\d+(\.\d+)?/.exec(describeAmountInput(decimals))!;
  expect(parseUnits(example, decimals)).toBeGreaterThan(0n);
});
