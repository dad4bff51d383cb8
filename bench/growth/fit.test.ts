import { expect, test } from 'vitest';
import { fitPower } from './fit.ts';

test('a power of the size is found again, and carried on', () => {
  const points = [1, 10, 100, 1_000].map((size) => ({ size, value: 3 * size ** -0.25 }));
  const { exponent, estimate } = fitPower(points);
  expect(exponent).toBeCloseTo(-0.25, 10);
  expect(estimate(1e8)).toBeCloseTo(0.03, 10);
});

test('values that do not grow have the exponent 0', () => {
  const { exponent, estimate } = fitPower([5, 50, 500].map((size) => ({ size, value: 7 })));
  expect(exponent).toBeCloseTo(0, 10);
  expect(estimate(1e8)).toBeCloseTo(7, 10);
});

test('values that differ as much up as down lie on both sides of the fit', () => {
  const points = [
    { size: 10, value: 4 },
    { size: 100, value: 1 },
    { size: 1_000, value: 4 },
  ];
  const { exponent, estimate } = fitPower(points);
  expect(exponent).toBeCloseTo(0, 10);
  expect(estimate(100)).toBeCloseTo(4 ** (2 / 3), 10);
});
