import { DatabaseSync } from 'node:sqlite';

const sqliteBusy = 5;

/** Another process has the lock. */
export class FileLockedError extends Error {
  override name = 'FileLockedError';
}

/**
 * Locks a file for this process, and makes it if it is missing. The lock is SQLite's, so that the kernel releases it however
 * the process ends.
 *
 * @throws FileLockedError if another process has it; SQLite's error if the file cannot be opened or written
 */
export function lockFile(path: string): { release(): void } {
  let file: DatabaseSync | undefined;
  try {
    file = new DatabaseSync(path);
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file?.close();
    const { errcode, message } = error as Error & { errcode?: number };
    throw errcode === sqliteBusy ? new FileLockedError(`${path}: ${message}`, { cause: error }) : error;
  }
  return { release: () => file.close() };
}
