import { expect, onTestFinished, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { openClaims } from './claims.ts';

const db = useTestDatabase();

function open() {
  const claims = openClaims(db);
  onTestFinished(() => claims.close());
  return claims;
}

test('a job is claimed once, until it is released', async () => {
  const [one, other] = [open(), open()];
  expect(await Promise.all([one.take('job'), one.take('job'), other.take('another')])).toEqual([
    true,
    false,
    true,
  ]);
  expect([await other.take('job'), await one.take('another')]).toEqual([false, false]);
  await one.release('job');
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
  await one.release('job');
  await eventually(async () => expect(await one.take('another')).toBe(true));
  expect(await other.take('another')).toBe(false);
});

test('claims are free for others as soon as their process has closed them', async () => {
  for (let nth = 0; nth < 50; nth++) {
    const claims = openClaims(db);
    expect(await claims.take('job')).toBe(true);
    await claims.close();
  }
});
