import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '../../test/support/database.ts';
import type { Database } from '../client.ts';
import { migrateDatabase } from '../migrate.ts';

let db: Database & { drop(): Promise<void> };
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.drop());

async function asAnalyst(sql: string) {
  const client = await db.pool.connect();
  try {
    await client.query('begin');
    await client.query('set local role analyst');
    return await client.query(sql);
  } finally {
    await client.query('rollback');
    client.release();
  }
}

test('every view and every column says what it means', async () => {
  const { rows } = await db.pool.query<{ name: string }>(
    `select c.relname || coalesce('.' || a.attname, '') as name
      from pg_class c join pg_namespace n on n.oid = c.relnamespace
      cross join lateral (select attname, attnum from pg_attribute where attrelid = c.oid and attnum > 0
        union all select null, 0) a
      where n.nspname = 'analytics' and case when a.attnum = 0 then obj_description(c.oid, 'pg_class')
        else col_description(c.oid, a.attnum) end is null`,
  );
  expect(rows).toEqual([]);
});

test('the role analyst reads each view', async () => {
  const { rows } = await db.pool.query<{ viewname: string }>(
    `select viewname from pg_views where schemaname = 'analytics' order by 1`,
  );
  const views = rows.map(({ viewname }) => viewname);
  expect(views).toEqual([
    'adaptors',
    'agents',
    'allowlists',
    'attestations',
    'caps',
    'delegate_allowances',
    'delegates',
    'jobs',
    'key_usage',
    'policies',
    'policy_rules',
    'registry_events',
    'rules',
    'service_actions',
    'service_grants',
    'sources',
    'wallets',
    'webhook_deliveries',
  ]);
  for (const view of views) expect((await asAnalyst(`select * from analytics.${view}`)).rows).toEqual([]);
});

test('the role analyst reads no table behind them, and writes nothing', async () => {
  const { rows } = await db.pool.query<{ tablename: string }>(
    `select tablename from pg_tables where schemaname = 'public'`,
  );
  expect(rows.length).toBeGreaterThan(5);
  for (const { tablename } of rows) {
    await expect(asAnalyst(`select * from public.${tablename}`)).rejects.toThrow(/permission denied/);
  }
  await expect(asAnalyst('delete from analytics.sources')).rejects.toThrow(/permission denied/);
  await expect(asAnalyst('create table public.t ()')).rejects.toThrow(/permission denied/);
});

test('a second migration leaves the views as they are', async () => {
  const oid = async () =>
    (await db.pool.query(`select 'analytics.adaptors'::regclass::oid as oid`)).rows[0].oid;
  const before = await oid();
  await migrateDatabase(db);
  expect(await oid()).toBe(before);
});
