import { expect, test } from 'vitest';
import { renderMarkdown } from './markdown.ts';

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
