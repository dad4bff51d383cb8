import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { JsonText, writeJson } from './answer-size.ts';

describe('writeJson', () => {
  test('writes a value as JSON.stringify does, and nothing when it is one byte too long', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const json = JSON.stringify(value);
        const bytes = Buffer.byteLength(json);
        expect(writeJson(value, bytes)).toBe(json);
        expect(writeJson(value, bytes - 1)).toBeUndefined();
      }),
    );
  });

  test('leaves out undefined fields, and writes JSON text unchanged', () => {
    const text = new JsonText('{"b": 1.0}');
    expect(writeJson({ a: undefined, b: [text, text] }, 100)).toBe('{"b":[{"b": 1.0},{"b": 1.0}]}');
    expect(writeJson([text, text], 22)).toBeUndefined();
    expect(JSON.stringify([text])).toBe('[{"b":1}]');
  });
});
