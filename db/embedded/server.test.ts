import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startEmbeddedServer } from './server.ts';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'embedded-postgres-'));
});
afterEach(() => rm(dir, { recursive: true, force: true }));

async function query(url: string, sql: string) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

test('what was stored is there after a stop and a start', async () => {
  const first = await startEmbeddedServer({ dir, volatile: true });
  await query(first.url, 'create table kept as select 7 as n');
  await first.stop();

  const second = await startEmbeddedServer({ dir, volatile: true });
  expect(await query(second.url, 'select n from kept')).toEqual([{ n: 7 }]);
  await second.stop();
});

test('a folder whose server still runs is joined, not started twice', async () => {
  const first = await startEmbeddedServer({ dir, volatile: true });
  const second = await startEmbeddedServer({ dir, volatile: true });
  expect(second.url).toBe(first.url);
  await first.stop();
});

test('strangers on the machine cannot connect without the password', async () => {
  const server = await startEmbeddedServer({ dir, volatile: true });
  const url = new URL(server.url);
  url.password = 'wrong';
  await expect(query(url.href, 'select 1')).rejects.toThrow(/password authentication failed/);
  await server.stop();
});
