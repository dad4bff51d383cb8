import fc from 'fast-check';
import { expect, test } from 'vitest';
import { formatPosition, isBefore, type Position, parsePosition } from './registry-events.ts';

const position = fc.tuple(
  fc.nat({ max: 999_999_999_999_999 }),
  fc.nat(999_999_999),
  fc.nat(999_999_999),
) as fc.Arbitrary<Position>;

test('a cursor leads back to its event, and nothing else is one', () => {
  fc.assert(
    fc.property(position, (one) => {
      expect(parsePosition(formatPosition(one))).toEqual(one);
    }),
  );
  for (const text of ['', '1', '1.2', '1.2.3.4', '-1.0.0', '1.2.3 ', '1e3.0.0', `${'9'.repeat(20)}.0.0`]) {
    expect(parsePosition(text)).toBeUndefined();
  }
});

test('positions are ordered by checkpoint, then transaction, then event', () => {
  fc.assert(
    fc.property(position, position, (a, b) => {
      expect([isBefore(a, b), isBefore(b, a)].filter(Boolean)).toHaveLength(String(a) === String(b) ? 0 : 1);
    }),
  );
  expect(isBefore([1, 9, 9], [2, 0, 0])).toBe(true);
  expect(isBefore([1, 1, 9], [1, 2, 0])).toBe(true);
  expect(isBefore([1, 1, 1], [1, 1, 1])).toBe(false);
});
