import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase, createTestDatabase } from '../test/support/database.ts';
import { type Database, openDatabase } from './client.ts';
import { migrateDatabase } from './migrate.ts';
import { getTableConfig, migrate, PgTable } from './orm/drizzle.ts';
import * as schema from './schema/index.ts';

/** A connection to an empty database, dropped after the running test. */
async function emptyDatabase(): Promise<Database> {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 1 });
  onTestFinished(async () => {
    await db.close();
    await created.drop();
  });
  return db;
}

test('roles that start together on an empty database all find the schema in place', async () => {
  const created = await createDatabase();
  const roles = [1, 2, 3].map(() => openDatabase(created.url, { max: 1 }));
  await Promise.all(roles.map((role) => migrateDatabase(role)));
  for (const { orm } of roles) expect(await orm.select().from(schema.sources)).toEqual([]);
  await Promise.all(roles.map((role) => role.close()));
  await created.drop();
});

test('the migrations make the types and indexes of db/schema, also where one was folded by hand', async () => {
  const { pool } = await createTestDatabase();
  const tables = Object.values(schema).filter((value) => value instanceof PgTable);
  const described = tables.map((table) => getTableConfig(table));
  const types = described.flatMap(({ name, columns }) =>
    columns.map((column) => `${name}.${column.name} ${column.getSQLType().replaceAll(', ', ',')}`),
  );
  const { rows: columns } = await pool.query<{ line: string }>(
    `select c.relname || '.' || attname || ' ' || format_type(atttypid, atttypmod) as line
      from pg_attribute join pg_class c on c.oid = attrelid
      where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') and not relispartition and attnum > 0`,
  );
  expect(columns.map(({ line }) => line).sort()).toEqual(types.sort());

  // The search indexes exist only if the server has its extension: drizzle does not know them.
  const indexes = described.flatMap((table) => table.indexes.map((index) => index.config.name));
  const { rows: made } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_index join pg_class c on c.oid = indexrelid
      where relnamespace = 'public'::regnamespace and not relispartition
        and not exists (select from pg_constraint where conindid = indexrelid)`,
  );
  const search = ['entries_search', 'entries_search_hidden', 'entries_search_prominent', 'words_search'];
  expect(made.map(({ name }) => name).sort()).toEqual(
    [...indexes, ...search.map((name) => `catalog_${name}`)].sort(),
  );
});

/** Migrates an empty database to the baseline and not further: upgrades start there. */
async function migrateToBaseline({ orm }: Database): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'baseline-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(join(import.meta.dirname, 'migrations'), folder, { recursive: true });
  const file = join(folder, 'meta/_journal.json');
  const journal: { entries: { tag: string }[] } = JSON.parse(readFileSync(file, 'utf8'));
  writeFileSync(file, JSON.stringify({ ...journal, entries: journal.entries.slice(0, 1) }));
  await migrate(orm, { migrationsFolder: folder });
}

test('a database of the baseline is brought up to date and keeps what it stores', async () => {
  const db = await emptyDatabase();
  await migrateToBaseline(db);
  await db.pool.query("insert into key_usage values ('2026-01-02', 'key_1', 'acme', 7)");
  await migrateDatabase(db);
  expect(await db.orm.select().from(schema.keyUsage)).toEqual([
    { day: '2026-01-02', keyId: 'key_1', integrator: 'acme', requests: 7 },
  ]);
  const { rows } = await db.pool.query("select to_regclass('analytics.adaptors') as view");
  expect(rows).toEqual([{ view: 'analytics.adaptors' }]);
});

test('a database from before the baseline is refused with what to do, and left as it is', async () => {
  const db = await emptyDatabase();
  await db.pool.query(`create schema drizzle;
    create table drizzle.__drizzle_migrations (id serial primary key, hash text not null, created_at bigint);
    insert into drizzle.__drizzle_migrations (hash, created_at) values ('first', 1), ('last', 9000000000000)`);
  await expect(migrateDatabase(db)).rejects.toMatchObject({
    code: 'database_outdated',
    message: expect.stringMatching(/before the first release.* empty database/),
  });
  const { rows } = await db.pool.query(
    "select to_regclass('events') as events, to_regnamespace('analytics') as analytics",
  );
  expect(rows).toEqual([{ events: null, analytics: null }]);
});

test('a database that a newer version has migrated is refused with what to do, and left as it is', async () => {
  const db = await emptyDatabase();
  await migrateDatabase(db);
  await db.pool.query(`insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9000000000000);
    drop schema analytics cascade`);
  await expect(migrateDatabase(db)).rejects.toMatchObject({
    code: 'database_newer',
    message: expect.stringMatching(/newer version.*restore the backup/),
  });
  const { rows } = await db.pool.query("select to_regnamespace('analytics') as analytics");
  expect(rows).toEqual([{ analytics: null }]);
});

/** SQL that makes a server refuse extensions to this user. */
const refuseExtensions = `
  create function refuse_extension() returns event_trigger language plpgsql as $$
    begin raise 'permission denied to create extension' using errcode = 'insufficient_privilege'; end $$;
  create event trigger refuse_extension on ddl_command_start when tag in ('CREATE EXTENSION')
    execute function refuse_extension()`;

test('where pg_trgm may not be created, the database migrates with a warning and without its index', async () => {
  const db = await emptyDatabase();
  const notices: string[] = [];
  db.pool.on('connect', (client) => client.on('notice', ({ message }) => notices.push(message ?? '')));
  await db.pool.query(refuseExtensions);
  await migrateDatabase(db);
  expect(notices).toContainEqual(
    expect.stringMatching(/^pg_trgm cannot be created: permission denied.*prefix/),
  );
  const { rows } = await db.pool.query(
    `select to_regclass('catalog_entries_by_name') as by_name, to_regclass('catalog_entries_search') as search`,
  );
  expect(rows).toEqual([{ by_name: 'catalog_entries_by_name', search: null }]);
  await migrateDatabase(db);
});

test('a connection that dies in a migration is reported with the reason of the server', async () => {
  const db = await emptyDatabase();
  const folder = mkdtempSync(join(tmpdir(), 'dying-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  cpSync(new URL('./migrations', import.meta.url), folder, { recursive: true });
  const journal = JSON.parse(readFileSync(join(folder, 'meta/_journal.json'), 'utf8'));
  journal.entries = [{ ...journal.entries[0], tag: 'dying' }];
  writeFileSync(join(folder, 'meta/_journal.json'), JSON.stringify(journal));
  writeFileSync(join(folder, 'dying.sql'), 'select pg_terminate_backend(pg_backend_pid())');
  const error = await migrateDatabase(db, folder).catch((failure: unknown) => failure);
  expect(error).toMatchObject({
    message: expect.stringContaining('pg_terminate_backend'),
    cause: { code: '57P01' },
  });
  await migrateDatabase(db);
});
