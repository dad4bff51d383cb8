import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { replaceFile } from './replace-file.ts';

test('a file is replaced by another that is complete, with its mode, and nothing is left beside it', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'replace-file-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'record.json');
  await replaceFile(path, 'earlier');
  const before = statSync(path).ino;
  await replaceFile(path, 'later', 0o600);
  expect(readFileSync(path, 'utf8')).toBe('later');
  expect(statSync(path).mode & 0o777).toBe(0o600);
  expect(statSync(path).ino).not.toBe(before);
  expect(readdirSync(dir)).toEqual(['record.json']);
  await expect(replaceFile(join(dir, 'absent', 'record.json'), 'text')).rejects.toThrow(/ENOENT/);
});
