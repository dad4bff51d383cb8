import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Database } from '../../../db/client.ts';
import { Random } from '../frames/random.ts';
import { type Behaviour, behaviours, type Seen, startReceivers } from './receivers.ts';

interface ChaosOptions {
  db: Database;
  redisUrl: string;
  subscribe(url: string): Promise<{ id: string }>;
  addEvents(count: number): Promise<string[]>;
  events: number;
  subscriptions: number;
  /** Resolves when the next dispatcher should be killed. */
  nextKill(kills: number, requests: () => number, signal: AbortSignal): Promise<unknown>;
  /** After so many, what is left is delivered in peace. */
  killsMax: number;
  seed: number;
}

/** What came of it; `events` is what every answering subscription must have got. */
interface ChaosReport {
  events: number;
  kills: number;
  /** Subscriptions that answer 2xx, now and then at least. */
  answering: number;
  requests: number;
  /** 2xx answers to an event beyond the first. */
  repeated: number;
  /** 2xx answers of which no attempt is stored. */
  lost: number;
  /** Of these, answers to dispatchers that were not killed before the end. */
  unexplained: number;
  /** Events that an answering subscription never got. */
  missing: number;
  /** Delivery rows of answering subscriptions that are not delivered, or beyond one for each event. */
  wrongRows: number;
  /** Deliveries with another number of stored successes than one, or with an attempt stored after it. */
  wrongSuccesses: number;
  seconds: number;
}

const answeringKinds: readonly Behaviour[] = ['good', 'slow', 'flapping'];
const batches = 40;

/** Two dispatchers, killed by turns, while events come and receivers behave as they do. */
export async function runChaos(options: ChaosOptions): Promise<ChaosReport> {
  const { db, redisUrl, events } = options;
  const startedAtMs = performance.now();
  const receivers = await startReceivers(new Random(options.seed));
  const ids = new Map<string, string>();
  for (let n = 0; n < options.subscriptions; n++) {
    // Half of them are good.
    const behaviour = n % 2 === 0 ? 'good' : behaviours[((n - 1) / 2) % behaviours.length]!;
    const path = `/${behaviour}/${n}`;
    ids.set(path, (await options.subscribe(receivers.url + path)).id);
  }
  const answering = [...ids].filter(([path]) => answeringKinds.includes(path.split('/')[1] as Behaviour));
  const answeringIds = answering.map(([, id]) => id);

  const killed = new Set<number>();
  const stop = new AbortController();
  const start = () => startDispatcher(db.url, redisUrl);
  const running = await Promise.all([start(), start()]);
  const killer = (async () => {
    for (let turn = 0; turn < options.killsMax; turn++) {
      await options.nextKill(turn, () => receivers.seen.length, stop.signal);
      const victim = running[turn % 2]!;
      killed.add(victim.pid!);
      await kill(victim);
      await endLeases(db, victim);
      running[turn % 2] = await start();
    }
  })().catch(() => undefined);

  const expected: string[] = [];
  try {
    for (let batch = 0; batch < batches; batch++) {
      expected.push(...(await options.addEvents(Math.ceil(events / batches))));
      await delay(10);
    }
    await untilDelivered(db, answeringIds, expected.length);
  } finally {
    stop.abort();
    await killer;
    await Promise.all(running.map(kill));
    await receivers.close();
  }
  const checked = await check(db, new Map(answering), expected, receivers.seen, killed);
  const seconds = Math.round((performance.now() - startedAtMs) / 100) / 10;
  return {
    events: expected.length,
    kills: killed.size,
    answering: answering.length,
    requests: receivers.seen.length,
    ...checked,
    seconds,
  };
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

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill('SIGKILL');
  await exited;
}

/** As if the time of the dead dispatcher's leases had passed. */
async function endLeases(db: Database, { pid }: ChildProcess): Promise<void> {
  await db.pool.query(
    `update webhook_subscriptions set leased_until = now() where split_part(lease, '/', 2) = $1`,
    [String(pid)],
  );
}

const waitMsMax = 1_200_000;

async function untilDelivered(db: Database, subscriptions: string[], events: number): Promise<void> {
  const giveUpAtMs = performance.now() + waitMsMax;
  for (;;) {
    const { rows } = await db.pool.query<{ delivered: number }>(
      `select count(*) as delivered from webhook_deliveries where subscription = any($1) and state = 'delivered'`,
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
    `select count(*) filter (where d.state <> 'delivered') + abs(count(*) - $2) as wrong,
      count(*) filter (where a.successes <> 1 or a.success <> d.attempts) as unsuccessful
    from webhook_deliveries d cross join lateral (
      select count(*) filter (where outcome = 'delivered') as successes,
        max(number) filter (where outcome = 'delivered') as success
      from webhook_attempts a
      where a.subscription = d.subscription and a.delivery = d.id
    ) a where d.subscription = any($1)`,
    [ids, ids.length * expected.length],
  );
  const stored = await db.pool.query<{ response: string }>(
    `select response from webhook_attempts where subscription = any($1) and outcome = 'delivered'`,
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
