import { expect, test } from 'vitest';
import { createTestDatabase } from '../../../test/support/database.ts';
import { readPlans } from '../../../test/support/plans.ts';
import { keepLogDays } from './attempts.ts';
import { readStatistics } from './statistics.ts';

/** Settled deliveries of today, and one of a day long ago. */
async function openLog() {
  const db = await createTestDatabase();
  await keepLogDays(db.pool, 30);
  await db.pool.query(`create table webhook_log_20200101 partition of webhook_log
    for values from ('2020-01-01 00:00:00+00') to ('2020-01-02 00:00:00+00')`);
  /** @param at when it ended, as SQL */
  const settle = (
    subscription: string,
    outcome: string,
    durationMs: number,
    at = 'now()',
    earlier?: object[],
  ) =>
    db.pool.query(
      `insert into webhook_log (subscription, stream, checkpoint, tx_index, event_index, event, created_at, ended_at,
        started_at, duration_ms, outcome, status, error, earlier)
        values ($1, 'testnet', 1, 0, 0, 'Updated', ${at}, ${at}, ${at}, $3, $2, 200, null, $4)`,
      [subscription, outcome, durationMs, earlier === undefined ? null : JSON.stringify(earlier)],
    );
  const wait = (subscription: string, earlier: object[]) =>
    db.pool.query(
      `insert into webhook_retries (subscription, stream, event, earlier, due_at) values ($1, 'testnet', 'Test', $2, now())`,
      [subscription, JSON.stringify(earlier)],
    );
  return { pool: db.pool, settle, wait };
}

const failed = (startedMs: number) => ({
  startedMs,
  durationMs: 7,
  outcome: 'http_status',
  status: 500,
  error: 'HTTP 500',
  response: null,
});

test('every attempt of the last day counts: of settled deliveries, of their earlier attempts, and of those that wait', async () => {
  const { pool, settle, wait } = await openLog();
  const nowMs = Date.now();
  for (const durationMs of [10, 20, 30]) await settle('wh_a', 'delivered', durationMs);
  await settle('wh_a', 'delivered', 40, 'now()', [failed(nowMs - 9_000), failed(nowMs - 172_800_000)]);
  await settle('wh_a', 'timeout', 99_999, `'2020-01-01 12:00:00+00'`);
  await wait('wh_a', [failed(nowMs - 5_000)]);
  await wait('wh_b', [failed(nowMs - 6_000)]);
  const none = { attempts: 0, delivered: 0, medianMs: null, p95Ms: null, lastFailure: null };
  const failure = (startedMs: number) => ({
    startedMs,
    outcome: 'http_status',
    status: 500,
    error: 'HTTP 500',
  });
  expect(await readStatistics(pool, ['wh_c', 'wh_b', 'wh_a'])).toEqual([
    { subscription: 'wh_c', ...none },
    { subscription: 'wh_b', ...none, attempts: 1, lastFailure: failure(nowMs - 6_000) },
    {
      subscription: 'wh_a',
      attempts: 6,
      delivered: 4,
      medianMs: 20,
      p95Ms: 40,
      lastFailure: failure(nowMs - 5_000),
    },
  ]);
});

test('an index answers it, in the days that count alone', async () => {
  const { pool } = await openLog();
  await pool.query(
    `insert into webhook_log (subscription, stream, event, created_at, started_at, duration_ms, outcome)
      select 'wh_' || n % 100, 'testnet', 'Test', now() - n * interval '1 ms', now(), 5, 'delivered'
      from generate_series(1, 20000) n`,
  );
  await pool.query(
    `insert into webhook_retries (subscription, stream, event, due_at)
      select 'wh_' || n % 100, 'testnet', 'Test', now() from generate_series(1, 20000) n`,
  );
  await pool.query('vacuum analyze webhook_log');
  await pool.query('vacuum analyze webhook_retries');
  const plan = (await readPlans(pool, (explaining) => readStatistics(explaining, ['wh_7', 'wh_8']))).join(
    '\n',
  );
  expect(plan).toMatch(/Index Scan.* on webhook_log_\d+/);
  expect(plan).toMatch(/Index Cond: .*subscription = s\.id/);
  expect(plan).toMatch(/Index Scan.* on webhook_retries/);
  expect(plan).not.toMatch(/Seq Scan/);
  expect(plan).not.toContain('webhook_log_20200101');
});
