import fc from 'fast-check';
import { expect, test } from 'vitest';
import { computeRetryDelayMs, retryRules } from './outcome.ts';

const noJitter = () => 0;
const delay = (failures: number, more: { overloaded?: boolean; retryAfter?: string } = {}) =>
  computeRetryDelayMs(
    retryRules,
    { failures, overloaded: false, retryAfter: undefined, ...more },
    noJitter,
    0,
  );

test('the schedule is that of Standard Webhooks, and then there is no other attempt', () => {
  const minutes = Array.from({ length: 10 }, (_, at) => (delay(at + 1) ?? Number.NaN) / 60_000);
  expect(minutes).toEqual([5 / 60, 5, 30, 120, 300, 600, 840, 1200, 1440, Number.NaN]);
});

test('an overloaded receiver is not asked again within a minute', () => {
  expect(delay(1, { overloaded: true })).toBe(60_000);
  expect(delay(2, { overloaded: true })).toBe(300_000);
});

test('Retry-After counts between the base delay and twice it, in either form', () => {
  expect(delay(2, { retryAfter: '400' })).toBe(400_000);
  expect(delay(2, { retryAfter: '1' })).toBe(300_000);
  expect(delay(2, { retryAfter: '999999' })).toBe(600_000);
  expect(delay(2, { retryAfter: 'Thu, 01 Jan 1970 00:07:00 GMT' })).toBe(420_000);
});

test('no header and no dice bring an attempt too early, or more than a tenth too late', () => {
  const header = fc.option(fc.oneof(fc.string(), fc.integer().map(String), fc.date().map(String)), {
    nil: undefined,
  });
  fc.assert(
    fc.property(
      fc.integer({ min: 1, max: 9 }),
      fc.boolean(),
      header,
      fc.double({ min: 0, max: 1, noNaN: true }),
      (failures, overloaded, retryAfter, dice) => {
        const baseMs = retryRules.scheduleMs[failures - 1]!;
        const waits = computeRetryDelayMs(retryRules, { failures, overloaded, retryAfter }, () => dice)!;
        expect(waits).toBeGreaterThanOrEqual(Math.max(baseMs, overloaded ? 60_000 : 0));
        expect(waits).toBeLessThanOrEqual(Math.max(2 * baseMs, 60_000) * 1.1);
      },
    ),
  );
});
