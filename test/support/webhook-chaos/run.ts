import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../db/client.ts';
import { countLost, readKnownSubscriptions } from '../../../db/queries/webhooks/subscriptions.ts';
import type { Kv } from '../../../lib/kv/kv.ts';
import type { Subscriptions } from '../../../lib/webhooks/subscriptions.ts';
import { endChild } from '../end-child.ts';
import { eventually } from '../eventually.ts';
import { Random } from '../frames/random.ts';
import { addServiceEvents } from '../service-events.ts';
import { type Changing, changeAtRandom, eventNames, resumeAll } from './changes.ts';
import { type Behaviour, behaviours, type Seen, startReceivers } from './receivers.ts';

interface ChaosOptions {
  db: Database;
  redisUrl: string;
  kv: Kv;
  subscriptions: Subscriptions;
  /** Subscribes a url to these events at least. */
  subscribe(url: string, fields: { events: (typeof eventNames)[number][] }): Promise<{ id: string }>;
  addEvents(count: number, name: 'Registered'): Promise<string[]>;
  events: number;
  subscriptionsCount: number;
  /** Resolves when the next dispatcher should be killed. */
  nextKill(kills: number, requests: () => number, signal: AbortSignal): Promise<unknown>;
  /** Number of kills, after which the remaining deliveries run undisturbed. */
  killsMax: number;
  seed: number;
}

/** Counts of a run. `events` is the number of events that every answering subscription must have received. */
interface ChaosReport {
  events: number;
  kills: number;
  /** Subscriptions whose receivers answer 2xx at least sometimes. */
  answering: number;
  requests: number;
  /** 2xx answers for an event after the first one. */
  repeated: number;
  /** 2xx answers without a stored attempt. */
  lost: number;
  /** Lost answers to dispatchers that were not killed before the end. */
  unexplained: number;
  /** Events that an answering subscription never received. */
  missing: number;
  /**
   * Changes of subscriptions that were paused, resumed or changed to other events, and the number of changes that
   * failed at first.
   */
  changes: number;
  failedChanges: number;
  /** Events that such a subscription never received although it subscribed to them. */
  missingAfterChange: number;
  /** Events outside of its filter that it received, because they were sent before the dispatcher noticed the change. */
  unasked: number;
  /** Deliveries of answering subscriptions that are not delivered, or that exceed one for each event. */
  wrongRows: number;
  /** Deliveries that have an attempt after a successful one. */
  wrongSuccesses: number;
  seconds: number;
}

const answeringKinds: readonly Behaviour[] = ['good', 'slow', 'flapping'];
const batches = 40;
const changingCount = 6;
/** The batch of events during which the store has lost all subscriptions. */
const lossBatch = 25;

/**
 * Runs two dispatchers that are killed in turn while events of the registry and of the service arrive. Meanwhile subscriptions change, and one of a
 * change's two writes fails now and then. The store also loses all records for a while.
 */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { db, redisUrl, events } = options;
  const startedAtMs = performance.now();
  const random = new Random(options.seed);
  const receivers = await startReceivers(random);
  const ids = new Map<string, string>();
  for (let n = 0; n < options.subscriptionsCount; n++) {
    // Half of them are good.
    const behaviour = n % 2 === 0 ? 'good' : behaviours[((n - 1) / 2) % behaviours.length]!;
    const path = `/${behaviour}/${n}`;
    ids.set(path, (await options.subscribe(receivers.url + path, { events: [...eventNames] })).id);
  }
  const answering = [...ids].filter(([path]) => answeringKinds.includes(path.split('/')[1] as Behaviour));
  const answeringIds = answering.map(([, id]) => id);
  const changing: Changing[] = [];
  for (let n = 0; n < changingCount; n++) {
    const path = `/good/changing${n}`;
    const { id } = await options.subscribe(receivers.url + path, { events: [...eventNames] });
    changing.push({ id, path, asks: eventNames, expected: [], unasked: new Set() });
  }

  const killed = new Set<number>();
  const stop = new AbortController();
  const start = () => startDispatcher(db.directUrl, redisUrl);
  const running = await Promise.all([start(), start()]);
  const killer = (async () => {
    for (let turn = 0; turn < options.killsMax; turn++) {
      await options.nextKill(turn, () => receivers.seen.length, stop.signal);
      const victim = running[turn % 2]!;
      killed.add(victim.pid!);
      await endChild(victim, 'SIGKILL');
      await endLeases(db, victim);
      running[turn % 2] = await start();
    }
  })().catch(() => undefined);

  const expected: string[] = [];
  try {
    for (let batch = 0; batch < batches; batch++) {
      const name = eventNames[batch % eventNames.length]!;
      const add = async () => {
        const count = Math.ceil(events / batches);
        const added =
          name === 'Quarantined'
            ? await addServiceEvents(db, count, name)
            : await options.addEvents(count, name);
        expected.push(...added);
        return { name, added };
      };
      const requests = receivers.seen.length;
      if (batch === lossBatch) await loseStoreFor(options, add, changing);
      else await changeAtRandom(options, changing, random, add);
      // The next change happens while the events of this batch are sent.
      await until(() => receivers.seen.length > requests, 'no request');
    }
    await resumeAll(options, changing);
    await untilDelivered(db, answeringIds, expected.length);
    const got = () =>
      new Set(receivers.seen.flatMap((one) => (one.succeeded ? [`${one.receiver} ${one.id}`] : [])));
    await until(
      () => countMissing(changing, got()) === 0,
      'changed subscriptions have not all of their events',
    );
  } finally {
    stop.abort();
    await killer;
    await Promise.all(running.map((child) => endChild(child, 'SIGKILL')));
    await receivers.close();
  }
  const succeeded = new Set(
    receivers.seen.flatMap((one) => (one.succeeded ? [`${one.receiver} ${one.id}`] : [])),
  );
  const checked = await check(db, new Map(answering), expected, receivers.seen, killed);
  const seconds = Math.round((performance.now() - startedAtMs) / 100) / 10;
  return {
    events: expected.length,
    kills: killed.size,
    answering: answering.length,
    requests: receivers.seen.length,
    changes: changing.reduce((sum, { changes = 0 }) => sum + changes, 0),
    failedChanges: changing.reduce((sum, { failed = 0 }) => sum + failed, 0),
    missingAfterChange: countMissing(changing, succeeded),
    unasked: changing.reduce(
      (sum, { path, unasked }) => sum + [...unasked].filter((id) => succeeded.has(`${path} ${id}`)).length,
      0,
    ),
    ...checked,
    seconds,
  };
}

const countMissing = (changing: readonly Changing[], got: ReadonlySet<string>) =>
  changing.reduce(
    (sum, { path, expected }) => sum + expected.filter((id) => !got.has(`${path} ${id}`)).length,
    0,
  );

/** Empties the store of subscriptions, adds events, and restores the store. */
async function loseStoreFor(
  { db, kv }: Pick<ChaosOptions, 'db' | 'kv'>,
  add: () => Promise<{ name: string; added: string[] }>,
  changing: readonly Changing[],
): Promise<void> {
  const index = await kv.hashAll('webhooks');
  const version = await kv.get('webhooks:version');
  const knows = async (id: string) =>
    (await readKnownSubscriptions(db.pool)).some((one) => one.subscription === id && one.confirmed);
  for (const id of index.keys()) await until(() => knows(id), `the database does not know ${id}`);
  const records = new Map<string, string>();
  for (const id of index.keys()) records.set(id, (await kv.get(`wh:${id}`))!);
  for (const id of index.keys()) {
    await kv.delete(`wh:${id}`);
    await kv.hashDelete('webhooks', id);
  }
  await kv.delete('webhooks:version');
  const { name, added } = await add();
  for (const one of changing) if (one.asks.includes(name)) one.expected.push(...added);
  await until(async () => (await countLost(db.pool)) === index.size, 'no dispatcher has noticed the loss');
  for (const [id, owner] of index) {
    await kv.set(`wh:${id}`, records.get(id)!);
    await kv.hashSet('webhooks', id, owner);
  }
  await kv.set('webhooks:version', version!);
}

async function startDispatcher(databaseUrl: string, redisUrl: string): Promise<ChildProcess> {
  const child = fork(join(import.meta.dirname, 'dispatcher-process.ts'), [databaseUrl, redisUrl]);
  await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('a dispatcher ended by itself');
    }),
  ]);
  return child;
}

/** Ends the leases of the dead dispatcher, as if their time had passed. */
async function endLeases(db: Database, { pid }: ChildProcess): Promise<void> {
  await db.pool.query(
    `update webhook_subscriptions set leased_until = now() where split_part(lease, '/', 2) = $1`,
    [String(pid)],
  );
}

const waitMsMax = 1_200_000;

/** Waits for a condition. @throws Error with `problem` if it never holds */
const until = (holds: () => boolean | Promise<boolean>, problem: string): Promise<void> =>
  eventually(async () => {
    if (!(await holds())) throw new Error(problem);
  });

async function untilDelivered(db: Database, subscriptions: string[], events: number): Promise<void> {
  const giveUpAtMs = performance.now() + waitMsMax;
  for (;;) {
    const { rows } = await db.pool.query<{ delivered: number }>(
      `select count(*) as delivered from webhook_log where subscription = any($1) and outcome = 'delivered'`,
      [subscriptions],
    );
    const delivered = rows[0]!.delivered;
    if (delivered === subscriptions.length * events) return;
    if (performance.now() > giveUpAtMs) throw new Error(`only ${delivered} deliveries arrived`);
    await delay(100);
  }
}

async function check(
  db: Database,
  answering: Map<string, string>,
  expected: string[],
  seen: Seen[],
  killed: ReadonlySet<number>,
) {
  const ids = [...answering.values()];
  const rows = await db.pool.query<{ wrong: number; unsuccessful: number }>(
    `with stored as (
      select subscription, stream, outcome, earlier, checkpoint, tx_index, event_index from webhook_log
      where subscription = any($1)
      union all
      select subscription, stream, 'pending', earlier, checkpoint, tx_index, event_index from webhook_retries
      where subscription = any($1)
    )
    select count(*) filter (where outcome <> 'delivered')
        + abs(count(*) - $2) + count(*) - count(distinct (subscription, stream, checkpoint, tx_index, event_index)) as wrong,
      count(*) filter (where earlier @> '[{"outcome": "delivered"}]') as unsuccessful
    from stored`,
    [ids, ids.length * expected.length],
  );
  const stored = await db.pool.query<{ response: string }>(
    `select response from webhook_log where subscription = any($1) and outcome = 'delivered'`,
    [ids],
  );
  const known = new Set(stored.rows.map(({ response }) => response));
  const own = seen.filter(({ receiver }) => answering.has(receiver));
  const lost = own.filter(({ succeeded, nonce }) => succeeded && !known.has(nonce));

  const succeeded = own.filter((one) => one.succeeded);
  const done = new Set(succeeded.map(({ receiver, id }) => `${receiver} ${id}`));
  return {
    repeated: succeeded.length - done.size,
    lost: lost.length,
    unexplained: lost.filter(({ sender }) => !killed.has(sender)).length,
    missing: answering.size * expected.length - done.size,
    wrongRows: rows.rows[0]!.wrong,
    wrongSuccesses: rows.rows[0]!.unsuccessful,
  };
}
