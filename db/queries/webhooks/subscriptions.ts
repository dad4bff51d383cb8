import type { ClientBase } from 'pg';
import type { Queryable } from '../queryable.ts';
import { wakeDispatchers } from './deliveries.ts';

/** Makes subscriptions known to the database; a new one in the transaction that adds it to the store. */
export async function addSubscriptions(db: Queryable, subscriptions: readonly string[]): Promise<void> {
  const statement =
    'insert into webhook_subscriptions (subscription) select unnest($1::text[]) on conflict do nothing';
  await db.query(statement, [subscriptions]);
}

/** The subscriptions that were added and not removed, and that are not among `present`. */
export async function missingSubscriptions(db: Queryable, present: Iterable<string>): Promise<string[]> {
  const { rows } = await db.query<{ subscription: string }>({
    name: 'webhook-missing',
    text: `select s.subscription from webhook_subscriptions s
      where s.removed_at is null and not exists (select from unnest($1::text[]) as p (id) where p.id = s.subscription)
      order by s.subscription`,
    values: [[...present]],
  });
  return rows.map(({ subscription }) => subscription);
}

/** Accepts that the subscriptions missing from the store are lost. @returns how many */
export async function forgetMissingSubscriptions(db: Queryable, present: Iterable<string>): Promise<number> {
  const { rowCount } = await db.query(
    'update webhook_subscriptions set removed_at = now() where subscription = any($1)',
    [await missingSubscriptions(db, present)],
  );
  return rowCount ?? 0;
}

/** Until the end of the transaction, for one process that adds a subscription of this owner: their number is limited. */
export async function lockOwner(client: ClientBase, owner: string): Promise<void> {
  await client.query('select pg_advisory_xact_lock(hashtextextended($1, 0))', [`webhook owner ${owner}`]);
}

/** When each subscription began to fail without a success since; those that do not are absent. */
export async function readFailing(
  db: Queryable,
  subscriptions: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ subscription: string; failing_since: Date }>({
    name: 'webhook-failing',
    text: `select subscription, failing_since from webhook_subscriptions
      where subscription = any($1) and failing_since is not null`,
    values: [subscriptions],
  });
  return new Map(rows.map((row) => [row.subscription, row.failing_since.getTime()]));
}

/** Resumes deliveries to a receiver that was disabled after failures or is overloaded. */
export async function forgetFailures(db: Queryable, subscription: string): Promise<void> {
  await db.query(
    'update webhook_subscriptions set failing_since = null, held_until = null where subscription = $1',
    [subscription],
  );
  await db.query(wakeDispatchers);
}

/**
 * Remembers that a subscription was deleted, before the store forgets it: one that is missing from the store without
 * this was lost. Its worker then ends.
 */
export async function markRemoved(db: Queryable, subscription: string): Promise<void> {
  await db.query(
    `insert into webhook_subscriptions (subscription, removed_at) values ($1, now())
      on conflict (subscription) do update set removed_at = now(), lease = null, leased_until = null`,
    [subscription],
  );
}

/** Removes the deliveries of a subscription, and their attempts. */
export async function removeDeliveries(db: Queryable, subscription: string): Promise<void> {
  for (const table of ['webhook_deliveries', 'webhook_attempts']) {
    await db.query(`delete from ${table} where subscription = $1`, [subscription]);
  }
}

/** A delivery that is due now. */
export interface Due {
  subscription: string;
  id: number;
  network: string;
  /** All three null for a test event. */
  checkpoint: number | null;
  txIndex: number | null;
  eventIndex: number | null;
  event: string;
  data: Record<string, unknown> | null;
  /** Failed attempts since the last resend. */
  failures: number;
  createdAt: Date;
}

/** A subscription's deliveries: `first` attempts in the order of events, or the `retry` of earlier ones. */
export type Kind = 'first' | 'retry';

interface ClaimOptions {
  /** Subscriptions that may be sent to. */
  subscriptions: readonly string[];
  networks: readonly string[];
  /** Names the dispatcher that claims. */
  lease: string;
  leaseMs: number;
  /** Maximum number of subscriptions. */
  limit: number;
}

const firstDue = `due_at is not null and attempts = 0 and checkpoint is not null`;
const retryDue = `due_at <= now() and (attempts > 0 or checkpoint is null)`;

/**
 * Leases subscriptions that have something due and that no dispatcher holds, the longest waiting first. The lease
 * expires after `leaseMs` by the database's clock, for dispatchers that crash.
 */
export async function claimSubscriptions(
  db: Queryable,
  { subscriptions, networks, lease, leaseMs, limit }: ClaimOptions,
): Promise<string[]> {
  const { rows } = await db.query<{ subscription: string }>({
    name: 'webhook-claim',
    text: `
with chosen as (
  select s.subscription from webhook_subscriptions s
  where s.subscription = any($1) and (s.leased_until is null or s.leased_until <= now())
    and exists (
      select from unnest($2::text[]) as n (network)
      where (s.held_until is null or s.held_until <= now()) and exists (
          select from webhook_deliveries d
          where d.subscription = s.subscription and d.network = n.network and ${firstDue})
        or exists (
          select from webhook_deliveries d
          where d.subscription = s.subscription and d.network = n.network and ${retryDue}))
  order by s.taken_at nulls first
  limit $5
  for update skip locked
)
update webhook_subscriptions s
set lease = $3, leased_until = now() + $4 * interval '1 ms', taken_at = clock_timestamp()
from chosen where s.subscription = chosen.subscription
returning s.subscription`,
    values: [subscriptions, networks, lease, leaseMs, limit],
  });
  return rows.map(({ subscription }) => subscription);
}

/** Extends a lease; false if this dispatcher has lost it. */
export async function renewLease(
  db: Queryable,
  subscription: string,
  lease: string,
  leaseMs: number,
): Promise<boolean> {
  const { rowCount } = await db.query({
    name: 'webhook-renew',
    text: `update webhook_subscriptions set leased_until = now() + $3 * interval '1 ms'
      where subscription = $1 and lease = $2 and leased_until > now()`,
    values: [subscription, lease, leaseMs],
  });
  return rowCount === 1;
}

export async function releaseLease(db: Queryable, subscription: string, lease: string): Promise<void> {
  await db.query({
    name: 'webhook-release',
    text: 'update webhook_subscriptions set lease = null, leased_until = null where subscription = $1 and lease = $2',
    values: [subscription, lease],
  });
}

/** The delivery after which a network's first attempts continue: those before it may be sent, but not stored yet. */
interface Position {
  network: string;
  after: number;
}

/** The due deliveries of a leased subscription, in order; at most `limit` of each network. */
export async function readDue(
  db: Queryable,
  subscription: string,
  positions: readonly Position[],
  kind: Kind,
  limit: number,
): Promise<Due[]> {
  const due =
    kind === 'first'
      ? `${firstDue} and d.id > n.after and (s.held_until is null or s.held_until <= now()) order by d.id`
      : `${retryDue} order by d.due_at`;
  const { rows } = await db.query<Due>({
    name: `webhook-due-${kind}`,
    text: `
select d.subscription, d.id, d.network, d.checkpoint, d.tx_index as "txIndex", d.event_index as "eventIndex",
  d.event, d.data, d.failures, d.created_at as "createdAt"
from webhook_subscriptions s
cross join unnest($2::text[], $3::bigint[]) as n (network, after)
cross join lateral (
  select d.* from webhook_deliveries d
  where d.subscription = s.subscription and d.network = n.network and ${due}
  limit $4
) d
where s.subscription = $1`,
    values: [
      subscription,
      positions.map(({ network }) => network),
      positions.map(({ after }) => after),
      limit,
    ],
  });
  return kind === 'first' ? rows.toSorted((a, b) => a.id - b.id) : rows;
}
