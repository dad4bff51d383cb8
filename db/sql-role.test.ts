import pg from 'pg';
import { beforeAll, describe, expect, test } from 'vitest';
import { useTestDatabase } from '../test/support/database.ts';
import { openDatabase } from './client.ts';
import { createSqlRole } from './sql-role.ts';

let roleUrl: string;
const db = useTestDatabase();
beforeAll(async () => {
  roleUrl = await createSqlRole(db.directUrl);
});

describe('with parser and reader bypassed, the role', () => {
  async function asRole<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = new pg.Client({ connectionString: roleUrl });
    await client.connect();
    try {
      await client.query('set session characteristics as transaction read write');
      return await work(client);
    } finally {
      await client.end();
    }
  }

  test.each([
    ['a table', 'select * from public.listings'],
    ['the views of the host', 'select * from analytics_host.key_usage'],
    ['writing a view', 'delete from analytics.wallets'],
    ['making a table', 'create table public.t (a int)'],
    ['making a table in analytics', 'create table analytics.t (a int)'],
    ['making a temporary table', 'create temporary table t (a int)'],
    ['making a schema', 'create schema s'],
    ['making a role', 'create role r'],
    ['another role', 'set role postgres'],
    ['locks that services wait for', 'select pg_advisory_lock(1)'],
    ['locks that services try', 'select pg_try_advisory_lock(1)'],
    ['locks of a transaction', 'select pg_advisory_xact_lock(1)'],
    ['large objects', 'select lo_create(0)'],
    ['importing files', "select lo_import('/etc/passwd')"],
    ['reading files', "select pg_read_file('/etc/passwd')"],
    ['listing files', "select pg_ls_dir('.')"],
    ['copying from files', "copy (select 1) to '/tmp/x'"],
    ['running programs', "copy (select 1) to program 'id'"],
    ['passwords', 'select * from pg_authid'],
    ['ending others', 'select pg_terminate_backend(pid) from pg_stat_activity where usename <> current_user'],
    ['more temporary files', "set temp_file_limit = '1TB'"],
    ['notifying by function', "select pg_notify('a', 'b')"],
    ['an extension', 'create extension dblink'],
  ])('does not reach %s', async (_, sql) => {
    await asRole(async (client) => {
      await expect(client.query(sql)).rejects.toThrow(/permission denied|must be|does not exist|superuser/);
    });
  });

  /** docs/security.md lists these as what the role does not hold. */
  test.each([
    ['waiting', 'select pg_sleep(0)'],
    ['a large value', "select length(repeat('x', 1000000))"],
    ['catalogs', 'select count(*) from pg_class'],
    ['settings of its own session', 'set statement_timeout = 0'],
    ['notify', "notify a, 'b'"],
  ])('allows %s, which only the parser refuses', async (_, sql) => {
    await asRole(async (client) => await client.query(sql));
  });

  test('of the service keeps its own locks', async () => {
    const service = openDatabase(db.directUrl, { max: 1 });
    await service.pool.query('select pg_advisory_lock(42), pg_advisory_unlock(42)');
    await service.close();
  });
});
