import { expect, test } from 'vitest';
import { hostMark, renderMarkdown } from './markdown.ts';

const pages = new Map([
  ['docs/a.md', '/docs/a'],
  ['README.md', '/docs/project'],
  ['docs/picture.svg', '/docs/picture.svg'],
]);
const shown = (markdown: string) => renderMarkdown({ path: 'docs/b.md', markdown }, pages);

test('links between documents lead to their pages, and others to nowhere', () => {
  const body = shown(
    '# B\n\n[a](a.md#part) [r](../README.md) [x](../lib/x.ts) [s](javascript:alert(1)) ![p](picture.svg)',
  ).renderBody();
  expect(body).toContain('<a href="/docs/a#part">a</a>');
  expect(body).toContain('<a href="/docs/project">r</a>');
  expect(body).toContain('<a>x</a>');
  expect(body).not.toContain('href="javascript');
  expect(body).toContain('src="/docs/picture.svg"');
});

test('headings have the anchors that links between documents use', () => {
  const { renderBody, parts } = shown('# Read `_meta`, and more\n\ntext');
  expect(renderBody()).toContain('<h1 id="read-_meta-and-more">');
  expect(parts.map(({ heading }) => heading)).toEqual(['Read _meta, and more']);
});

test('headings of the same words have anchors of their own', () => {
  const { parts } = shown('# A\n\n## B\n\n## B\n');
  expect(parts.map(({ href }) => href)).toEqual(['#a', '#b', '#b-1']);
});

test('a program has its colors and a button to copy it, and nothing in it is HTML', () => {
  const body = shown("# A\n\n```sh\ncurl {base_url}/api '<b>'\n```\n").renderBody();
  expect(body).toContain('class="t-s"');
  expect(body).toContain('title="Copy code"');
  expect(body).toContain(`${hostMark}/api`);
  expect(body).not.toContain('<b>');
});

test('a diagram is its drawing, with its source as text, and one without a drawing is its source', () => {
  const markdown = '# A\n\n```mermaid\nflowchart TB\n  a --> b\n```\n';
  const draw = (source: string) => (source.startsWith('flowchart') ? '<svg role="img"></svg>' : undefined);
  const body = renderMarkdown({ path: 'docs/b.md', markdown }, pages, draw).renderBody();
  expect(body).toContain('<svg role="img"></svg>');
  expect(body).toContain('a --> b');
  expect(shown(markdown).renderBody()).not.toContain('<svg role');
});

test('a column without a name has no empty header', () => {
  const body = shown('# A\n\n| a | |\n|---|---|\n| b | c |\n').renderBody();
  expect(body).toContain('<th>a</th>');
  expect(body).not.toContain('<th></th>');
});
