import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { keepLogDays, removeOldDeliveries, storeAttempts } from './attempts.ts';
import { resendDelivery } from './deliveries.ts';

test('a delivery that was sent again tens of thousands of times is stored, with its latest attempts', async () => {
  const { pool } = await createTestDatabase();
  await keepLogDays(pool, 30);
  await pool.query(`insert into webhook_subscriptions (subscription) values ('wh_1')`);
  const { rows } = await pool.query<{ id: number }>(
    `insert into webhook_retries (subscription, stream, event, attempts, earlier, due_at)
      select 'wh_1', 'testnet', 'Test', 32767, (select jsonb_agg(jsonb_build_object('startedMs', n))
        from generate_series(1, 100) n), now() returning id::int`,
  );
  const attempt = {
    subscription: 'wh_1',
    of: { id: rows[0]!.id },
    startedAtMs: 101,
    durationMs: 1,
    outcome: 'http_status',
    status: 500,
    error: undefined,
    response: undefined,
    retryMs: 5_000,
    holdMs: undefined,
  } as const;
  await storeAttempts(pool, [], [attempt], 60_000);
  const { rows: stored } = await pool.query(
    `select attempts, jsonb_array_length(earlier) as kept, earlier->0->'startedMs' as first,
      earlier->-1->'startedMs' as last from webhook_retries`,
  );
  expect(stored).toEqual([{ attempts: 32767, kept: 100, first: 2, last: 101 }]);
});

test('a delivery that is sent again after each success keeps its latest attempts', async () => {
  const { pool } = await createTestDatabase();
  await keepLogDays(pool, 30);
  await pool.query(
    `insert into webhook_log (subscription, stream, event, retry, created_at, started_at, duration_ms, outcome, earlier)
      select 'wh_1', 'testnet', 'Test', 7, now(), now(), 1, 'delivered', jsonb_agg(jsonb_build_object('startedMs', n))
        from generate_series(1, 100) n`,
  );
  expect(await resendDelivery(pool, 'wh_1', '7')).toBe(true);
  const { rows } = await pool.query(
    `select jsonb_array_length(earlier) as kept, earlier->0->'startedMs' as first from webhook_retries`,
  );
  expect(rows).toEqual([{ kept: 100, first: 2 }]);
});

test('an old delivery that is asked for again is kept until its attempts end', async () => {
  const { pool } = await createTestDatabase();
  await pool.query(
    `insert into webhook_retries (subscription, stream, event, created_at, due_at) values
      ('wh_1', 'testnet', 'old', now() - interval '40 days', now() - interval '39 days'),
      ('wh_1', 'testnet', 'asked for again', now() - interval '40 days', now())`,
  );
  await removeOldDeliveries(pool, 30);
  const { rows } = await pool.query('select event from webhook_retries');
  expect(rows).toEqual([{ event: 'asked for again' }]);
});
