import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../../db/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { openTestDatabase } from '../../../test/support/indexing.ts';
import { openClaims } from './claims.ts';

let db: Database & { drop(): Promise<void> };
beforeAll(async () => {
  db = await openTestDatabase();
});
afterAll(() => db.drop());

function open() {
  const claims = openClaims(db);
  onTestFinished(() => claims.close());
  return claims;
}

test('a job is claimed once, until it is given back', async () => {
  const [one, other] = [open(), open()];
  expect(await Promise.all([one.take('job'), one.take('job'), other.take('another')])).toEqual([
    true,
    false,
    true,
  ]);
  expect([await other.take('job'), await one.take('another')]).toEqual([false, false]);
  await one.give('job');
  expect(await other.take('job')).toBe(true);
});

test('claims end with the connection of their process, and it goes on with another', async () => {
  const [one, other] = [open(), open()];
  expect(await one.take('job')).toBe(true);
  await db.pool.query(
    `select pg_terminate_backend(pid) from pg_locks where locktype = 'advisory' and database =
      (select oid from pg_database where datname = current_database())`,
  );
  await eventually(async () => expect(await other.take('job')).toBe(true));
  expect(await one.take('job')).toBe(false);
  await one.give('job');
  await eventually(async () => expect(await one.take('another')).toBe(true));
  expect(await other.take('another')).toBe(false);
});

test('what is left is given back at the end', async () => {
  const [one, other] = [openClaims(db), open()];
  await one.take('job');
  await one.close();
  await eventually(async () => expect(await other.take('job')).toBe(true));
});
