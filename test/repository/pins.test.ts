import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');
const readJson = async (file: string) => JSON.parse(await readFile(join(root, file), 'utf8'));
const exact = /^\d+\.\d+\.\d+(-[\w.]+)?$/;

test('the repository depends on exact versions, which the lock file has', async () => {
  const [{ dependencies, devDependencies, optionalDependencies }, lock] = await Promise.all([
    readJson('package.json'),
    readJson('package-lock.json'),
  ]);
  const own = lock.packages[''];
  const named: Record<string, string> = { ...dependencies, ...devDependencies, ...optionalDependencies };
  for (const [name, version] of Object.entries(named))
    expect([name, version]).toEqual([name, expect.stringMatching(exact)]);
  expect([own.dependencies, own.devDependencies]).toEqual([dependencies, devDependencies]);
});

test('a workflow uses actions by their commit, which nobody can move', async () => {
  const folder = join(root, '.github/workflows');
  for (const file of await readdir(folder)) {
    const text = await readFile(join(folder, file), 'utf8');
    const uses = [...text.matchAll(/uses: (\S+)/g)].map(([, action]) => action);
    for (const action of uses) expect(action).toMatch(/^[\w./-]+@[0-9a-f]{40}$/);
  }
});
