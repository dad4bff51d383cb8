import { expect, test } from 'vitest';
import { html, render } from './html.ts';
import { nameType, splitTypes } from './type-names.ts';
import { typeName, withShortIds } from './values.ts';

const stranger = `0x${'ab'.repeat(32)}`;
const names = new Map([[stranger, 'Reef V\u0430ult']]);
const show = (text: string, known?: typeof names) =>
  render(html`${withShortIds(text, known)}`).replaceAll(/<(?!…)\/?[^>]*>/g, '');

test.each([
  [`${stranger}::pool::Pool`, 'pool::Pool'],
  [`${stranger}::pool::Pool<0x2::sui::SUI, ${stranger}::lp::Share<u64>>`, 'pool::Pool<…>'],
  ['vector<0x1::string::String>', 'vector<string::String>'],
  ['u64', 'u64'],
])('%s is called %s', (type, name) => expect(nameType(type)).toBe(name));

test('a type in a sentence has the name of its package, and is in full on hover', () => {
  const type = `${stranger}::pool::Pool<0x2::sui::SUI>`;
  const shown = render(html`${withShortIds(`It changes 0x6 (${type}).`)}`);
  expect(shown).toContain(
    `<code title="${type.replaceAll('<', '&lt;')}">pool::Pool&lt;…></code> of package 0xabab…abab`,
  );
});

test('a package of the network is named in words, also in the long form of its id', () => {
  for (const id of ['0x2', `0x${'2'.padStart(64, '0')}`])
    expect(show(`${id}::coin::Coin`)).toBe('coin::Coin of the Sui framework');
});

test('the name of a listing is quoted, and letters in it that look like others are marked', () => {
  const shown = render(html`${typeName(`${stranger}::pool::Pool`, names)}`);
  expect(shown).toContain('“');
  expect(shown).toContain('class="odd"');
  expect(shown).toContain(`<code title="${stranger}::pool::Pool">`);
});

test('a hostile text costs time in proportion to its length, and stays whole', () => {
  const text = `${stranger}::a::B<`.repeat(5_000);
  const pieces = splitTypes(text);
  expect(pieces.map((piece) => (typeof piece === 'string' ? piece : piece.type)).join('')).toBe(text);
  expect(nameType(`0x2::a::${'B'.repeat(500)}`)).toHaveLength(80);
});
