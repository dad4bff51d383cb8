import { randomBytes } from 'node:crypto';
import { mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/**
 * Makes a folder to write in and those above it that are missing, with `mode` where given.
 *
 * @throws the system's error, which has the path that could not be made or written.
 */
export function makeFolder(path: string, mode?: number): void {
  const folder = resolve(path);
  make(folder, mode);
  // What writes here first may be a library whose error names no path, such as SQLite or initdb.
  const probe = join(folder, `.writable-${randomBytes(6).toString('hex')}`);
  writeFileSync(probe, '', { flag: 'wx' });
  rmSync(probe);
}

function make(folder: string, mode?: number): void {
  // Node's own recursion never ends where a folder exists and takes no other, as /proc does.
  if (dirname(folder) !== folder && !isFolder(dirname(folder))) make(dirname(folder), mode);
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
