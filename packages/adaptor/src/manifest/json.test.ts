import fc from 'fast-check';
import { expect, test } from 'vitest';
import { JsonInvalidError, parseStrictJson } from './json.ts';

const limits = { bytesMax: 4096, depthMax: 4, keysMax: 5 };
const parse = (text: string, given = limits) => parseStrictJson(Buffer.from(text), given);
const roomy = { bytesMax: 1 << 20, depthMax: 100, keysMax: 10_000 };

test('sound JSON is read as JSON.parse reads it', () => {
  const sound = fc.json({ stringUnit: 'grapheme' }).filter((text) => !/__proto__|\\u0000/.test(text));
  fc.assert(
    fc.property(sound, (text) => {
      expect(parse(text, roomy)).toEqual(JSON.parse(text));
    }),
  );
});

test('whatever the bytes, the outcome is a value or a short printable refusal', () => {
  const pieces = fc.constantFrom(
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    ':',
    ',',
    ' ',
    '1',
    'a',
    '\\u',
    '\u0000',
    '"a"',
    '\n',
  );
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.array(pieces, { maxLength: 60 }).map((parts) => Buffer.from(parts.join(''))),
  );
  fc.assert(
    fc.property(bytes, (given) => {
      try {
        parseStrictJson(given, limits);
      } catch (error) {
        if (!(error instanceof JsonInvalidError)) throw error;
        expect(error.message).toMatch(/^[ -~]{1,100}$/);
      }
    }),
  );
});

test.each([
  ['a deep document', '['.repeat(5), /nested deeper than 4/],
  ['deep objects', '{"a":'.repeat(5), /nested deeper than 4/],
  ['too many keys', '[{"a":1,"b":1},{"a":1,"b":1},{"a":1,"b":1}]', /more than 5 keys/],
  ['too many bytes', `"${'x'.repeat(5000)}"`, /larger than 4096 bytes/],
  ['a repeated key', '{"a":1,"b":{"a":1},"a":2}', /"a" is repeated/],
  ['a repeated key, spelled with an escape', '{"a":1,"\\u0061":2}', /"a" is repeated/],
  ['a repeated key, far from its colon', `{"a":1,"a"${' '.repeat(200)}:2}`, /"a" is repeated/],
  ['a prototype', '{"__proto__":{}}', /__proto__/],
  ['a NUL', '{"a":"\\u0000"}', /U\+0000/],
  ['a lone surrogate', '["\\ud800"]', /lone surrogate/],
  ['an infinite number', '[1e999]', /range of a double/],
  ['a second value', '{} {}', /not JSON/],
  ['an open string', '["a', /not JSON/],
  ['no value', '', /not JSON/],
])('%s is refused', (_, text, reason) => {
  expect(() => parse(text)).toThrow(reason);
});

test('bytes that are not UTF-8 are refused', () => {
  expect(() => parseStrictJson(Uint8Array.of(0x22, 0xff, 0x22), limits)).toThrow(/not UTF-8/);
});

test('256 KiB of brackets, quotes or escapes cost neither the stack nor quadratic time', () => {
  const wide = { bytesMax: 256 * 1024, depthMax: 32, keysMax: 10_000 };
  for (const piece of ['[', '{"":', '"', '\\"', '"\\"', ' ', '"" ', '[]']) {
    const text = piece.repeat((256 * 1024) / piece.length);
    expect(() => parse(text, wide)).toThrow(JsonInvalidError);
    expect(() => parse(`"${text}`, wide)).toThrow(JsonInvalidError);
  }
});
