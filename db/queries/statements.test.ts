import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** The names of prepared statements in the source. A part that varies is written as `${…}`. */
const names = globSync('{db,graphql,lib,services}/**/*.ts', { cwd: root })
  .filter((path) => !path.endsWith('.test.ts'))
  .flatMap((path) => {
    const source = readFileSync(join(root, path), 'utf8');
    return [...source.matchAll(/\bname: (['`])(.+)\1,\s+(?:\/\/.*\s+)*text:/g)].map(([, , name]) => name!);
  });

test('prepared statements have names in one style', () => {
  expect(names.length).toBeGreaterThan(60);
  for (const name of names) expect(name.replaceAll(/\$\{.+?\}/g, 'x')).toMatch(/^[a-z0-9]+(-[a-z0-9]+)*$/);
});

test('no two prepared statements of a process have the same name', () => {
  // pg refuses a name that it has prepared with another text on the same connection.
  expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
});
