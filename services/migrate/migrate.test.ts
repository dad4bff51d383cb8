import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import { createDatabase } from '../../test/support/database.ts';
import { makeLaterMigrations } from '../../test/support/later-version.ts';
import { migrateStopped } from './migrate.ts';

const command = join(import.meta.dirname, 'command.ts');

async function makeEmptyDatabase(): Promise<string> {
  const created = await createDatabase();
  onTestFinished(created.drop);
  return created.url;
}

/** A connection with the name that a role shows. */
async function connectAs(name: string, url: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString: url, application_name: name });
  await client.connect();
  return client;
}

/** Runs the command with this environment alone. */
async function run(env: Record<string, string>) {
  const child = spawn(process.execPath, [command], { env: { PATH: process.env.PATH, ...env } });
  const ended = [text(child.stdout), text(child.stderr), once(child, 'exit')] as const;
  const [out, err, [code]] = await Promise.all(ended);
  return { out, err, code };
}

test('a change of the schema waits for the roles of the earlier version, and runs once they have stopped', async () => {
  const url = await makeEmptyDatabase();
  const db = openDatabase(url, { max: 1, name: 'migrations' });
  onTestFinished(db.close);
  await migrateStopped(db);
  const { folder: later, remove } = await makeLaterMigrations();
  onTestFinished(remove);
  const roles = [await connectAs('indexer', url), await connectAs('adaptor-marketplace listen', url)];
  await expect(migrateStopped(db, later)).rejects.toMatchObject({
    code: 'roles_running',
    message: expect.stringContaining('gateway or dispatcher, indexer. Stop them first'),
  });
  const { rows } = await db.pool.query("select to_regclass('later') as later");
  expect(rows).toEqual([{ later: null }]);

  await migrateStopped(db);
  for (const role of roles) await role.end();
  await expect.poll(() => migrateStopped(db, later).then(() => 'migrated', String)).toBe('migrated');
  const { rows: after } = await db.pool.query("select to_regclass('later') as later");
  expect(after).toEqual([{ later: 'later' }]);
});

test('the command migrates an empty database, finds nothing to do afterwards, and ends with 0', async () => {
  const url = await makeEmptyDatabase();
  for (const _ of [1, 2]) {
    expect(await run({ DATABASE_URL: url })).toEqual({
      code: 0,
      err: '',
      out: 'The database has the schema of this version.\n',
    });
  }
});

test('the command ends with 1 and what to do if no database is set, or if it cannot be reached', async () => {
  expect(await run({})).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/^Set DATABASE_URL/) });
  const away = await run({ DATABASE_URL: 'postgres://127.0.0.1:1/none' });
  expect(away).toMatchObject({ code: 1, out: '', err: expect.stringContaining('ECONNREFUSED') });
});
