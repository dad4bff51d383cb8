import type { ClientBase, Pool, PoolClient } from 'pg';
import { createQueryBuilder } from '../../client.ts';
import { lockUntilCommit, withLock } from '../../lock.ts';
import { and, eq, isNotNull, isNull, sql } from '../../orm/drizzle.ts';
import { type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';
import { type Queryable, toColumns, toMsSql } from '../queryable.ts';
import type { Position } from '../registry-events.ts';
import { type Filter, readLastEventPositions, startPositions } from './positions.ts';

const known = tables.webhookSubscriptions;

/**
 * Adds a new subscription before the store has it. It starts at the last event of each stream. A subscription that is
 * never confirmed was never reported to its owner, and is removed after a day.
 */
export async function addSubscription(pool: Pool, owner: string, filter: Filter): Promise<void> {
  await inTransaction(pool, async (client) => {
    await createQueryBuilder(client).insert(known).values({ subscription: filter.subscription, owner });
    await startPositions(client, filter, await readLastEventPositions(client));
  });
}

/** Removes a subscription that the store never received. */
export async function dropUnconfirmed(db: Pool | ClientBase, subscription: string): Promise<void> {
  const { webhookPositions } = tables;
  await createQueryBuilder(db)
    .delete(webhookPositions)
    .where(eq(webhookPositions.subscription, subscription));
  await createQueryBuilder(db)
    .delete(known)
    .where(and(eq(known.subscription, subscription), isNull(known.confirmedAt)));
}

/**
 * Marks subscriptions as present in the store: from now on, a missing one counts as lost. Adds those that the database
 * does not know.
 */
export async function confirmSubscriptions(db: Queryable, subscriptions: readonly string[]): Promise<void> {
  await db.query(
    `insert into webhook_subscriptions as s (subscription, confirmed_at) select id, now() from unnest($1::text[]) as id
      on conflict (subscription) do update set confirmed_at = coalesce(s.confirmed_at, now()), lost_at = null`,
    [subscriptions],
  );
}

/** A subscription that the database has rows of. */
export interface SubscriptionState {
  subscription: string;
  confirmed: boolean;
  lost: boolean;
  removed: boolean;
}

export async function readKnownSubscriptions(db: Queryable): Promise<SubscriptionState[]> {
  const { rows } = await db.query<SubscriptionState>({
    name: 'webhook-known',
    text: `select subscription, confirmed_at is not null as confirmed, lost_at is not null as lost,
        removed_at is not null as removed
      from webhook_subscriptions order by subscription`,
  });
  return rows;
}

/**
 * Stores the time from which the store has no record of them, for `/status`. Returns those that are lost: a subscription
 * that was deleted since the database was read is not.
 */
export async function markLost(db: Queryable, subscriptions: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ subscription: string }>(
    `update webhook_subscriptions set lost_at = coalesce(lost_at, now())
      where subscription = any($1) and removed_at is null returning subscription`,
    [subscriptions],
  );
  return rows.map(({ subscription }) => subscription);
}

/** Counts the subscriptions that the store has lost. */
export async function countLost(db: Queryable): Promise<number> {
  const { rows } = await db.query<{ lost: number }>({
    name: 'webhook-lost',
    text: 'select count(*)::int as lost from webhook_subscriptions where lost_at is not null and removed_at is null',
  });
  return rows[0]!.lost;
}

/**
 * Reads the owner of a subscription that the store has lost, so that the owner can delete it. Undefined if it is not
 * lost.
 */
export async function readLostSubscriptionOwner(
  db: Pool,
  subscription: string,
): Promise<string | null | undefined> {
  const [lost] = await createQueryBuilder(db)
    .select({ owner: known.owner })
    .from(known)
    .where(and(eq(known.subscription, subscription), isNotNull(known.confirmedAt), isNull(known.removedAt)));
  return lost?.owner;
}

/** Lists the subscriptions that the store must have, those of one owner or all. */
export async function readExpectedSubscriptions(db: Pool, owner?: string): Promise<string[]> {
  const rows = await createQueryBuilder(db)
    .select({ subscription: known.subscription })
    .from(known)
    .where(
      and(
        isNotNull(known.confirmedAt),
        isNull(known.removedAt),
        owner === undefined ? undefined : eq(known.owner, owner),
      ),
    )
    .orderBy(known.addedAt, known.subscription);
  return rows.map(({ subscription }) => subscription);
}

/**
 * Accepts the loss of subscriptions that are missing from the store, with their pending deliveries. Read what the
 * database expects before the store, or a subscription that is added meanwhile counts as missing. @returns their number
 */
export async function forgetMissingSubscriptions(db: Queryable, missing: readonly string[]): Promise<number> {
  const { rows } = await db.query<{ subscription: string }>(
    `update webhook_subscriptions s set removed_at = now()
      where s.removed_at is null and s.confirmed_at is not null and s.subscription = any($1)
      returning s.subscription`,
    [missing],
  );
  const forgotten = rows.map(({ subscription }) => subscription);
  await db.query('delete from webhook_positions where subscription = any($1)', [forgotten]);
  await db.query('delete from webhook_retries where subscription = any($1)', [forgotten]);
  return forgotten.length;
}

const holdMsMax = 30_000;

/**
 * Runs `work` while no other process changes this subscription: its record in the store and its segments are two
 * writes. `work` may commit at any time on the client that it receives.
 */
export function holdSubscription<T>(
  pool: Pool,
  subscription: string,
  work: (client: PoolClient) => Promise<T>,
): Promise<T> {
  return withLock(pool, `webhook ${subscription}`, AbortSignal.timeout(holdMsMax), work);
}

/**
 * Locks an owner until the end of the transaction. Only one process at a time may add a subscription of an owner, since
 * their number is limited.
 */
export const lockOwner = (client: ClientBase, owner: string): Promise<void> =>
  lockUntilCommit(client, `webhook owner ${owner}`);

/**
 * Reads the time at which each subscription began to fail, without a success since. Subscriptions that do not fail are
 * absent.
 */
export async function readFailing(
  db: Queryable,
  subscriptions: readonly string[],
): Promise<Map<string, number>> {
  const { rows } = await db.query<{ subscription: string; failingSince: number }>({
    name: 'webhook-failing',
    text: `select s.subscription, ${toMsSql('s.failing_since')} as "failingSince" from webhook_subscriptions s
      where s.subscription = any($1) and s.failing_since is not null`,
    values: [subscriptions],
  });
  return new Map(rows.map((row) => [row.subscription, row.failingSince]));
}

/** Returns `true` if the attempts of a subscription have failed for at least this long, without a success since. */
export async function hasFailedFor(
  client: ClientBase,
  { subscription, failingMs }: { subscription: string; failingMs: number },
): Promise<boolean> {
  const { rowCount } = await client.query(
    `select from webhook_subscriptions where subscription = $1 and failing_since <= now() - $2 * interval '1 ms'`,
    [subscription, failingMs],
  );
  return rowCount === 1;
}

/** Resumes deliveries to a receiver that was disabled after failures or is overloaded. Call it under `holdSubscription`. */
export async function forgetFailures(client: ClientBase, subscription: string): Promise<void> {
  await createQueryBuilder(client)
    .update(known)
    .set({ failingSince: null, heldUntil: null })
    .where(eq(known.subscription, subscription));
}

/**
 * Marks a subscription as deleted, before the store forgets it. A subscription that is missing from the store without
 * this mark was lost. Its worker then ends.
 */
export async function markRemoved(db: Pool, subscription: string): Promise<void> {
  const removed = { removedAt: sql`now()`, lease: null, leasedUntil: null };
  await createQueryBuilder(db)
    .insert(known)
    .values({ subscription, ...removed })
    .onConflictDoUpdate({ target: known.subscription, set: removed });
}

export async function removeDeliveries(db: Pool, subscription: string): Promise<void> {
  for (const table of [tables.webhookPositions, tables.webhookRetries, tables.webhookLog]) {
    await createQueryBuilder(db).delete(table).where(eq(table.subscription, subscription));
  }
}

const dueColumns = readColumns(tables.webhookRetries, [
  'subscription',
  'id',
  'stream',
  'checkpoint',
  'txIndex',
  'eventIndex',
  'event',
  'data',
  'failures',
  'createdAt',
]);

/** An entry of `webhook_retries` that is due now. */
export interface DueRetry extends Row<typeof dueColumns> {}

/** `first` attempts in the order of events, or the `retry` of earlier ones, and tests. */
export type Kind = 'first' | 'retry';

const free = '(s.leased_until is null or s.leased_until <= now())';
const notHeld = '(s.held_until is null or s.held_until <= now())';
const isFirst = 'd.attempts = 0 and d.checkpoint is not null';

/** SQL condition: something of the subscription `s` is due in one of the streams. */
const isDue = (condition: string) => `exists (
    select from unnest($1::text[]) own (stream) cross join lateral (
      select from webhook_retries d
      where d.subscription = s.subscription and d.stream = own.stream and d.due_at <= now() and ${condition}
      -- The order makes the planner use the index however many rows it takes for due.
      order by d.due_at limit 1) first_due)`;

/**
 * Subscriptions that no dispatcher holds and that have something due in `webhook_retries`. Of each subscription one row
 * is read, however many are due: one receiver that is overloaded can have all those of a resend.
 */
export async function readDueSubscriptions(db: Queryable, streams: readonly string[]): Promise<string[]> {
  const { rows } = await db.query<{ subscription: string }>({
    name: 'webhook-due-subscriptions',
    text: `with recursive waiting (subscription) as (
        (select subscription from webhook_retries order by subscription limit 1)
        union all
        select (select d.subscription from webhook_retries d
          where d.subscription > w.subscription order by d.subscription limit 1)
        from waiting w where w.subscription is not null)
      select s.subscription from waiting join webhook_subscriptions s using (subscription)
      where ${free} and case when ${notHeld} then ${isDue('true')} else ${isDue(`not (${isFirst})`)} end`,
    values: [streams],
  });
  return rows.map(({ subscription }) => subscription);
}

/** A subscription for which an event at or before this position may match. */
export interface Candidate {
  subscription: string;
  stream: string;
  position: Position;
}

interface ClaimOptions {
  candidates: readonly Candidate[];
  /** Subscriptions with something due in `webhook_retries`. */
  due: readonly string[];
  /** Names the dispatcher that claims. */
  lease: string;
  leaseMs: number;
  /** Maximum number of subscriptions. */
  limit: number;
}

interface ClaimResult {
  /**
   * Subscriptions that were leased by this call. Read their positions afterwards: another dispatcher may just have
   * moved them.
   */
  claimed: string[];
  /** Subscriptions in `claimed` that get no first attempts for now. */
  held: ReadonlySet<string>;
  /** Candidates that have passed their position already. */
  passed: Pick<Candidate, 'subscription' | 'stream'>[];
}

/**
 * Leases subscriptions that have something to send and that no dispatcher holds, the longest waiting first. The lease
 * expires after `leaseMs` by the database's clock, for dispatchers that crash.
 */
export async function claimSubscriptions(
  db: Queryable,
  { candidates, due, lease, leaseMs, limit }: ClaimOptions,
): Promise<ClaimResult> {
  const { rows } = await db.query<{ subscription: string; stream: string | null; held: boolean }>({
    name: 'webhook-claim',
    text: `
with candidate as (
  select c.subscription, c.stream, p.position < c.position::bigint[] as behind
  from unnest($1::text[], $2::text[], $3::text[]) as c (subscription, stream, position)
  join webhook_positions p using (subscription, stream)
), chosen as (
  select s.subscription from webhook_subscriptions s
  where ${free} and s.removed_at is null and (s.subscription = any($4)
    or ${notHeld} and s.subscription in (select subscription from candidate where behind))
  order by s.taken_at nulls first
  limit $5
  for update skip locked
), claimed as (
  update webhook_subscriptions s
  set lease = $6, leased_until = now() + $7 * interval '1 ms', taken_at = clock_timestamp()
  from chosen where s.subscription = chosen.subscription
  returning s.subscription, not ${notHeld} as held
)
select subscription, null as stream, held from claimed
union all
select subscription, stream, false from candidate where not behind`,
    values: [
      ...toColumns(candidates, 'subscription', 'stream'),
      candidates.map(({ position }) => `{${position}}`),
      due,
      limit,
      lease,
      leaseMs,
    ],
  });
  return {
    claimed: rows.flatMap(({ subscription, stream }) => (stream === null ? [subscription] : [])),
    held: new Set(rows.flatMap(({ subscription, held }) => (held ? [subscription] : []))),
    passed: rows.flatMap(({ subscription, stream }) => (stream === null ? [] : [{ subscription, stream }])),
  };
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

export async function releaseLeases(
  db: Queryable,
  subscriptions: readonly string[],
  lease: string,
): Promise<void> {
  await db.query({
    name: 'webhook-release',
    text: `update webhook_subscriptions set lease = null, leased_until = null
      where subscription = any($1) and lease = $2`,
    values: [subscriptions, lease],
  });
}

interface DueQuery {
  streams: readonly string[];
  kind: Kind;
  /**
   * Id of a retry entry: only entries after it are read. An entry up to it may have been sent although that is not
   * stored yet.
   */
  after: number;
  limit: number;
}

/** Reads the entries of `webhook_retries` that are due for a leased subscription, in order. */
export async function readDue(
  db: Queryable,
  subscription: string,
  { streams, kind, after, limit }: DueQuery,
): Promise<DueRetry[]> {
  const due =
    kind === 'first'
      ? `${isFirst} and d.id > $4 and exists (
          select from webhook_subscriptions s where s.subscription = $1 and ${notHeld}) order by d.id`
      : `not (${isFirst}) and d.id > $4 order by d.due_at, d.id`;
  const { rows } = await db.query<DueRetry>({
    name: `webhook-due-${kind}`,
    text: `
select ${dueColumns.select('d')}
from webhook_retries d
where d.subscription = $1 and d.stream = any($2) and d.due_at <= now() and ${due}
limit $3`,
    values: [subscription, streams, limit, after],
  });
  return rows;
}
