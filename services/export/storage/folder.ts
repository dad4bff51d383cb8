import { mkdirSync } from 'node:fs';
import { open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  FileLockedError,
  lockFile,
  makeFolder,
  moveDurably,
  replaceFile,
} from '@adaptor-marketplace/process';
import { FatalError } from '../../../lib/errors/index.ts';
import { type ExportStorage, recordName } from './storage.ts';

/**
 * Opens a folder for an export, and makes it if it is missing.
 * @throws FatalError `export_running` if another process has it
 */
export function openFolder(folder: string): ExportStorage {
  makeFolder(folder);
  const { release } = lock(folder);
  const record = join(folder, recordName);
  const locatePartial = (name: string) => join(folder, `${name}.partial`);
  return {
    address: folder,
    async readRecord() {
      try {
        return await readFile(record, 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
        return undefined;
      }
    },
    writeRecord: (text) => replaceFile(record, text),
    stage(name) {
      const path = locatePartial(name);
      mkdirSync(dirname(path), { recursive: true });
      return path;
    },
    async store(name) {
      await using file = await open(locatePartial(name), 'r+');
      await file.sync();
      await moveDurably(locatePartial(name), join(folder, name), folder);
    },
    async [Symbol.asyncDispose]() {
      release();
    },
  };
}

function lock(folder: string): { release(): void } {
  try {
    return lockFile(join(folder, 'export.lock'));
  } catch (error) {
    if (!(error instanceof FileLockedError)) throw error;
    throw new FatalError('export_running', `Another process exports to ${folder}.`, { cause: error });
  }
}
