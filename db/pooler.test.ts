import { expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../test/support/database.ts';
import { eventually } from '../test/support/eventually.ts';
import { startPgBouncer } from '../test/support/pg-bouncer.ts';
import { useForFile } from '../test/support/use-for-file.ts';
import { type DatabaseOptions, openDatabase } from './client.ts';
import { listen } from './listen.ts';
import { withLock } from './lock.ts';
import { migrateDatabase } from './migrate.ts';

const server = useForFile(async () => {
  const created = await createDatabase();
  const bouncer = await startPgBouncer(created.url, 2);
  return {
    directUrl: created.url,
    url: bouncer.url,
    async close() {
      await bouncer.close();
      await created.drop();
    },
  };
});

function open(options: Partial<DatabaseOptions> = {}, prepares = false) {
  const { url, directUrl } = server;
  const db = openDatabase({ url, directUrl, pooler: { prepares } }, { max: 8, ...options });
  onTestFinished(() => db.close());
  return db;
}

const named = { name: 'named', text: 'select $1::int as n', values: [1] };

test.each([false, true])(
  'statements run on any connection of the pooler (pipeline: %s)',
  async (pipeline) => {
    const db = open({ pipeline });
    const numbers = Array.from({ length: 300 }, (_, n) => n);
    const read = async (n: number) => (await db.pool.query({ ...named, values: [n] })).rows[0].n as number;
    expect(await Promise.all(numbers.map(read))).toEqual(numbers);
  },
);

test('names of statements are what an older pooler cannot keep', async () => {
  const db = open({}, true);
  const reads = Array.from({ length: 300 }, () => db.pool.query(named));
  await expect(Promise.all(reads)).rejects.toThrow(/prepared statement "named" (does not|already) exist/);
  await Promise.allSettled(reads);
});

test.each([false, true])('a statement ends at its limit behind a pooler (pipeline: %s)', async (pipeline) => {
  const db = open({ statementTimeoutMs: 200, pipeline });
  await expect(db.pool.query('select pg_sleep(60)')).rejects.toThrow('Query read timeout');
  // A connection in place of the ended one has the same limit, within which a busy machine may not answer.
  await eventually(async () => expect((await db.pool.query('select 1 as n')).rows).toEqual([{ n: 1 }]));
});

test('a lock stays with one process, and notifications arrive, while transactions take every connection', async () => {
  const db = open();
  await migrateDatabase(db);
  const heard: string[] = [];
  const { promise: connected, resolve: onConnected } = Promise.withResolvers<void>();
  const onNotification = (_: string, payload: string) => void heard.push(payload);
  const listener = listen({ url: db.directUrl, channels: ['news'], onNotification, onConnected });
  onTestFinished(() => listener.close());
  await connected;
  let inside = 0;
  const signal = AbortSignal.timeout(60_000);
  const work = (n: number) =>
    withLock(db.sessions, 'one', signal, async () => {
      inside += 1;
      expect(inside).toBe(1);
      await db.pool.query(`select pg_notify('news', $1)`, [`${n}`]);
      inside -= 1;
    });
  const others = Array.from({ length: 20 }, () => db.pool.query('select pg_sleep(0.01)'));
  await Promise.all([...[1, 2, 3].map(work), ...others]);
  await eventually(() => expect(heard.toSorted()).toEqual(['1', '2', '3']));
});

test('a pooler without its setting is named, instead of waited for', async () => {
  const db = openDatabase(server.url, { max: 1 });
  onTestFinished(() => db.close());
  await expect(migrateDatabase(db)).rejects.toThrow('unsupported startup parameter');
});
