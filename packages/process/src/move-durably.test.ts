import { mkdirSync, mkdtempSync, readlinkSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { moveDurably } from './move-durably.ts';
import { replaceFile } from './replace-file.ts';

/** Paths in the order of their syncs. Only Linux shows the path of an open file. */
let synced: string[];
let dir: string;
beforeEach(async () => {
  synced = [];
  dir = realpathSync(mkdtempSync(join(tmpdir(), 'move-durably-')));
  onTestFinished(() => rmSync(dir, { recursive: true }));
  await using opened = await open(dir);
  const handles: FileHandle = Object.getPrototypeOf(opened);
  const { sync } = handles;
  vi.spyOn(handles, 'sync').mockImplementation(async function (this: FileHandle) {
    synced.push(readlinkSync(`/proc/self/fd/${this.fd}`));
    await sync.call(this);
  });
});
afterEach(() => vi.restoreAllMocks());

test('a file that was moved to a new folder has its name after a power loss', async () => {
  mkdirSync(join(dir, 'a/b'), { recursive: true });
  writeFileSync(join(dir, 'part'), 'text');
  await moveDurably(join(dir, 'part'), join(dir, 'a/b/whole'), `${dir}/`);
  expect(synced).toEqual([join(dir, 'a/b'), join(dir, 'a'), dir]);
});

test('a file that was replaced stays replaced after a power loss', async () => {
  await replaceFile(join(dir, 'record'), 'text');
  expect(synced).toEqual([expect.stringContaining(join(dir, 'record.')), dir]);
});
