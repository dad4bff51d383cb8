import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeBudget, computePaid } from './gas.ts';

test('a budget is a quarter more than was used before the rebate, rounded up, and two million MIST', () => {
  const used = (computation: number, storage: number, rebate: number) => ({
    computationCost: String(computation),
    storageCost: String(storage),
    storageRebate: String(rebate),
  });
  expect(computeBudget(used(1_000_000, 3_000_001, 2_900_000))).toBe(7_000_002n);
  expect(computeBudget(used(0, 1, 0))).toBe(2_000_002n);
  const computeCharged = (...gas: Parameters<typeof used>) =>
    computePaid({ gasUsed: used(...gas), gasObject: null }).charged;
  expect(computeCharged(1_000_000, 3_000_000, 2_900_000)).toBe(1_100_000n);
  expect(computeCharged(1_000_000, 0, 2_900_000)).toBe(0n);
  fc.assert(
    fc.property(fc.bigInt(0n, 2n ** 60n), fc.bigInt(0n, 2n ** 60n), (computation, storage) => {
      const gas = { computationCost: `${computation}`, storageCost: `${storage}`, storageRebate: '0' };
      const fixed = computeBudget(gas) - 2_000_000n;
      expect(
        fixed * 4n >= (computation + storage) * 5n && (fixed - 1n) * 4n < (computation + storage) * 5n,
      ).toBe(true);
    }),
  );
});
