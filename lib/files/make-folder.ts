import { mkdirSync, statSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

/**
 * Makes a folder and those above it that are missing, with `mode` where given.
 *
 * @throws the system's error, which has the path that could not be made.
 */
export function makeFolder(path: string, mode?: number): void {
  const folder = resolve(path);
  // Node's own recursion never ends where a folder exists and takes no other, as /proc does.
  if (dirname(folder) !== folder && !isFolder(dirname(folder))) makeFolder(dirname(folder), mode);
  try {
    mkdirSync(folder, mode);
  } catch (error) {
    if (!isFolder(folder)) throw error;
  }
}

const isFolder = (path: string) => statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
