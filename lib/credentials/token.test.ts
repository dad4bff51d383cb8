import fc from 'fast-check';
import { expect, test } from 'vitest';
import { apiKeys, encodeBase62 } from './token.ts';

test('every key has the form by which wrong ones are refused without asking the store', () => {
  const keys = Array.from({ length: 500 }, apiKeys.make);
  expect(keys.filter((key) => !apiKeys.looksLike(key))).toEqual([]);
  expect(new Set(keys).size).toBe(500);
});

test('no random byte of a key is lost in its spelling', () => {
  const bytes = fc.uint8Array({ minLength: 32, maxLength: 32 });
  fc.assert(
    fc.property(bytes, bytes, (a, b) => {
      expect(encodeBase62(a) === encodeBase62(b)).toBe(Buffer.from(a).equals(b));
      expect(encodeBase62(a).length).toBeLessThanOrEqual(43);
    }),
  );
  expect(encodeBase62(new Uint8Array(32).fill(255))).toHaveLength(43);
});

test.each(['', 'mk_', 'mk_short', `mk_${'a'.repeat(44)}`, `mk_${'-'.repeat(43)}`, `xx_${'a'.repeat(43)}`])(
  '%j is not a key',
  (text) => expect(apiKeys.looksLike(text)).toBe(false),
);
