import { createServer } from 'node:net';
import { pino } from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createDatabase } from '../test/support/database.ts';
import { eventually } from '../test/support/eventually.ts';
import { listenLocally } from '../test/support/listen-locally.ts';
import { type Database, openDatabase } from './client.ts';
import { type Listener, listen } from './listen.ts';

let created: Awaited<ReturnType<typeof createDatabase>>;
let db: Database;
let listener: Listener;
const heard: string[] = [];
let connections = 0;

beforeEach(async () => {
  created = await createDatabase();
  db = openDatabase(created.url, { max: 2 });
  heard.length = 0;
  connections = 0;
  listener = listen({
    url: created.url,
    channels: ['catalog', 'indexed'],
    onNotification: (channel, payload) => heard.push(`${channel} ${payload}`),
    onConnected: () => connections++,
  });
  await eventually(() => expect(connections).toBe(1));
});
afterEach(async () => {
  await listener.close();
  await db.close();
  await created.drop();
});

test('a committed notification reaches the listeners of its channel', async () => {
  await db.pool.query(`select pg_notify('catalog', 'testnet'), pg_notify('other', 'x')`);
  await eventually(() => expect(heard).toEqual(['catalog testnet']));
});

test('a listener whose connection is cut connects again and says that it may have missed something', async () => {
  await db.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and application_name = 'adaptor-marketplace listen'`,
  );
  await eventually(() => expect(connections).toBe(2));
  await db.pool.query(`select pg_notify('indexed', 'testnet')`);
  await eventually(() => expect(heard).toEqual(['indexed testnet']));
});

test('a listener closes although the server accepts its connection and never answers', async () => {
  const accepted = Promise.withResolvers<void>();
  const silent = createServer((socket) => {
    socket.on('error', () => undefined).resume();
    accepted.resolve();
  });
  const { port, close } = await listenLocally(silent);
  const url = `postgres://127.0.0.1:${port}/none`;
  const ignore = () => undefined;
  const waiting = listen({ url, channels: [], onNotification: ignore, onConnected: ignore });
  await accepted.promise;
  await waiting.close();
  await close();
});

test('an outage is logged once, however often the listener tries to connect', async () => {
  const lines: { msg: string }[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  let attempts = 0;
  const down = createServer((socket) => {
    attempts++;
    socket.destroy();
  });
  const { port, close } = await listenLocally(down);
  const url = `postgres://127.0.0.1:${port}/none`;
  const ignore = () => undefined;
  const trying = listen({ url, channels: [], onNotification: ignore, onConnected: ignore, log });
  await eventually(() => expect(attempts).toBeGreaterThan(2));
  await trying.close();
  await close();
  expect(lines.map(({ msg }) => msg)).toEqual(['lost the connection that listens for changes']);
});
