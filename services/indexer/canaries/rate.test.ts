import { expect, test } from 'vitest';
import { computeRate } from './rate.ts';

test('simulations use the rate of the setting, and at most a fifth of the budget', () => {
  expect(computeRate({})).toBe(0);
  expect(computeRate({ canaryRate: 2 })).toBe(2);
  expect(computeRate({ canaryRate: 0, rpcBudget: 100 })).toBe(0);
  expect(computeRate({ canaryRate: 2, rpcBudget: 100 }) * 30).toBeCloseTo(20);
  expect(computeRate({ canaryRate: 0.5, rpcBudget: 100 })).toBe(0.5);
});
