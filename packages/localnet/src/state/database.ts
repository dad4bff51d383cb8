import { DatabaseSync } from 'node:sqlite';
import { messageOf, StateError } from '../internal/errors.ts';
import { applicationId, schema, schemaVersion } from './schema.ts';

/**
 * Opens the state file, or makes it. `:memory:` keeps everything in the process.
 *
 * Write-ahead logging with `synchronous = NORMAL`: a process killed at any moment leaves what its last
 * committed transaction left; a machine that loses power may lose the newest ones, never their consistency.
 *
 * @throws StateError `localnet_state_locked` when another process has it open, `localnet_state_invalid` when
 *   the file is not a state of a local network, damaged, or of another version.
 */
export function openDatabase(path: string): DatabaseSync {
  const database = openFile(path);
  try {
    database.exec('PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL');
    database.exec(`PRAGMA wal_autocheckpoint = ${logPages}; PRAGMA cache_size = -${cacheKib}`);
    prepareSchema(database);
    return database;
  } catch (error) {
    database.close();
    throw refusal(path, error);
  }
}

/** The log goes into the file when it has this many pages (16 MB): most pages change many times before. */
const logPages = 4_000;

/** Pages in memory: ids are random, so that each write is in another page of every index. */
const cacheKib = 32 * 1024;

/** Runs `work` in one SQLite transaction: all of its writes are kept, or none. Within another it joins that one. */
export function atomically<Result>(database: DatabaseSync, work: () => Result): Result {
  if (database.isTransaction) return work();
  database.exec('BEGIN IMMEDIATE');
  try {
    const result = work();
    database.exec('COMMIT');
    return result;
  } catch (error) {
    // Some errors (a full disk) have rolled it back already.
    if (database.isTransaction) database.exec('ROLLBACK');
    throw error;
  }
}

function openFile(path: string): DatabaseSync {
  try {
    return new DatabaseSync(path);
  } catch (error) {
    throw refusal(path, error);
  }
}

function prepareSchema(database: DatabaseSync): void {
  if (isEmpty(database)) {
    atomically(database, () => {
      database.exec(
        `${schema} PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${schemaVersion}`,
      );
    });
    return;
  }
  const found = pragma(database, 'application_id').application_id;
  if (found !== applicationId) throw new Error('it is a database of another program');
  const version = pragma(database, 'user_version').user_version;
  if (version !== schemaVersion) {
    throw new Error(`its layout has version ${version}, this program reads version ${schemaVersion}`);
  }
  const check = pragma(database, 'quick_check(1)').quick_check;
  if (check !== 'ok') throw new Error(`it is damaged: ${check}`);
}

function isEmpty(database: DatabaseSync): boolean {
  return database.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() === undefined;
}

function pragma(database: DatabaseSync, name: string): Record<string, unknown> {
  return { ...database.prepare(`PRAGMA ${name}`).get() };
}

function refusal(path: string, error: unknown): StateError {
  const message = messageOf(error);
  if (/locked|busy/i.test(message)) {
    return new StateError(
      'localnet_state_locked',
      `${path} is in use by another process. Stop that one, or take another folder.`,
      { cause: error },
    );
  }
  return new StateError(
    'localnet_state_invalid',
    `${path} cannot be used as the state of a local network: ${message}. Move it away to start a new one.`,
    { cause: error },
  );
}
