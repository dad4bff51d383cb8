import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import pg from 'pg';
import { expect, test } from 'vitest';
import { useTestDatabase } from '../../test/support/database.ts';
import { KvUnavailableError } from '../kv/kv.ts';
import { wrapNetworkError } from '../outbound/errors.ts';
import { isDatabaseAway } from './database-away.ts';

const db = useTestDatabase();

test('a server without its socket is away, and a missing file is another error', async () => {
  const socket = new pg.Client({ host: '/nonexistent', database: 'none' });
  const error = await socket.connect().catch((failure: unknown) => failure);
  expect(error).toMatchObject({ code: 'ENOENT' });
  expect(isDatabaseAway(error)).toBe(true);
  expect(isDatabaseAway(await readFile('/nonexistent').catch((failure: unknown) => failure))).toBe(false);
});

test('a connection that broke between two statements means that the database is away', async () => {
  const client = new pg.Client(db.directUrl);
  await client.connect();
  client.on('error', () => undefined);
  const broken = once(client, 'error');
  await client.query('begin');
  await db.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where state = 'idle in transaction' and datname = current_database()`,
  );
  await broken;
  const error = await client.query('select 1').catch((failure) => failure);
  expect(error).toBeInstanceOf(Error);
  expect(isDatabaseAway(error), String(error)).toBe(true);
  expect(isDatabaseAway(await db.pool.query('select wrong').catch((failure) => failure))).toBe(false);
});

test('another server that refuses the connection does not count as the database', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:9'), { code: 'ECONNREFUSED' });
  expect(isDatabaseAway(refused)).toBe(true);
  const file = new Error('7.binpb.zst of files.example', { cause: wrapNetworkError(refused) });
  expect(isDatabaseAway(file)).toBe(false);
  const store = new KvUnavailableError('The key-value store is unavailable.', { cause: refused });
  expect(isDatabaseAway(store)).toBe(false);
});
