import fc from 'fast-check';
import { expect, test } from 'vitest';
import { displayText, splitText } from './display.ts';

test.each([
  ['a change of direction', 'Reef\u202eetsil', 'Reef[U+202E]etsil'],
  ['an invisible space', 'Re\u200bef', 'Re[U+200B]ef'],
  ['a line break', 'Reef\nverified', 'Reef verified'],
  ['an escape sequence of a terminal', '\u001b[2JReef', '[U+001B][2JReef'],
  ['one Cyrillic letter in a Latin word', 'Reef V\u0430ult', 'Reef V\u0430ult[U+0430]'],
  ['a word of Cyrillic letters that look Latin', 'Сосо', 'Сосо[U+0421]'],
  ['mathematical letters', '𝔭𝕒𝕪', '𝔭𝕒𝕪[U+1D52D]'],
])('%s is marked', (_, text, shown) => expect(displayText(text)).toBe(shown));

test.each(['Reef Vault', 'Café Zürich', '日本', 'Добро пожаловать', 'Vault ❤️ 100 %'])(
  '%s is shown as it is',
  (text) => expect(displayText(text)).toBe(text),
);

test('no invisible character and no line break is left in any text', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      expect(displayText(text)).not.toMatch(/[\p{Cc}\u200b-\u200f\u202a-\u202e\u2028\u2029\u2066-\u2069]/u);
      expect(splitText(text).every((piece) => piece.text !== '')).toBe(true);
    }),
  );
});
