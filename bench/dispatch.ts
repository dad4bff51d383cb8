import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { Registry } from '@prometheus-io/client';
import type { Database } from '../db/client.ts';
import { silentLogger } from '../lib/log/index.ts';
import type { Outbound } from '../lib/outbound/index.ts';
import { messageBytes } from '../lib/webhooks/message.ts';
import { webhookOutbound } from '../lib/webhooks/outbound.ts';
import { createDispatcher, type Dispatcher } from '../services/dispatcher/dispatcher.ts';
import { registryEvents } from '../test/support/registry-events.ts';
import { openWorld, secrets } from './dispatch/world.ts';
import { median } from './measure/median.ts';
import type { Options, Result } from './run.ts';

const subscriptionsCount = 50;
const eventsFull = 1_000;
const rounds = 5;
const budgetMs = 600_000;

/**
 * Deliveries per second, from the stored event to the stored attempt, beside a bare loop that posts the same bodies
 * with the same client to the same receiver, as many at a time as there are subscriptions. By turns in one process;
 * medians.
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
    // The first warms both up.
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
