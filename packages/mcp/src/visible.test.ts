import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { unseen } from './text.ts';
import { listValueLines, toVisibleJson, toVisibleText, toVisibleType } from './visible.ts';

/** Texts with many of the characters that could form markup or a line. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...[
          '\n',
          '\r',
          '\t',
          ' ',
          '  ',
          '\u00a0',
          '\u2003',
          '\u2028',
          '\u202e',
          '\\',
          '"',
          '`',
          '<b>',
          '</b>',
        ],
        ...['[x](y)', '![x]', '**', '_', '__', '~~', '&lt;', 'https://', 'www.', '@', '$', 'pay', '0x2'],
      ),
      fc.string({ unit: 'binary' }),
    ),
    { maxLength: 12 },
  )
  .map((parts) => parts.join(''));

describe('a text of a stranger in a question', () => {
  test('forms no line, no markup, no link and no gap', () => {
    fc.assert(
      fc.property(hostile, (text) => {
        const shown = toVisibleJson(text);
        expect(shown).not.toMatch(/[\n\r\t<`[\]*~$&@]|\s\s|:\/\/|www\.|\b_\b/i);
        expect(shown.search(unseen)).toBe(-1);
      }),
    );
  });

  test('covers nothing with marks, and keeps the words of languages that have them', () => {
    expect(toVisibleJson(`e${'\u0301'.repeat(500)}`)).toMatch(/^"e\u0301{3}(\\u0301){497}"$/);
    expect(toVisibleJson('5\u20dd')).toBe(String.raw`"5\u20dd"`);
    for (const text of ['Größe', 'ผู้ให้', 'हिन्दी', 'Tiếng Việt'.normalize('NFD')])
      expect(toVisibleJson(text)).toBe(JSON.stringify(text));
  });

  test('is shown in full: as JSON it is the same text', () => {
    fc.assert(
      fc.property(fc.oneof(hostile, fc.jsonValue()), (value) => {
        expect(JSON.stringify(JSON.parse(toVisibleJson(value)))).toBe(JSON.stringify(value));
      }),
    );
  });

  test('is unchanged if it is a word or a path of words, and as a type', () => {
    for (const text of ['0x2', 'jar::tip_all', `0x${'a'.repeat(64)}`]) expect(toVisibleText(text)).toBe(text);
    for (const text of ['_free_', 'a__b', 'two words', '', 'x'.repeat(601)]) {
      expect(toVisibleText(text)).toBe(JSON.stringify(text).replaceAll('_', '\\u005f'));
    }
    const coin = '0x2::coin::Coin<0x2::sui::SUI>';
    expect(toVisibleType(coin)).toBe(coin);
    expect(toVisibleType('vector<address>')).toBe(String.raw`"vector\u003caddress>"`);
  });

  test('is on one line for each value, the names of values included', () => {
    fc.assert(
      fc.property(fc.dictionary(hostile, hostile), (values) => {
        const lines = listValueLines({ values });
        expect(lines).toHaveLength(Math.max(1, Object.keys(values).length));
        for (const line of lines) expect(line).toMatch(/^- values(\.| = \{\}$)[^\n\r]*$/);
      }),
    );
  });
});
