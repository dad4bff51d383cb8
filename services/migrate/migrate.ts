import type { Pool } from 'pg';
import type { Database } from '../../db/client.ts';
import { hasPendingMigrations, migrateDatabase } from '../../db/migrate.ts';
import { FatalError } from '../../lib/errors/index.ts';

/** Names of the connections that roles hold while they run, by the role they show. */
const roleConnections = {
  'adaptor-marketplace listen': 'gateway or dispatcher',
  agent: 'agent',
  'agent worker': 'agent',
  dispatcher: 'dispatcher',
  gateway: 'gateway',
  indexer: 'indexer',
  tools: 'tools',
} as const;

/**
 * Migrates the database for a version that starts afterwards. A change of the schema waits until the roles of the
 * earlier version have stopped.
 * @param folder of the migrations, if they are not those of this version
 * @throws FatalError `roles_running`, or the code of `migrateDatabase`
 */
export async function migrateStopped(db: Pick<Database, 'sessions'>, folder?: string): Promise<void> {
  const running = (await hasPendingMigrations(db.sessions, folder))
    ? await findRunningRoles(db.sessions)
    : [];
  if (running.length > 0) {
    throw new FatalError(
      'roles_running',
      `The new version changes the database, and roles of the earlier one run: ${running.join(', ')}. ` +
        'Stop them first (docs/operations.md, "Upgrade and downgrade").',
    );
  }
  await migrateDatabase(db, folder);
}

/** Returns the roles that are connected to the database, in words. */
export async function findRunningRoles(pool: Pool): Promise<string[]> {
  const { rows } = await pool.query<{ name: keyof typeof roleConnections }>(
    `select distinct application_name as name from pg_stat_activity
      where datname = current_database() and application_name = any($1)`,
    [Object.keys(roleConnections)],
  );
  return [...new Set(rows.map(({ name }) => roleConnections[name]))].sort();
}
