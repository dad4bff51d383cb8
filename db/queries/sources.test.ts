import { expect, test } from 'vitest';
import { computeSourceLag } from './sources.ts';

const at = (seconds: number) => new Date(seconds * 1_000);
const row = { checkpoint: 10, checkpointAt: at(100), chainTip: 90, chainTipAt: at(120), updatedAt: at(500) };

test('a source is as late as the chain has time that it has not read', () => {
  expect(computeSourceLag(row, 500_000)).toBe(20);
});

test('a chain that stands still makes no source late', () => {
  expect(computeSourceLag({ ...row, checkpoint: 90 }, 500_000)).toBe(0);
});

test('a node that is not heard makes its source later by the second', () => {
  expect(computeSourceLag({ ...row, checkpoint: 90 }, 530_000)).toBe(30);
});

test('a source that has read nothing is never ready', () => {
  expect(computeSourceLag({ ...row, chainTip: null, chainTipAt: null }, 0)).toBe(Number.POSITIVE_INFINITY);
  expect(computeSourceLag({ ...row, checkpointAt: null }, 500_000)).toBe(Number.POSITIVE_INFINITY);
});
