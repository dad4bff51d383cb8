import { afterAll, expect, test } from 'vitest';
import { openTestDatabase } from '../test/support/database.ts';
import { inSnapshot } from './transaction.ts';

const db = await openTestDatabase();
afterAll(() => db.drop());

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
