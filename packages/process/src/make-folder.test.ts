import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
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
  expect(readdirSync(deep)).toEqual([]);
});

test.each([
  ['of a file', import.meta.filename],
  ['below a file', join(import.meta.filename, 'a/b')],
  ['where no folder can be made', '/proc/a/b'],
])('the path %s is refused by its name', (_where, path) => {
  expect(() => makeFolder(path)).toThrow(expect.objectContaining({ path: expect.stringMatching(/^\//) }));
});

test('a folder that is there and cannot be written in is refused by its name', () => {
  const dir = mkdtempSync(join(tmpdir(), 'make-folder-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  chmodSync(dir, 0o555);
  const root = process.geteuid?.() === 0;
  // Permissions do not restrict root.
  if (root) process.seteuid?.(65_534);
  try {
    expect(() => makeFolder(dir)).toThrow(
      expect.objectContaining({ code: 'EACCES', path: expect.stringContaining(dir) }),
    );
  } finally {
    if (root) process.seteuid?.(0);
  }
});
