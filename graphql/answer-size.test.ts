import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonText, writeJson } from './answer-size.ts';

test('a value is written as JSON.stringify would, and not at all where it is a byte too long', () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const json = JSON.stringify(value);
      const bytes = Buffer.byteLength(json);
      expect(writeJson(value, bytes)).toBe(json);
      expect(writeJson(value, bytes - 1)).toBeUndefined();
    }),
  );
});

test('a field without a value is left out, and text that is JSON already is taken as it is', () => {
  const text = new JsonText('{"b": 1.0}');
  expect(writeJson({ a: undefined, b: [text, text] }, 100)).toBe('{"b":[{"b": 1.0},{"b": 1.0}]}');
  expect(writeJson([text, text], 22)).toBeUndefined();
  expect(JSON.stringify([text])).toBe('[{"b":1}]');
});
