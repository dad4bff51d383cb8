import { fileURLToPath } from 'node:url';
import { drizzle } from 'drizzle-orm/node-postgres';
import { migrate } from 'drizzle-orm/node-postgres/migrator';
import type { Database } from './client.ts';
import { applyViews } from './views/apply.ts';

const migrationsFolder = fileURLToPath(new URL('./migrations', import.meta.url));

/** Of the advisory lock: any number that nothing else in the database uses. */
const migrationLock = 7_264_001;

/** Brings the schema and the analysts' views up to date. Roles that start together take turns, and the later ones find nothing to do. */
export async function migrateDatabase({ pool }: Pick<Database, 'pool'>): Promise<void> {
  const client = await pool.connect();
  try {
    await client.query('select pg_advisory_lock($1)', [migrationLock]);
    try {
      await migrate(drizzle(client), { migrationsFolder });
      await applyViews(client);
    } finally {
      await client.query('select pg_advisory_unlock($1)', [migrationLock]);
    }
  } finally {
    client.release();
  }
}
