import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { NodePgDatabase } from 'drizzle-orm/node-postgres';
import pg from 'pg';
import type { Logger } from '../lib/log/index.ts';
import { drizzle } from './orm/drizzle.ts';
import * as schema from './schema/index.ts';
import { numericArray, parseTextArray, textArray } from './text-array.ts';

/** A database behind a pooler that gives each transaction any of its connections, as PgBouncer does. */
interface PooledAddress {
  url: string;
  /** Url of the server without the pooler. */
  directUrl: string;
  pooler: Pooler;
}

export type DatabaseAddress = string | PooledAddress;

interface Pooler {
  /** `true` if the pooler prepares named statements on each connection that executes them. */
  prepares: boolean;
}

/** Pools of connections to a database, and drizzle over `pool`. */
export interface Database {
  /** Url of connections that keep their session. `listen` opens a connection of its own with it. */
  directUrl: string;
  pool: pg.Pool;
  /** Connections that keep their session, for locks that outlast a transaction. The same pool without a pooler. */
  sessions: pg.Pool;
  orm: NodePgDatabase<typeof schema>;
  close(): Promise<void>;
}

export interface DatabaseOptions {
  /** Maximum number of connections of each pool. */
  max: number;
  /** Shown in `pg_stat_activity`. */
  name?: string;
  /** The server cancels a statement that takes longer. Absent: no limit. */
  statementTimeoutMs?: number;
  /**
   * `true` to send a statement before the earlier ones on its connection are answered. `COPY` and cursors do not work on
   * such connections.
   */
  pipeline?: boolean;
  /** Default: 10 s. */
  connectTimeoutMs?: number;
  /** A statement without an answer after this time fails, and its connection closes. Absent: no limit. */
  queryTimeoutMs?: number;
  /** Pooler that the url leads to, if no statement needs a session. */
  pooler?: Pooler | undefined;
  log?: Logger;
}

/**
 * Opens no connection until the first query. `bigint` columns come as numbers (all of them are below 2^53;
 * amounts are `numeric` and come as strings), and a `date` as text, which has no time zone.
 */
export function openDatabase(address: DatabaseAddress, options: DatabaseOptions): Database {
  const { url, directUrl, pooler } =
    typeof address === 'string' ? { url: address, directUrl: address, pooler: options.pooler } : address;
  const pool = openPool(url, pooler, options);
  const sessions = directUrl === url ? pool : openPool(directUrl, undefined, options);
  const close = async () => void (await Promise.all([...new Set([pool, sessions])].map((one) => one.end())));
  return { directUrl, pool, sessions, orm: drizzle(pool, { schema }), close };
}

/** Builds the parameters of a new connection to a server. A pooler refuses them, since its connections are shared. */
const buildStartup = (options: DatabaseOptions): pg.PoolConfig => ({
  query_timeout: options.queryTimeoutMs,
  statement_timeout: options.statementTimeoutMs,
  // Starting parallel workers takes longer than most statements, and they take CPU cores from concurrent requests.
  options: '-c max_parallel_workers_per_gather=0',
});

/** Builds the parameters of a new connection to a pooler. This process ends statements: a pooler takes no `statement_timeout`. */
const buildPooledStartup = (options: DatabaseOptions): pg.PoolConfig => ({
  query_timeout: options.queryTimeoutMs ?? options.statementTimeoutMs,
});

function openPool(url: string, pooler: Pooler | undefined, options: DatabaseOptions): pg.Pool {
  const pool = new pg.Pool({
    connectionString: url,
    max: options.max,
    application_name: options.name ?? 'adaptor-marketplace',
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
    pipeline: options.pipeline,
    types: { getTypeParser },
    ...(pooler ? buildPooledStartup(options) : buildStartup(options)),
    ...(pooler && !pooler.prepares && { Client: UnnamedClient }),
  });
  // Without listeners, a broken connection would end the process. The first covers idle connections in the pool. The
  // second covers a checked-out connection between two queries, whose next query reports the error.
  pool.on('error', (error) =>
    options.log?.debug({ reason: getErrorMessage(error) }, 'an idle connection broke'),
  );
  pool.on('connect', (client) => client.on('error', () => undefined));
  return pool;
}

/** Connection whose statements have no names: the pooler would prepare a name on one server connection only. */
class UnnamedClient extends pg.Client {
  override query = ((...[statement, ...rest]: Parameters<pg.Client['query']>) => {
    const isNamed = typeof statement === 'object' && 'name' in statement && !('submit' in statement);
    const unnamed = isNamed ? withoutName(statement) : statement;
    return super.query(...([unnamed, ...rest] as unknown as [string]));
  }) as pg.Client['query'];
}

const withoutName = (statement: object): object => ({ ...statement, name: undefined });

/**
 * Returns the query builder over a pool, or over the connection of a transaction. It takes several times as long as a
 * named statement, so it is for statements that run seldom.
 */
export const createQueryBuilder = (db: pg.Pool | pg.ClientBase) => drizzle(db as pg.Pool);

const readDigit = (text: string, at: number): number => text.charCodeAt(at) - 48;

const readTwoDigits = (text: string, at: number): number =>
  10 * readDigit(text, at) + readDigit(text, at + 1);

/**
 * Parses a time as a server in UTC writes it: `2026-01-31 12:00:00.123456+00`, or in JSON
 * `2026-01-31T12:00:00.123456+00:00`. The driver's parser takes several times as long, so it parses the other forms only:
 * other zones, years of more digits, infinity.
 */
export function parseTime(text: string): Date {
  const zone = text[10] === 'T' ? '+00:00' : '+00';
  if (text < '01' || text[4] !== '-' || !text.endsWith(zone)) return parseAnyTime(text.replace('T', ' '));
  const year = 100 * readTwoDigits(text, 0) + readTwoDigits(text, 2);
  const month = readTwoDigits(text, 5) - 1;
  let milliseconds = 0;
  const end = text.length - zone.length;
  for (let at = 20, weight = 100; at < end && weight >= 1; at += 1, weight /= 10)
    milliseconds += weight * readDigit(text, at);
  const [hours, minutes, seconds] = [
    readTwoDigits(text, 11),
    readTwoDigits(text, 14),
    readTwoDigits(text, 17),
  ];
  return new Date(Date.UTC(year, month, readTwoDigits(text, 8), hours, minutes, seconds, milliseconds));
}

const parseAnyTime: (text: string) => Date = pg.types.getTypeParser(pg.types.builtins.TIMESTAMPTZ, 'text');

export const getTypeParser: typeof pg.types.getTypeParser = (oid: number, format?: 'text' | 'binary') => {
  if (oid === pg.types.builtins.INT8) return Number;
  if (oid === pg.types.builtins.DATE) return String;
  if (oid === pg.types.builtins.TIMESTAMPTZ && format !== 'binary') return parseTime;
  if ((oid === textArray || oid === numericArray) && format !== 'binary') return parseTextArray;
  return pg.types.getTypeParser(oid, format);
};
