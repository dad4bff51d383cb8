import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { makeFolder } from './make-folder.ts';

test('what is missing is made, and what is there stays', () => {
  const dir = mkdtempSync(join(tmpdir(), 'make-folder-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const deep = join(dir, 'a/b/c');
  makeFolder(deep, 0o700);
  makeFolder(deep);
  expect(statSync(deep).mode & 0o777).toBe(0o700);
});

test.each([
  ['of a file', import.meta.filename],
  ['below a file', join(import.meta.filename, 'a/b')],
  ['where no folder can be made', '/proc/a/b'],
])('the path %s is refused by its name', (_where, path) => {
  expect(() => makeFolder(path)).toThrow(expect.objectContaining({ path: expect.stringMatching(/^\//) }));
});
