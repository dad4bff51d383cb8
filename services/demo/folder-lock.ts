import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { makeFolder } from '@adaptor-marketplace/localnet/internal/make-folder';
import { FatalError } from '../../lib/errors/index.ts';

/**
 * Takes the data folder for this process alone, and makes it when missing. The lock is SQLite's, so that the
 * kernel frees it however the process ends.
 * @throws FatalError `data_dir_in_use`
 */
export function lockFolder(dataDir: string): { release(): void } {
  makeFolder(dataDir);
  const file = new DatabaseSync(join(dataDir, 'localnet.lock'));
  try {
    file.exec('BEGIN EXCLUSIVE');
  } catch (error) {
    file.close();
    const reason = `DATA_DIR: another process runs its local network in ${dataDir}. Stop that, or set another DATA_DIR.`;
    throw new FatalError('data_dir_in_use', reason, { cause: error });
  }
  return { release: () => file.close() };
}
