import fc from 'fast-check';
import { expect, test } from 'vitest';
import { chooseSizes } from './sizes.ts';

test('sizes are small, usual and large amounts of past calls', () => {
  const amounts = Array.from({ length: 100 }, (_, at) => BigInt(100 - at));
  expect(chooseSizes(amounts, 9)).toEqual([5n, 50n, 95n]);
  expect(chooseSizes([7n], 9)).toEqual([7n]);
  expect(chooseSizes([7n, 7n, 9n], 9)).toEqual([7n, 9n]);
});

test('an op that was never used is tried with a hundredth of its coin', () => {
  expect(chooseSizes([], 9)).toEqual([10_000_000n]);
  expect(chooseSizes([], 0)).toEqual([1n]);
  expect(chooseSizes([0n], null)).toEqual([10_000n]);
});

test('sizes ascend, are positive, and are amounts that were used or the largest size', () => {
  const amount = fc.bigInt({ min: 0n, max: 2n ** 64n - 1n });
  fc.assert(
    fc.property(fc.array(amount), fc.option(fc.integer({ min: 0, max: 255 })), (amounts, decimals) => {
      const sizes = chooseSizes(amounts, decimals);
      expect(sizes.length).toBeGreaterThan(0);
      expect(sizes.length).toBeLessThanOrEqual(3);
      expect(sizes.every((size, at) => size > (sizes[at - 1] ?? 0n) && size <= 10n ** 17n)).toBe(true);
      if (amounts.some((one) => one > 0n)) {
        expect(sizes.every((size) => amounts.includes(size) || size === 10n ** 17n)).toBe(true);
      }
    }),
  );
});

test('a few calls of a stranger among many leave the usual size as it is', () => {
  const usual = Array<bigint>(98).fill(1_000n);
  expect(chooseSizes([...usual, 1n, 10n ** 16n], 9)).toEqual([1_000n]);
});
