import { expect, test } from 'vitest';
import { render } from './html.ts';
import { strangersLink } from './links.ts';
import { plain, plainBlock, visibleJson } from './plain.ts';

const shown = (text: string) => render(plain(text));

test('a block keeps its lines and columns, and marks what deceives', () => {
  const text = 'error[E03002]: unbound module\n  12 |     use x::y;\n     |\t    ^ \u202e';
  const block = render(plainBlock(text));
  expect(block.replace(/<[^>]+>/g, '')).toBe(text.replace('\u202e', '[U+202E]'));
});

test('markup of a stranger is text', () => {
  expect(shown('</bdi><script>alert(1)</script>')).toBe(
    '<bdi>&lt;/bdi>&lt;script>alert(1)&lt;/script></bdi>',
  );
});

test.each([
  ['a change of direction', 'Reef\u202eetsil', 'U+202E'],
  ['an invisible space', 'Re\u200bef', 'U+200B'],
  ['a control character', 'Re\u0007ef', 'U+0007'],
])('%s is shown by its number', (_, text, code) => {
  expect(shown(text)).toContain(`>[${code}]</span>`);
});

test.each([
  ['Cyrillic letters for Latin ones', 'Сосо'],
  ['one Greek letter in a Latin word', 'Pivοt'],
  ['mathematical letters', '𝔭𝒶𝕪𝕡𝕒ℓ'],
])('%s are marked', (_, text) => {
  expect(shown(text)).toContain('class="odd"');
});

test.each(['Reef Vault', 'Café Zürich', '日本', 'Добро пожаловать', 'Vault ❤️ 100 %'])(
  '%s is not marked',
  (text) => {
    expect(shown(text)).toBe(`<bdi>${text}</bdi>`);
  },
);

test.each([
  'http://a.example/',
  'javascript:alert(1)',
  'https://user@a.example/',
  'https://:password@a.example/',
  'data:text/html,x',
  'no url',
])('a link to %s of a stranger is not shown', (url) =>
  expect(render(strangersLink(url, 'Documentation'))).toBe(''),
);

test('a link of a stranger gives nothing to where it leads, and names its host', () => {
  const link = render(strangersLink('https://docs.example/a?b=1', 'Documentation'));
  expect(link).toContain('rel="noopener nofollow ugc noreferrer"');
  expect(link).toContain('docs.example</span>');
});

test('JSON shows what cannot be seen, and means the same', () => {
  const value = { a: 'Reef\u202eetsil', b: 'x\u{e0041}\u200b', c: ['line\nbreak', 'Café ❤️'] };
  const shown = visibleJson(JSON.stringify(value));
  expect(shown).toContain('"a": "Reef\\u202eetsil"');
  expect(shown).toContain('\\udb40\\udc41\\u200b');
  expect(shown).toContain('Café ❤️');
  expect(shown).not.toMatch(/[\u202e\u200b]/);
  expect(JSON.parse(shown)).toEqual(value);
});
