import { expect, test } from 'vitest';
import { cleanText, cleanValue } from './text.ts';

test.each([
  ['a control', 'pay\u0000\u001b[2J'],
  ['a turn of direction', '\u202epay\u2066'],
  ['a character without width', 'p\u200ba\u2060y\ufeff'],
  ['a tag', 'pay\u{e0041}\u{e007f}'],
  ['a separator of lines', 'pay\u2028\u2029'],
])('%s does not reach a model', (_, text) => {
  expect(cleanText(text).replace('[2J', '')).toBe('pay');
});

test('what a reader sees is left as it is', () => {
  const text = 'Zürich\n\t日本語 – 10 % ✓ العربية';
  expect(cleanText(text)).toBe(text);
});

test('texts are cut, keys are cleaned, and values of programs are whole', () => {
  const bytes = 'A'.repeat(50_000);
  const value = { 'na\u202eme': 'x '.repeat(5_000), bytes, list: [{ deep: '\u200bx' }], n: 1, none: null };
  const shown = cleanValue(value) as Record<string, unknown>;
  expect(String(shown.name)).toHaveLength(1_001);
  expect(shown).toMatchObject({ bytes, list: [{ deep: 'x' }], n: 1, none: null });
});

test('nothing is cleaned beyond the bound on the characters of texts and names', () => {
  expect(cleanValue({ name: 'abc', list: ['de'] }, 13)).toEqual({ name: 'abc', list: ['de'] });
  expect(cleanValue({ name: 'abc', list: ['de'] }, 12)).toBeUndefined();
  let read = 0;
  const late = Object.defineProperty({}, 'inner', { enumerable: true, get: () => (read += 1) });
  expect(cleanValue(['more than ten', late], 10)).toBeUndefined();
  expect(read).toBe(0);
});
