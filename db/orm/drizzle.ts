import { createRequire } from 'node:module';

/**
 * Drizzle, as CommonJS. Node reads the format of each ES module in the `package.json` of its package, and parses all `exports` of
 * that for each of them: for Drizzle's 300 modules and 180 kB this took 1.5 of the 9 s of processor time of a start.
 */
const load = createRequire(import.meta.url);

export const {
  and,
  desc,
  eq,
  getTableColumns,
  getTableName,
  gt,
  is,
  isNotNull,
  isNull,
  or,
  sql,
}: typeof import('drizzle-orm') = load('drizzle-orm');
export const { readMigrationFiles }: typeof import('drizzle-orm/migrator') = load('drizzle-orm/migrator');
export const { drizzle }: typeof import('drizzle-orm/node-postgres') = load('drizzle-orm/node-postgres');
export const { migrate }: typeof import('drizzle-orm/node-postgres/migrator') = load(
  'drizzle-orm/node-postgres/migrator',
);
export const {
  PgTable,
  bigint,
  boolean,
  check,
  customType,
  date,
  getTableConfig,
  index,
  integer,
  json,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  smallint,
  text,
  timestamp,
  unique,
  uniqueIndex,
}: typeof import('drizzle-orm/pg-core') = load('drizzle-orm/pg-core');
