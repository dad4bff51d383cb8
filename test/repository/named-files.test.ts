import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const read = (path: string) => readFileSync(join(root, path), 'utf8');

/** The documents that describe the present; the changelog also names what is gone. */
const documents = globSync(
  ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'docs/**/*.md', 'move/**/README.md', 'bench/README.md'],
  {
    cwd: root,
  },
);

const folders = 'bench|db|deploy|docs|graphql|lib|move|packages|services|test|web';
const quotedPath = new RegExp(`\`((?:${folders})/[\\w./*-]+)\``, 'g');
/** A stop of a walk: a file, and a name that it declares. */
const stop = /`([\w./-]+\.ts)`,?\s+`(\w+)`/g;

const architecture = read('docs/architecture.md');
const section = (title: string) =>
  new RegExp(`^## ${title}$(.*?)(?=^## |$(?![\\s\\S]))`, 'ms').exec(architecture)![1]!;

const parseStops = (markdown: string) =>
  [...markdown.matchAll(stop)].map(([, path, name]) => ({ path: path!, name: name! }));

/** `true` if the source declares the name at its top level, or as a method or a property of an object. */
function declares(source: string, name: string): boolean {
  const declared = `^(?:export )?(?:async )?(?:function\\*? |const |let |class |interface |type )${name}\\b`;
  const member = `^ +(?:static |async |readonly )*\\*?${name}(?:<[^>]*>)?\\(`;
  return new RegExp(`${declared}|${member}`, 'm').test(source);
}

test.each(documents)('every path that %s names exists', (document) => {
  const named = [...read(document).matchAll(quotedPath)].map(([, path]) => path!.replace(/[.]$/, ''));
  const missing = named.filter((path) => globSync(path, { cwd: root }).length === 0);
  expect(missing).toEqual([]);
});

describe('docs/architecture.md', () => {
  const walks = section('Four walks')
    .split(/^### /m)
    .slice(1)
    .map((text) => {
      const [title, ...lines] = text.split('\n');
      return { title: title!, steps: lines.filter((line) => /^\d+\. /.test(line)), text };
    });

  test('walks four ways through the code', () => {
    expect(walks.map(({ title }) => title)).toHaveLength(4);
  });

  test.each(walks)('$title: each stop names a file and a function that it has', ({ steps, text }) => {
    expect(steps.length).toBeGreaterThanOrEqual(5);
    expect(steps.filter((step) => parseStops(step).length === 0)).toEqual([]);
    const lost = parseStops(text).filter(
      ({ path, name }) => !existsSync(join(root, path)) || !declares(read(path), name),
    );
    expect(lost).toEqual([]);
  });

  test('answers where things are with a file and a function that it has', () => {
    const rows = section('Where to find it')
      .split('\n')
      .filter((line) => /^\| [^|-]/.test(line))
      .slice(1);
    expect(rows.length).toBeGreaterThanOrEqual(6);
    expect(rows.filter((row) => parseStops(row).length === 0)).toEqual([]);
    const lost = rows
      .flatMap(parseStops)
      .filter(({ path, name }) => !existsSync(join(root, path)) || !declares(read(path), name));
    expect(lost).toEqual([]);
  });
});

test('a function is found where it is declared, and not where it is only called', () => {
  expect(declares('export async function follow(', 'follow')).toBe(true);
  expect(declares('class A {\n  async sign(one: Two): Promise<void> {', 'sign')).toBe(true);
  expect(declares('export const catalog = {', 'catalog')).toBe(true);
  expect(declares('import { follow } from "./x.ts";\nconst a = follow(1);', 'follow')).toBe(false);
});

test('every test that docs/security.md quotes has such a title', () => {
  const quoted = [
    ...read('docs/security.md').matchAll(/`(test\/[\w./-]+|services\/[\w./-]+)\.test\.ts`: \*([^*]+)\*/g),
  ];
  expect(quoted.length).toBeGreaterThan(10);
  const plain = (text: string) => text.replace(/[\\'’]/g, '');
  const lost = quoted.filter(([, path, title]) => {
    const file = `${path}.test.ts`;
    return !existsSync(join(root, file)) || !plain(read(file)).includes(plain(title!));
  });
  expect(lost.map(([found]) => found)).toEqual([]);
});
