import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { createDatabase, createTestDatabase } from '../../../test/support/database.ts';
import { newRun } from '../../../test/support/new-run.ts';
import { openDatabase } from '../../client.ts';
import { adoptOrphans, readOwnRuns, withAdvisoryLock } from './locks.ts';
import { openRun } from './open-run.ts';

test('a connection that breaks while the lock is held affects neither the result of the work nor the next caller', async () => {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 4 });
  const take = <T>(work: () => Promise<T>) => withAdvisoryLock(db.pool, 'one', work);
  const breakLock = () =>
    db.pool.query(
      `select pg_terminate_backend(pid) from pg_locks
        where locktype = 'advisory' and granted
          and database = (select oid from pg_database where datname = current_database())`,
    );
  const lost = new Error('the run is lost');

  const done = await take(async () => {
    await breakLock();
    return 'settled';
  });
  const failed = take(async () => {
    await breakLock();
    throw lost;
  });
  await expect(failed).rejects.toBe(lost);
  expect([done, await take(async () => 'next')]).toEqual(['settled', 'next']);

  await db.close();
  await created.drop();
});

test('a worker that cannot adopt the runs of a dead one leaves them to the next worker', async () => {
  const db = await createTestDatabase();
  const connect = async () => {
    const client = new pg.Client(db.directUrl);
    await client.connect();
    onTestFinished(() => client.end());
    return client;
  };
  const [failing, other] = [await connect(), await connect()];
  const opened = await openRun(db.pool, newRun(1, new Date(0)));
  await failing.query('set default_transaction_read_only = on');
  await expect(adoptOrphans(failing, 2)).rejects.toMatchObject({ code: '25006' });
  await adoptOrphans(other, 3);
  expect(await readOwnRuns(db.pool, 3)).toEqual([(opened as { run: number }).run]);
});
