import { Redis } from 'ioredis';
import { inject, onTestFinished } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import type { SourceName } from '../../lib/config/networks.ts';
import { type CreatedDatabase, createDatabaseOn } from './database-on.ts';
import { eventually } from './eventually.ts';
import { useForFile } from './use-for-file.ts';

/** A new empty database on the server of the test run. */
export function createDatabase(): Promise<CreatedDatabase> {
  return createDatabaseOn(inject('postgresUrl'));
}

/** A new migrated database on the server of the test run. */
export function createMigratedDatabase(): Promise<CreatedDatabase> {
  return createDatabaseOn(inject('postgresUrl'), inject('migratedDatabase'));
}

/** URL of an empty Redis database that no other test file uses at the same time. */
export async function redisDatabase(): Promise<string> {
  const url = new URL(inject('redisUrl'));
  // A Redis server has sixteen databases by default. Vitest runs as many workers as there are processors.
  url.pathname = `/${Number(process.env.VITEST_POOL_ID ?? 0) % 16}`;
  const client = new Redis(url.href);
  await client.flushdb();
  client.disconnect();
  return url.href;
}

/** A new migrated database with connections to it. It is dropped when it is closed. */
export async function openTestDatabase(): Promise<Database> {
  const created = await createMigratedDatabase();
  const db = openDatabase(created.url, { max: 16 });
  const close = async () => {
    await db.close();
    await created.drop();
  };
  return { ...db, close };
}

/** A new migrated database for the tests of the file, or of the suite. */
export const useTestDatabase = (): Database => useForFile(openTestDatabase);

/**
 * A new migrated database for the running test. It is dropped after everything that the test closes with
 * `onTestFinished`.
 */
export async function createTestDatabase(): Promise<Database> {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  return db;
}

interface SourceRow {
  checkpoint: number;
  event_count: number;
  undecoded_count: number;
  last_error: string | null;
  unsettled_from: number | null;
  stopped_at: Date | null;
  removed_at: Date | null;
  chain_id: string;
  cursor_provider: string | null;
}

export async function sourceRow(
  { pool }: Database,
  name: SourceName = 'registry',
): Promise<SourceRow | undefined> {
  return (await pool.query<SourceRow>('select * from sources where name = $1', [name])).rows[0];
}

/** Resolves when these sources have covered the checkpoint and have nothing left to settle. */
export async function indexedTo(
  db: Database,
  checkpoint: number,
  names: readonly SourceName[] = ['registry'],
): Promise<void> {
  await eventually(async () => {
    for (const name of names) {
      const row = await sourceRow(db, name);
      const settled = row?.unsettled_from === null;
      if (!settled || row.checkpoint < checkpoint)
        throw new Error(`${name} is not at ${checkpoint}: ${JSON.stringify(row)}`);
    }
  });
}
