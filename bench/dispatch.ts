import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Registry } from '@prometheus-io/client';
import { type Database, openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { readLastEventPositions, startPositions } from '../db/queries/webhooks/positions.ts';
import { confirmSubscriptions } from '../db/queries/webhooks/subscriptions.ts';
import { inTransaction } from '../db/transaction.ts';
import type { Kv } from '../lib/kv/kv.ts';
import { silentLogger } from '../lib/log/index.ts';
import { createWebhookOutbound, type Outbound } from '../lib/outbound/index.ts';
import {
  createSecretBox,
  deriveSigningKeys,
  encodeMessage,
  signBody,
  signStandard,
} from '../lib/webhooks/signing.ts';
import {
  openSubscriptions,
  type Subscription,
  type Subscriptions,
  toFilter,
  webhookEvents,
} from '../lib/webhooks/subscriptions.ts';
import { createDispatcher, type Dispatcher } from '../services/dispatcher/dispatcher.ts';
import { adminSecret } from '../test/support/keys.ts';
import { openTestKv } from '../test/support/kv.ts';
import { standalone, startRedisServers } from '../test/support/redis-server.ts';
import { registryEvents } from '../test/support/registry-events.ts';
import { median, type Options, type Result } from './measure.ts';
import { openServerCpu } from './server-cpu.ts';

const subscriptionsCount = 50;
const eventsFull = 1_000;
const rounds = 6;
const budgetMs = 600_000;
/** Subscriptions in the comparison of many with few: those that match the events, and all. */
const matchingCount = 100;
const manyFull = 10_000;

/**
 * Deliveries per second of processor time (of this process and of PostgreSQL), from the stored event to the stored
 * attempt. The limit is a bare loop in this process that signs and posts the same bodies with the same client to the same
 * receiver, with one concurrent request for each subscription, and that stores after 50 answers of a subscription how far
 * it has got: enough to go on after a crash, without a log of attempts. Both commit to the same server, with fsync. They
 * run by turns and in alternating order; the results are medians.
 */
export async function run({ scale }: Options): Promise<Result> {
  const events = Math.max(50, Math.round(eventsFull * scale));
  await using stack = new AsyncDisposableStack();
  const url = await startReceiver(stack);
  const outbound = createWebhookOutbound(['127.0.0.0/8']);
  stack.defer(() => outbound.close());
  const world = await openWorld(stack, { durable: true });
  for (let n = 0; n < subscriptionsCount; n++) await world.subscribe(`${url}/${n}`);
  const dispatcher = openDispatcher(world, outbound, stack);
  const { addEvents } = registryEvents(world.db);
  await world.db.pool.query('create table bare_loop (subscription int primary key, position int not null)');
  await world.db.pool.query('insert into bare_loop select n, 0 from generate_series(0, $1 - 1) as n', [
    subscriptionsCount,
  ]);

  const deliveries = events * subscriptionsCount;
  const dispatched: Spent[] = [];
  const bare: Spent[] = [];
  for (let round = 0; round <= rounds; round++) {
    await addEvents(events);
    const bodies = await readBodies(world.db, events);
    const both = [
      async () => dispatched.push(await spent(world, () => dispatch(dispatcher, deliveries))),
      async () => bare.push(await spent(world, () => post(world.db, outbound, url, bodies))),
    ];
    for (const one of round % 2 === 0 ? both : both.reverse()) await one();
  }
  // The first round is a warm-up.
  const perSecond = (runs: Spent[], read: (run: Spent) => number) =>
    deliveries / median(runs.slice(1).map(read));
  const cpu = ({ cpuSeconds }: Spent) => cpuSeconds;
  const wall = ({ wallSeconds }: Spent) => wallSeconds;
  const [value, limit] = [perSecond(dispatched, cpu), perSecond(bare, cpu)];
  const [wallValue, wallLimit] = [perSecond(dispatched, wall), perSecond(bare, wall)];
  const many = Math.max(200, Math.round(manyFull * scale));
  return {
    name: 'dispatch',
    unit: 'deliveries per processor second',
    value: Math.round(value),
    limit: Math.round(limit),
    limitName: 'bare loop that signs, posts the same bodies, and stores its position after 50 answers',
    ratio: value / limit,
    aim: 0.6,
    details: {
      events,
      subscriptions: subscriptionsCount,
      rounds,
      perSecond: Math.round(wallValue),
      perSecondOfLimit: Math.round(wallLimit),
      ratioByTime: (wallValue / wallLimit).toFixed(2),
      [`processorTimeOf${many}ToThatOf${matchingCount}`]: await compareMany(many, url, outbound, events),
    },
  };
}

/** Processor time of a dispatch among many subscriptions, few of which match, to that among these few alone. */
async function compareMany(many: number, url: string, outbound: Outbound, events: number): Promise<string> {
  await using stack = new AsyncDisposableStack();
  const sides = await Promise.all(
    [matchingCount, many].map(async (count) => {
      const world = await openWorld(stack, { durable: true });
      const asked = Array.from({ length: count }, (_, n): Asked => {
        return { url: `${url}/${n}`, events: [n < matchingCount ? 'Registered' : 'Attested'] };
      });
      await world.subscribeAll(asked);
      return { world, dispatcher: openDispatcher(world, outbound, stack), spent: [] as number[] };
    }),
  );
  const batch = Math.max(10, Math.round(events / 10));
  for (let round = 0; round <= rounds; round++) {
    for (const { world, dispatcher, spent: costs } of round % 2 === 0 ? sides : sides.toReversed()) {
      await getEventWriter(world).addEvents(batch);
      const { cpuSeconds } = await spent(world, () => dispatch(dispatcher, batch * matchingCount));
      if (round > 0) costs.push(cpuSeconds);
    }
  }
  return (median(sides[1]!.spent) / median(sides[0]!.spent)).toFixed(2);
}

const adding = new WeakMap<World, ReturnType<typeof registryEvents>>();
/** Returns the event writer of a database. It continues after the last position. */
function getEventWriter(world: World) {
  const known = adding.get(world) ?? registryEvents(world.db);
  adding.set(world, known);
  return known;
}

interface Spent {
  wallSeconds: number;
  cpuSeconds: number;
}

/** Measures the wall time of `work`, and its processor time in this process and in PostgreSQL. */
async function spent(world: World, work: () => Promise<void>): Promise<Spent> {
  const cpuBefore = process.cpuUsage();
  const serverBefore = await world.serverCpuSeconds();
  const startedAtMs = performance.now();
  await work();
  const wallSeconds = (performance.now() - startedAtMs) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { wallSeconds, cpuSeconds: (user + system) / 1e6 + (await world.serverCpuSeconds()) - serverBefore };
}

export async function startReceiver(stack: AsyncDisposableStack): Promise<string> {
  const child = fork(join(import.meta.dirname, 'dispatch/receiver-process.ts'));
  stack.defer(async () => {
    const exited = once(child, 'exit');
    child.disconnect();
    await exited;
  });
  const [url] = await once(child, 'message');
  return String(url);
}

export function openDispatcher(
  { db, subscriptions }: World,
  outbound: Outbound,
  stack: AsyncDisposableStack,
): Dispatcher {
  const shared = { db, subscriptions, secrets, outbound, log: silentLogger, metrics: new Registry() };
  const dispatcher = createDispatcher({ ...shared, networks: ['testnet'] });
  stack.defer(() => dispatcher.close());
  return dispatcher;
}

async function dispatch(dispatcher: Dispatcher, deliveries: number): Promise<void> {
  const { delivered, pending } = await dispatcher.dispatch('testnet', budgetMs);
  if (delivered !== deliveries || pending !== 0) throw new Error(`${delivered} of ${deliveries} delivered`);
}

interface Body {
  id: string;
  event: string;
  bytes: Buffer;
}

/** The bodies of the newest events. */
async function readBodies(db: Database, count: number): Promise<Body[]> {
  const { rows } = await db.pool.query(
    `select name, data, timestamp, tx_digest || ':' || event_index as id from events
      order by checkpoint desc, tx_index desc, event_index desc limit $1`,
    [count],
  );
  return rows.map(({ name: event, data, timestamp, id }) => {
    const message = { network: 'testnet' as const, event, data, timestampMs: timestamp.getTime(), id };
    return { id, event, bytes: encodeMessage(message) };
  });
}

async function post(db: Database, outbound: Outbound, url: string, bodies: Body[]): Promise<void> {
  await Promise.all(
    Array.from({ length: subscriptionsCount }, async (_, n) => {
      const keys = deriveSigningKeys(`secret-of-the-benchmark-${n}`);
      for (const [at, { id, event, bytes: body }] of bodies.entries()) {
        const timestamp = Math.floor(Date.now() / 1000);
        const headers = {
          'content-type': 'application/json',
          'user-agent': 'adaptor-marketplace',
          'accept-encoding': 'identity',
          'x-svc-event': event,
          'webhook-id': id,
          'webhook-timestamp': String(timestamp),
          'x-svc-signature': signBody(keys, body),
          'webhook-signature': signStandard(keys, id, timestamp, body),
        };
        await outbound.postBytes(`${url}/${n}`, { headers, body, readMax: 16_384, timeoutMs: 15_000 });
        if (at % 50 === 49 || at === bodies.length - 1) {
          const text = 'update bare_loop set position = position + 50 where subscription = $1';
          await db.pool.query({ name: 'bare-loop', text, values: [n] });
        }
      }
    }),
  );
}

type Asked = Pick<Subscription, 'url' | 'events'>;

interface World {
  db: Database;
  redisUrl: string;
  kv: Kv;
  subscriptions: Subscriptions;
  subscribe(url: string): Promise<{ id: string }>;
  /** Adds all in one transaction: thousands of commits would take minutes. */
  subscribeAll(asked: readonly Asked[]): Promise<{ id: string }[]>;
  /** Processor time of PostgreSQL so far. */
  serverCpuSeconds(): Promise<number>;
}

const secrets = createSecretBox(adminSecret);
let made = 0;

/** A database and a key-value store. The stack removes them. */
export async function openWorld(stack: AsyncDisposableStack, { durable = false } = {}): Promise<World> {
  const dir = await mkdtemp(join(tmpdir(), 'bench-dispatch-'));
  stack.defer(() => rm(dir, { recursive: true, force: true }));
  const server = await startEmbeddedServer({ dir, volatile: !durable });
  stack.defer(() => server.stop());
  const db = openDatabase(server.url, { max: 8 });
  stack.defer(() => db.close());
  await migrateDatabase(db);
  await registryEvents(db).follow();
  const redis = await startRedisServers(standalone);
  stack.defer(() => redis.stop());
  const redisUrl = redis.urls[0]!;
  const kv = await openTestKv(redisUrl);
  stack.defer(() => kv.close());
  const subscriptions = openSubscriptions(kv);

  async function subscribeAll(asked: readonly Asked[]) {
    const all = asked.map(({ url, events }): Subscription => {
      const nth = made++;
      const id = `wh_bench${nth}`;
      const sealedSecret = secrets.seal(`secret-of-the-benchmark-${nth}`, id);
      return { id, owner: 'admin', url, events, sealedSecret, state: 'active', createdMs: nth };
    });
    await inTransaction(db.pool, async (client) => {
      const heads = await readLastEventPositions(client);
      for (const one of all) {
        const text = 'insert into webhook_subscriptions (subscription, owner) values ($1, $2)';
        await client.query({ name: 'bench-subscription', text, values: [one.id, one.owner] });
        await startPositions(client, toFilter(one), heads);
      }
    });
    for (let at = 0; at < all.length; at += 100) {
      await Promise.all(all.slice(at, at + 100).map((one) => subscriptions.add(one)));
    }
    await confirmSubscriptions(
      db.pool,
      all.map(({ id }) => id),
    );
    return all;
  }
  const subscribe = async (url: string) => (await subscribeAll([{ url, events: [...webhookEvents] }]))[0]!;

  const serverCpuSeconds = await openServerCpu(db.pool);
  return { db, redisUrl, kv, subscriptions, subscribe, subscribeAll, serverCpuSeconds };
}
