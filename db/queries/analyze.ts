import type { Queryable } from './queryable.ts';

/**
 * Samples the rows of tables that fill fast. Without it the planner expects the rows of a small table in them, and keeps the
 * plans of an empty one, until autovacuum has come by.
 */
export async function analyzeTables(db: Queryable, tables: readonly string[]): Promise<void> {
  await db.query(`analyze ${tables.join(', ')}`);
}
