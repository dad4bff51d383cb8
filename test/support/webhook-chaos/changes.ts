import type { Pool, PoolClient } from 'pg';
import type { Database } from '../../../db/client.ts';
import type { Subscriptions } from '../../../lib/webhooks/subscriptions.ts';
import { changeWebhook } from '../../../services/gateway/webhooks/changes.ts';
import type { Random } from '../frames/random.ts';

export const eventNames = ['Registered', 'Quarantined'] as const;
type EventName = (typeof eventNames)[number];

/** A subscription that is paused, resumed and changed to other events. */
export interface Changing {
  id: string;
  /** Path of its receiver. */
  path: string;
  /** Events that it subscribes to now; none while it is paused. */
  asks: readonly string[];
  /** Ids of the events that it must receive. */
  expected: string[];
  /** Ids of events outside of its filter. */
  unasked: Set<string>;
  changes?: number;
  failed?: number;
}

interface Stores {
  db: Database;
  subscriptions: Subscriptions;
}

const filters: readonly (readonly EventName[])[] = [[], ['Registered'], ['Quarantined'], eventNames];

/**
 * Changes one of the subscriptions, and adds events. If one of the two writes fails, more events are added before the
 * change is retried, as by a client that got no answer. The subscription must then receive the events that match both
 * filters.
 */
export async function changeAtRandom(
  { db, subscriptions }: Stores,
  changing: readonly Changing[],
  random: Random,
  add: () => Promise<{ name: string; added: string[] }>,
): Promise<void> {
  const pick = <T>(from: readonly T[]) => from[Math.floor(random.next() * from.length)]!;
  const one = pick(changing);
  const before = one.asks;
  const after = pick(filters);
  const change = (stores: { sessions: Pool; subscriptions: Subscriptions }) =>
    changeWebhook(stores, one.id, ({ events, ...rest }) => ({
      ...rest,
      events: after.length > 0 ? [...after] : events,
      state: after.length > 0 ? 'active' : 'paused',
    }));
  const fault = pick(['none', 'store', 'database'] as const);
  if (fault !== 'none') {
    const stores =
      fault === 'store'
        ? {
            sessions: db.sessions,
            subscriptions: { ...subscriptions, change: () => Promise.reject(new Error('no store')) },
          }
        : { sessions: withoutCommit(db.sessions), subscriptions };
    // A change without an effect needs no write to the database.
    await change(stores).then(
      () => undefined,
      () => {
        one.failed = (one.failed ?? 0) + 1;
      },
    );
    const { name, added } = await add();
    for (const each of changing) {
      const asked =
        each === one
          ? [before.includes(name), after.includes(name as EventName)]
          : [each.asks.includes(name)];
      if (asked.every(Boolean)) each.expected.push(...added);
      else if (!asked.some(Boolean)) for (const id of added) each.unasked.add(id);
    }
  }
  await change({ sessions: db.sessions, subscriptions });
  one.asks = after;
  one.changes = (one.changes ?? 0) + 1;
  const { name, added } = await add();
  for (const each of changing) {
    if (each.asks.includes(name)) each.expected.push(...added);
    else for (const id of added) each.unasked.add(id);
  }
}

/** Resumes the paused subscriptions, so that they receive the earlier events. */
export async function resumeAll({ db, subscriptions }: Stores, changing: readonly Changing[]): Promise<void> {
  for (const { id } of changing)
    await changeWebhook({ sessions: db.sessions, subscriptions }, id, (one) => ({ ...one, state: 'active' }));
}

/** A pool whose transactions are rolled back instead of committed. */
function withoutCommit(pool: Pool): Pool {
  const broken = (client: PoolClient) =>
    new Proxy(client, {
      get(target, name) {
        if (name !== 'query') return bound(target, name);
        return async (text: unknown, ...rest: unknown[]) => {
          if (text !== 'commit') return Reflect.apply(target.query, target, [text, ...rest]);
          await target.query('rollback');
          throw new Error('no database');
        };
      },
    });
  return new Proxy(pool, {
    get(target, name) {
      if (name === 'connect') return async () => broken(await target.connect());
      return bound(target, name);
    },
  });
}

function bound(target: object, name: string | symbol): unknown {
  const value: unknown = Reflect.get(target, name);
  return typeof value === 'function' ? value.bind(target) : value;
}
