import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * Makes a writable folder and its missing parents, with `mode` if it is set.
 *
 * @throws the system's error, with the path that could not be made or written
 */
export function makeFolder(path: string, mode?: number): void {
  const folder = resolve(path);
  make(folder, mode);
  // The first write may come from a library whose error names no path, such as SQLite or initdb.
  const probe = join(folder, `.writable-${randomBytes(6).toString('hex')}`);
  writeFileSync(probe, '', { flag: 'wx' });
  rmSync(probe);
}

function make(folder: string, mode?: number): void {
  // Node's own recursion never ends in an existing folder that refuses new ones, such as /proc.
  if (dirname(folder) !== folder && !isFolder(dirname(folder))) make(dirname(folder), mode);
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
