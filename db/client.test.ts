import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../test/support/database.ts';
import { openDatabase, parseTime } from './client.ts';

test('a connection that breaks between two queries fails the second one, not the process', async () => {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 2 });
  onTestFinished(async () => {
    await db.close();
    await created.drop();
  });
  const client = await db.pool.connect();
  onTestFinished(() => client.release(true));
  // Not events.once: it would listen for errors too.
  const ended = new Promise((resolve) => client.once('end', () => resolve(undefined)));
  const { rows } = await client.query('select pg_backend_pid() as pid');
  await db.pool.query('select pg_terminate_backend($1)', [rows[0].pid]);
  await ended;
  await expect(client.query('select 1')).rejects.toThrow();
});

test.each(['UTC', 'Asia/Kolkata'])('a time is read to its millisecond, from a server in %s', async (zone) => {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 1 });
  onTestFinished(async () => {
    await db.close();
    await created.drop();
  });
  await db.pool.query(`set timezone = '${zone}'`);
  const times = [
    '2026-01-31 12:34:56+00',
    '2026-01-31 12:34:56.283+00',
    '1969-12-31 23:59:59.5+00',
    '0099-03-01 00:00:00.001+00',
    '9999-12-31 23:59:59.999999+00',
  ];
  const { rows } = await db.pool.query<{ time: Date; json: string; ms: string }>(
    `select time, to_json(time) #>> '{}' as json, floor(extract(epoch from time) * 1000)::text as ms
      from unnest($1::timestamptz[]) time`,
    [times],
  );
  expect(rows.map(({ time }) => String(time.getTime()))).toEqual(rows.map(({ ms }) => ms));
  expect(rows.map(({ json }) => String(parseTime(json).getTime()))).toEqual(rows.map(({ ms }) => ms));
  const { rows: ends } = await db.pool.query(
    "select 'infinity'::timestamptz as last, '10000-01-01'::timestamptz as far",
  );
  expect(ends).toEqual([{ last: Number.POSITIVE_INFINITY, far: expect.any(Date) }]);
});

test('a statement of the service starts no workers of the server', async () => {
  const created = await createDatabase();
  const db = openDatabase(created.url, { max: 1 });
  onTestFinished(async () => {
    await db.close();
    await created.drop();
  });
  // As soon as anything costs more than nothing, the planner would take workers.
  await db.pool.query('set debug_parallel_query = on');
  const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>('explain select count(*) from pg_class');
  expect(rows.map((row) => row['QUERY PLAN']).filter((line) => line.includes('Gather'))).toEqual([]);
});
