import { messageOf } from '@adaptor-marketplace/adaptor';
import { drizzle, type NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Logger } from '../lib/log/index.ts';
import * as schema from './schema/index.ts';

/** A pool of connections, and drizzle over it. */
export interface Database {
  /** For `listen`, which needs a connection of its own. */
  url: string;
  pool: pg.Pool;
  orm: NodePgDatabase<typeof schema>;
  close(): Promise<void>;
}

interface DatabaseOptions {
  /** Most connections at once. */
  max: number;
  /** Shown in `pg_stat_activity`. */
  name?: string;
  /** A statement that takes longer is cancelled by the server; absent: none is. */
  statementTimeoutMs?: number;
  log?: Logger;
}

/**
 * Opens no connection until the first query. `bigint` columns come as numbers (all of them are below 2^53;
 * amounts are `numeric` and come as strings).
 */
export function openDatabase(url: string, options: DatabaseOptions): Database {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max,
    application_name: options.name ?? 'adaptor-marketplace',
    connectionTimeoutMillis: 10_000,
    statement_timeout: options.statementTimeoutMs,
    types: { getTypeParser },
  });
  // Without listeners, a connection that breaks would end the process: one in the pool, and one in hand between
  // two queries, of which the second says so.
  pool.on('error', (error) => options.log?.debug({ reason: messageOf(error) }, 'an idle connection broke'));
  pool.on('connect', (client) => client.on('error', () => undefined));
  return { url, pool, orm: drizzle(pool, { schema }), close: () => pool.end() };
}

const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') =>
  oid === pg.types.builtins.INT8 ? Number : pg.types.getTypeParser(oid, format);
