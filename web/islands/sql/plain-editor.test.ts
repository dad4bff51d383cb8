import fc from 'fast-check';
import { expect, test } from 'vitest';
import { describePosition, findWordEnd, toOffset } from './plain-editor.ts';

test('a position counts characters, also behind those of two code units', () => {
  const text = "select '😀', nam\nfrom adaptors";
  const position = [...text].indexOf('n') + 1;
  expect(text.slice(toOffset(text, position), findWordEnd(text, toOffset(text, position)))).toBe('nam');
  expect(describePosition(text, position)).toBe('line 1, column 13');
  expect(describePosition(text, [...text].indexOf('\n') + 2)).toBe('line 2, column 1');
});

test('any position of any text is within it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: -5, max: 100 }), (text, position) => {
      const from = toOffset(text, position);
      expect(from).toBeGreaterThanOrEqual(0);
      expect(from).toBeLessThanOrEqual(text.length);
      const end = findWordEnd(text, from);
      expect(end).toBeGreaterThanOrEqual(from);
      expect(end).toBeLessThanOrEqual(text.length);
      expect(describePosition(text, position)).toMatch(/^line \d+, column \d+$/);
    }),
  );
});
