import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

test('Drizzle is loaded as CommonJS alone: its ES modules slow down each start', () => {
  const files = globSync('{bench,db,graphql,lib,services,test,web}/**/*.ts', { cwd: root });
  expect(files.length).toBeGreaterThan(1_000);
  const loading = files.filter((file) =>
    /^import (?!type\b)[^;]* from 'drizzle-orm/m.test(readFileSync(join(root, file), 'utf8')),
  );
  expect(loading).toEqual([]);
});
