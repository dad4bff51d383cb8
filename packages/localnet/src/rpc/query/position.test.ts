import fc from 'fast-check';
import { expect, test } from 'vitest';
import { type CursorKind, compare, decodeCursor, encodeCursor, type Position } from './position.ts';

const decoded = (kind: CursorKind, cursor: Uint8Array) => decodeCursor(kind, cursor, 'options.after');

const positions: fc.Arbitrary<Position> = fc.record({
  checkpoint: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  transaction: fc.nat({ max: 2 ** 31 }),
  event: fc.nat({ max: 2 ** 31 }),
});

test('a cursor comes back as the position it was made of', () => {
  fc.assert(
    fc.property(positions, (position) => {
      expect(decoded('event', encodeCursor('event', position))).toEqual(position);
    }),
  );
});

test('cursors sort as their positions do', () => {
  fc.assert(
    fc.property(positions, positions, (left, right) => {
      const bytes = Buffer.compare(encodeCursor('event', left), encodeCursor('event', right));
      expect(Math.sign(compare(left, right))).toBe(bytes);
    }),
  );
});

test('a cursor of another listing, cut short or made up is refused', () => {
  const cursor = encodeCursor('event', { checkpoint: 1n, transaction: 1, event: 1 });
  expect(() => decoded('transaction', cursor)).toThrow(/cursor/);
  expect(() => decoded('event', cursor.subarray(1))).toThrow(/cursor/);
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 40 }), (bytes) => {
      fc.pre(bytes.length !== 18 || bytes[0] !== 1);
      expect(() => decoded('event', bytes)).toThrow(/cursor/);
    }),
  );
});
