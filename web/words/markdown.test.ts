import { expect, test } from 'vitest';
import { renderMarkdown } from './markdown.ts';
import { searchDocuments } from './search.ts';

const pages = new Map([
  ['docs/a.md', '/docs/a'],
  ['README.md', '/docs/project'],
  ['docs/picture.svg', '/docs/picture.svg'],
]);
const shown = (markdown: string) => renderMarkdown({ path: 'docs/b.md', markdown }, pages);

test('links between documents lead to their pages, and others to nowhere', () => {
  const { body } = shown(
    '# B\n\n[a](a.md#part) [r](../README.md) [x](../lib/x.ts) [s](javascript:alert(1)) ![p](picture.svg)',
  );
  expect(body).toContain('<a href="/docs/a#part">a</a>');
  expect(body).toContain('<a href="/docs/project">r</a>');
  expect(body).toContain('<a>x</a>');
  expect(body).not.toContain('href="javascript');
  expect(body).toContain('src="/docs/picture.svg"');
});

test('headings have the anchors that links between documents use', () => {
  const { body, parts } = shown('# Read `_meta`, and more\n\ntext');
  expect(body).toContain('<h1 id="read-_meta-and-more">');
  expect(parts.map(({ heading }) => heading)).toEqual(['Read _meta, and more']);
});

test('a search finds the part that has all words, those in headings first', () => {
  const documents = [
    shown('# One\n\nKeys of the API.\n\n## Limits\n\nNothing.'),
    shown('# API keys\n\nHow to get one.'),
  ];
  expect(searchDocuments(documents, 'keys api').map(({ heading }) => heading)).toEqual(['API keys', 'One']);
  expect(searchDocuments(documents, 'keys nothing')).toEqual([]);
  expect(searchDocuments(documents, ' ')).toEqual([]);
});
