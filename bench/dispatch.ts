import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from '@prometheus-io/client';
import { type Database, openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { silentLogger } from '../lib/log/index.ts';
import { type Outbound, webhookOutbound } from '../lib/outbound/index.ts';
import { messageBytes, secretBox } from '../lib/webhooks/signing.ts';
import { openSubscriptions, type Subscriptions } from '../lib/webhooks/subscriptions.ts';
import { createDispatcher, type Dispatcher } from '../services/dispatcher/dispatcher.ts';
import { adminSecret } from '../test/support/keys.ts';
import { openTestKv } from '../test/support/kv.ts';
import { standalone, startRedisServers } from '../test/support/redis-server.ts';
import { registryEvents } from '../test/support/registry-events.ts';
import type { Options, Result } from './measure.ts';
import { median } from './measure.ts';

const subscriptionsCount = 50;
const eventsFull = 1_000;
const rounds = 5;
const budgetMs = 600_000;

/**
 * Deliveries per second, from the stored event to the stored attempt. The limit is a bare loop that posts the same bodies
 * with the same client to the same receiver, with one concurrent request for each subscription. Both run in turn in one
 * process; the results are medians.
 */
export async function run({ scale }: Options): Promise<Result> {
  const events = Math.max(50, Math.round(eventsFull * scale));
  await using stack = new AsyncDisposableStack();
  const { db, subscriptions, subscribe } = await openWorld(stack);
  const url = await startReceiver(stack);
  for (let n = 0; n < subscriptionsCount; n++) await subscribe(`${url}/${n}`);
  const outbound = webhookOutbound(['127.0.0.0/8']);
  stack.defer(() => outbound.close());
  const dispatcher = createDispatcher({
    db,
    networks: ['testnet'],
    subscriptions,
    secrets,
    outbound,
    log: silentLogger,
    metrics: new Registry(),
  });
  stack.defer(() => dispatcher.close());
  const { addEvents } = registryEvents(db);

  const dispatched: number[] = [];
  const bare: number[] = [];
  for (let round = 0; round <= rounds; round++) {
    await addEvents(events);
    const bodies = await bodiesOf(db, events);
    const figures = [
      await dispatch(dispatcher, events * subscriptionsCount),
      await post(outbound, url, bodies),
    ];
    // The first round is a warm-up.
    if (round === 0) continue;
    dispatched.push(figures[0]!);
    bare.push(figures[1]!);
  }
  const [value, limit] = [median(dispatched), median(bare)];
  return {
    name: 'dispatch',
    unit: 'deliveries/s',
    value: Math.round(value),
    limit: Math.round(limit),
    limitName: 'bare loop of posts, same bodies and client',
    ratio: value / limit,
    aim: 0.6,
    details: { events, subscriptions: subscriptionsCount, rounds },
  };
}

async function startReceiver(stack: AsyncDisposableStack): Promise<string> {
  const child = fork(join(import.meta.dirname, 'dispatch/receiver-process.ts'));
  stack.defer(async () => {
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  });
  const [url] = await once(child, 'message');
  return String(url);
}

async function dispatch(dispatcher: Dispatcher, deliveries: number): Promise<number> {
  const startedAtMs = performance.now();
  const { delivered, pending } = await dispatcher.dispatch('testnet', budgetMs);
  if (delivered !== deliveries || pending !== 0) throw new Error(`${delivered} of ${deliveries} delivered`);
  return deliveries / ((performance.now() - startedAtMs) / 1000);
}

/** The bodies of the newest events. */
async function bodiesOf(db: Database, count: number): Promise<Buffer[]> {
  const { rows } = await db.pool.query(
    `select name, data, timestamp, tx_digest || ':' || event_index as id from events
      order by checkpoint desc, tx_index desc, event_index desc limit $1`,
    [count],
  );
  return rows.map(({ name: event, data, timestamp, id }) =>
    messageBytes({ network: 'testnet', event, data, timestampMs: timestamp.getTime(), id }),
  );
}

async function post(outbound: Outbound, url: string, bodies: Buffer[]): Promise<number> {
  const headers = { 'content-type': 'application/json' };
  const options = { headers, readMax: 16_384, timeoutMs: 15_000 };
  const startedAtMs = performance.now();
  await Promise.all(
    Array.from({ length: subscriptionsCount }, async (_, n) => {
      for (const body of bodies) await outbound.postBytes(`${url}/${n}`, { ...options, body });
    }),
  );
  return (bodies.length * subscriptionsCount) / ((performance.now() - startedAtMs) / 1000);
}

interface World {
  db: Database;
  redisUrl: string;
  subscriptions: Subscriptions;
  subscribe(url: string): Promise<{ id: string }>;
}

const secrets = secretBox(adminSecret);
let made = 0;

/** A database and a key-value store. The stack removes them. */
export async function openWorld(stack: AsyncDisposableStack): Promise<World> {
  const dir = await mkdtemp(join(tmpdir(), 'bench-dispatch-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const server = await startEmbeddedServer({ dir, volatile: true });
  stack.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 8 });
  stack.defer(() => db.close());
  await migrateDatabase(db);
  const redis = await startRedisServers(standalone);
  stack.defer(() => redis.stop());
  const redisUrl = redis.urls[0]!;
  const kv = await openTestKv(redisUrl);
  stack.defer(() => kv.close());
  const subscriptions = openSubscriptions(kv);

  async function subscribe(url: string) {
    const id = `wh_bench${made++}`;
    await subscriptions.add({
      id,
      owner: 'admin',
      url,
      events: ['Registered', 'Updated', 'Unlisted', 'Attested'],
      sealedSecret: secrets.seal('secret-of-the-benchmark', id),
      state: 'active',
      after: {},
      createdMs: made,
    });
    return { id };
  }
  return { db, redisUrl, subscriptions, subscribe };
}
