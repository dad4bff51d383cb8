import fc from 'fast-check';
import { expect, test } from 'vitest';
import { coinsTarget, planSplit } from './gas-coins.ts';

const gasMax = 50_000_000n;
const sui = 1_000_000_000n;

test('one large coin becomes as many as runs can use, less those that are in use', () => {
  expect(planSplit([100n * sui], 0, gasMax)?.coins).toBe(coinsTarget);
  expect(planSplit([100n * sui], 3, gasMax)?.coins).toBe(coinsTarget - 3);
});

test('coins that suffice stay as they are', () => {
  expect(planSplit(Array(coinsTarget).fill(sui), 0, gasMax)).toBeUndefined();
  expect(planSplit(Array(9).fill(100n * sui), 0, gasMax)).toBeUndefined();
  expect(planSplit([], coinsTarget, gasMax)).toBeUndefined();
});

test('a sponsor that has little pays by one coin, made of small ones where none suffices', () => {
  expect(planSplit([gasMax], 0, gasMax)).toBeUndefined();
  expect(planSplit([3n * gasMax], 0, gasMax)).toBeUndefined();
  expect(planSplit(Array(4).fill(30_000_000n), 0, gasMax)).toMatchObject({ coins: 1 });
  expect(planSplit([30_000_000n], 0, gasMax)).toBeUndefined();
});

test('whatever there is, a plan is paid by what it merges, and each coin that it makes suffices', () => {
  fc.assert(
    fc.property(
      fc.array(fc.bigInt(0n, 200n * sui), { maxLength: 300 }),
      fc.integer({ min: 0, max: 20 }),
      fc.bigInt(2_500_000n, 50n * sui),
      (unsorted, used, most) => {
        const balances = unsorted.toSorted((a, b) => (a < b ? 1 : -1));
        const plan = planSplit(balances, used, most);
        if (!plan) return;
        const { coins, amount, budget } = plan;
        const total = balances.slice(0, 256).reduce((sum, balance) => sum + balance, 0n);
        expect(amount * BigInt(coins) + budget).toBeLessThanOrEqual(total);
        expect(amount).toBeGreaterThanOrEqual(most);
        expect(coins).toBeGreaterThan(balances.slice(0, 256).filter((balance) => balance >= most).length);
      },
    ),
  );
});
