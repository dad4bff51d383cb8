import { expect, test } from 'vitest';
import { openDatabase } from '../../../db/client.ts';
import { createDatabase } from '../../../test/support/database.ts';
import { keyTurns } from './key-turns.ts';

test('a connection that breaks in a turn changes nothing of what became of the work, nor of the next turn', async () => {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 4 });
  const turns = keyTurns(db.pool);
  const take = <T>(work: () => Promise<T>) => turns.take('testnet', '0x1', work);
  const breakLock = () =>
    db.pool.query(
      `select pg_terminate_backend(pid) from pg_locks
        where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`,
    );
  const lost = new Error('the run is lost');

  const done = take(async () => {
    await breakLock();
    return 'settled';
  });
  const failed = take(async () => {
    await breakLock();
    throw lost;
  });
  expect(await Promise.allSettled([done, failed, take(async () => 'next')])).toEqual([
    { status: 'fulfilled', value: 'settled' },
    { status: 'rejected', reason: lost },
    { status: 'fulfilled', value: 'next' },
  ]);

  await db.close();
  await created.drop();
});
