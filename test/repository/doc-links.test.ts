import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { describe, expect, test } from 'vitest';
import { buildAnchor } from '../../web/words/markdown.ts';

const root = join(import.meta.dirname, '../..');
const files = globSync('**/*.md', {
  cwd: root,
  exclude: ['**/node_modules', '.data'],
});
const read = (file: string) => readFileSync(join(root, file), 'utf8');
const withoutCode = (markdown: string) => markdown.replace(/^```.*?^```/gms, '').replace(/`[^`\n]*`/g, '``');

/** The anchors that a hosted page of the file has. */
function listAnchors(file: string): Set<string> {
  const headings = [...read(file).matchAll(/^#{1,6} (.+)$/gm)].map(([, text]) => text!);
  return new Set(headings.map((text) => buildAnchor(text.replace(/\[([^\]]*)\]\([^)]*\)/g, '$1'))));
}

/** The links of a file that lead to no file of the repository, or to no heading of it. */
function brokenLinks(file: string): string[] {
  const links = [...withoutCode(read(file)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!);
  return links.filter((link) => {
    if (/^[a-z]+:/.test(link)) return false;
    const [path, anchor] = link.split('#') as [string, string?];
    const target = path === '' ? join(root, file) : join(root, dirname(file), path);
    if (relative(root, target).startsWith('../..') || !existsSync(target)) return true;
    if (anchor === undefined) return false;
    return !statSync(target).isFile() || !listAnchors(relative(root, target)).has(anchor);
  });
}

test('every link between documents leads to a file, and to a heading of it', () => {
  expect(files.length).toBeGreaterThan(30);
  const broken = files.flatMap((file) => brokenLinks(file).map((link) => `${file}: ${link}`));
  expect(broken).toEqual([]);
});

describe('decision records', () => {
  const folder = 'docs/decisions';
  const records = files.filter((file) => /^docs\/decisions\/\d{4}-[a-z0-9-]+\.md$/.test(file)).toSorted();

  test('have consecutive numbers, and are all in the index under their titles', () => {
    const index = read(`${folder}/README.md`);
    expect(records.length).toBeGreaterThanOrEqual(12);
    for (const [at, record] of records.entries()) {
      const name = relative(folder, record);
      const number = String(at + 1).padStart(4, '0');
      const [, titled, title] = /^# (\d{4}): (.+)\n/.exec(read(record))!;
      expect([name.slice(0, 4), titled]).toEqual([number, number]);
      expect(index).toContain(`| [${number}](${name}) | ${title} |`);
    }
  });

  test.each(records)('%s has a status, a context, a decision and consequences', (record) => {
    const text = read(record);
    expect(text).toMatch(/^- Status: (accepted, \d{4}-\d{2}-\d{2}|superseded by \d{4})$/m);
    expect([...text.matchAll(/^## (.+)$/gm)].map(([, heading]) => heading)).toEqual([
      'Context',
      'Decision',
      'Consequences',
    ]);
    expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(50);
  });
});
