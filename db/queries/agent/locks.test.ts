import { expect, test } from 'vitest';
import { createDatabase } from '../../../test/support/database.ts';
import { openDatabase } from '../../client.ts';
import { withAdvisoryLock } from './locks.ts';

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
