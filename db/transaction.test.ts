import { afterAll, expect, test } from 'vitest';
import { openTestDatabase } from '../test/support/database.ts';
import { eventually } from '../test/support/eventually.ts';
import { inSnapshot } from './transaction.ts';

const db = await openTestDatabase();
afterAll(() => db.close());

test('a read whose signal aborts while it waits for a connection begins no statement, and gives the connection back', async () => {
  const held = await Promise.all(Array.from({ length: db.pool.options.max }, () => db.pool.connect()));
  const leaving = new AbortController();
  let begun = false;
  const read = inSnapshot(
    db.pool,
    async () => {
      begun = true;
    },
    leaving.signal,
  );
  leaving.abort();
  for (const client of held) client.release();
  await expect(read).rejects.toMatchObject({ name: 'AbortError' });
  expect([begun, db.pool.idleCount]).toEqual([false, held.length]);
});

test('a read whose signal aborts between two statements does not begin the second one, and keeps its connection usable', async () => {
  const leaving = new AbortController();
  const seen: unknown[] = [];
  const read = inSnapshot(
    db.pool,
    async (client) => {
      seen.push((await client.query('select 1 as nth')).rows[0].nth);
      leaving.abort();
      seen.push((await client.query('select 2 as nth')).rows[0].nth);
    },
    leaving.signal,
  );
  await expect(read).rejects.toMatchObject({ name: 'AbortError' });
  expect([seen, db.pool.idleCount]).toEqual([[1], db.pool.totalCount]);
  expect((await db.pool.query('select 3 as nth')).rows).toEqual([{ nth: 3 }]);
});

test('a statement that runs when the signal aborts is cancelled, and its connection runs no other', async () => {
  const leaving = new AbortController();
  const pid = Promise.withResolvers<number>();
  const read = inSnapshot(
    db.pool,
    async (client) => {
      pid.resolve((await client.query('select pg_backend_pid() as pid')).rows[0].pid);
      await client.query('select pg_sleep(600)');
    },
    leaving.signal,
  );
  const processId = await pid.promise;
  const find = async (state: string) =>
    (await db.pool.query(`select from pg_stat_activity where pid = $1 and ${state}`, [processId])).rowCount;
  await eventually(async () => expect(await find(`query like '%pg_sleep%' and state = 'active'`)).toBe(1));
  leaving.abort();
  await expect(read).rejects.toMatchObject({ name: 'AbortError' });
  await eventually(async () => expect(await find('true')).toBe(0));
});
