import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
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

test('a file that cannot be replaced leaves nothing beside it, which would fill a full disk', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'replace-file-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  mkdirSync(join(dir, 'folder/content'), { recursive: true });
  await expect(replaceFile(join(dir, 'folder'), 'text')).rejects.toThrow();
  expect(readdirSync(dir)).toEqual(['folder']);
});

test('concurrent calls for one file leave the text of one of them', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'replace-file-'));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  const path = join(dir, 'record.json');
  const texts = Array.from({ length: 8 }, (_, at) => String(at).repeat(1_000));
  await Promise.all(texts.map((text) => replaceFile(path, text)));
  expect(texts).toContain(readFileSync(path, 'utf8'));
  expect(readdirSync(dir)).toEqual(['record.json']);
});
