import type { QueryConfig } from 'pg';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import type { Queryable } from '../queryable.ts';
import { readDueSubscriptions } from './subscriptions.ts';

test('which subscriptions are due is read from one row of each, however many of theirs are', async () => {
  const { pool } = await createTestDatabase();
  const subscribe = (id: string, heldUntil = 'null') =>
    pool.query(`insert into webhook_subscriptions (subscription, held_until) values ($1, ${heldUntil})`, [
      id,
    ]);
  await subscribe('wh_held', `now() + interval '1 h'`);
  await subscribe('wh_held_with_retry', `now() + interval '1 h'`);
  for (const id of ['wh_due', 'wh_later', 'wh_of_another_network']) await subscribe(id);
  const wait = (id: string, count: number, attempts: number, stream = 'testnet', dueAt = 'now()') =>
    pool.query(
      `insert into webhook_retries (subscription, stream, checkpoint, tx_index, event_index, event, attempts, due_at)
        select $1, $2, n, $3::int, 0, 'Updated', $3::int, ${dueAt} from generate_series(1, $4) n`,
      [id, stream, attempts, count],
    );
  await wait('wh_held', 3_000, 0);
  await wait('wh_held_with_retry', 3_000, 0);
  await wait('wh_held_with_retry', 1, 1);
  await wait('wh_due', 3_000, 0);
  await wait('wh_later', 3_000, 1, 'testnet', `now() + interval '1 h'`);
  await wait('wh_of_another_network', 3_000, 0, 'mainnet');
  await pool.query('analyze webhook_retries, webhook_subscriptions');
  const streams = ['testnet', 'testnet.service'];
  expect((await readDueSubscriptions(pool, streams)).sort()).toEqual(['wh_due', 'wh_held_with_retry']);

  const rowsRead: number[] = [];
  const explaining = {
    async query({ text, values }: QueryConfig) {
      const { rows } = await pool.query(`explain (analyze, costs off, timing off) ${text}`, values);
      for (const { 'QUERY PLAN': line } of rows) {
        const [, read, loops] = /Scan .*webhook_retries.*rows=([\d.]+) loops=(\d+)/.exec(line) ?? [];
        if (read !== undefined) rowsRead.push(Math.ceil(Number(read)) * Number(loops));
        const [, removed] = /Rows Removed by Filter: (\d+)/.exec(line) ?? [];
        if (removed !== undefined) rowsRead.push(Number(removed));
      }
      return { rows: [] };
    },
  };
  await readDueSubscriptions(explaining as unknown as Queryable, streams);
  expect(rowsRead.length).toBeGreaterThan(0);
  expect(rowsRead.reduce((sum, rows) => sum + rows, 0)).toBeLessThan(50);
});
