import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '../support/eventually.ts';
import type { PatroniCluster } from '../support/patroni/cluster.ts';
import type { World } from '../support/world/world.ts';
import type { Runs } from './runs.ts';

/** Milliseconds from the death of a primary until something works again. */
export interface Failover {
  /** The cluster has another primary. */
  cluster: number;
  /** Every gateway answers a search from the database. */
  reads: number;
  /** The indexer stores an event that is new. */
  events: number;
  /** The agent ends a payment. */
  payments: number;
}

interface FailoverOptions {
  times: number;
  print(line: string): void;
}

/** Milliseconds without an indexer, so that it has to catch up when the primary dies. */
const withoutIndexerMs = 2_000;
/** Milliseconds from the start of the indexers until the primary dies, spread evenly. */
const untilDeathMs = [500, 3_000] as const;

/**
 * Kills the primary of the world's cluster again and again, with its Patroni: while indexers catch up, and while webhooks and
 * payments are under way. Each time the dead server comes back as a replica before the next one dies.
 */
export async function playFailovers(
  world: World,
  cluster: PatroniCluster,
  runs: Runs,
  { times, print }: FailoverOptions,
): Promise<Failover[]> {
  const failovers: Failover[] = [];
  const indexers = world.roles.filter(({ name }) => name === 'indexer');
  const countEvents = async () =>
    Number((await world.db.pool.query('select count(*) from events')).rows[0].count);
  const countDone = () => [...runs.requests.values()].filter(({ end }) => end === 'done').length;
  while (failovers.length < times) {
    const primary = await cluster.settle();
    for (const { service } of indexers) service().process.kill('SIGKILL');
    await delay(withoutIndexerMs);
    for (const { start } of indexers) start();
    const [from, to] = untilDeathMs;
    await delay(from + ((to - from) * failovers.length) / times);
    const events = await countEvents();
    await primary.kill();
    const killedMs = performance.now();
    const done = countDone();
    const measure = async (check: () => Promise<unknown>) => {
      await eventually(check, { intervalMs: 50 });
      return Math.round(performance.now() - killedMs);
    };
    const [reached, reads, stored, payments] = await Promise.all([
      measure(() => world.db.pool.query('select')),
      measure(async () => {
        for (const gateway of world.gateways) {
          const { status } = await fetch(`${gateway}/api/adaptors?q=swap`);
          if (status !== 200) throw new Error(`${gateway} answers ${status}`);
        }
      }),
      measure(async () => {
        if ((await countEvents()) <= events) throw new Error('no event is new');
      }),
      measure(async () => {
        if (countDone() <= done) throw new Error(`no payment is done: ${runs.trouble()}`);
      }),
    ]);
    const failover = { cluster: reached, reads, events: stored, payments };
    failovers.push(failover);
    print(`failover ${failovers.length}: ${JSON.stringify(failover)} ms`);
    await primary.start();
  }
  await cluster.settle();
  return failovers;
}
