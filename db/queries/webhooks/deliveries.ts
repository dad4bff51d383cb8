import type { Network } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import { decodeCursor, encodeCursor, type Page, toPage } from '../page.ts';
import type { Queryable } from '../queryable.ts';

/** `failed`: no attempt is left. */
export const deliveryStates = ['pending', 'delivered', 'failed'] as const;

/** How an attempt ended: delivered, or why not. */
export const attemptOutcomes = [
  'delivered',
  'http_status',
  'redirect',
  'timeout',
  'network',
  'forbidden_address',
  'forbidden_url',
  'too_large',
  'encoded_body',
] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** A delivery and its attempts, as its subscriber sees them. */
interface Delivery {
  id: string;
  network: Network;
  /** The `id` in the body that is sent. */
  eventId: string;
  event: string;
  state: (typeof deliveryStates)[number];
  createdMs: number;
  /** When it is sent next; null when it is not. */
  dueMs: number | null;
  attempts: Attempt[];
}

interface Attempt {
  number: number;
  startedMs: number;
  durationMs: number;
  outcome: AttemptOutcome;
  status: number | null;
  error: string | null;
  response: string | null;
}

interface DeliveryRow {
  id: number;
  network: Network;
  event_id: string;
  event: string;
  state: Delivery['state'];
  created_at: Date;
  due_at: Date | null;
  attempts: (Omit<Attempt, 'startedMs'> & { startedAt: string })[] | null;
}

const columns = `
  d.id, d.network, d.event, d.state, d.created_at, d.due_at,
  coalesce(e.tx_digest || ':' || e.event_index, 'test:' || d.id) as event_id, a.attempts`;

const joined = `
left join events e using (network, checkpoint, tx_index, event_index)
left join lateral (
  select json_agg(json_build_object('number', number, 'startedAt', started_at, 'durationMs', duration_ms,
    'outcome', outcome, 'status', status, 'error', error, 'response', response) order by number) as attempts
  from webhook_attempts a where a.subscription = d.subscription and a.delivery = d.id
) a on true`;

interface DeliveryQuestion {
  subscription: string;
  state?: string | undefined;
  limit: number;
  cursor?: string | undefined;
}

/**
 * Deliveries of a subscription, the newest first.
 * @throws ProblemError `bad_cursor`
 */
export async function readDeliveries(
  db: Queryable,
  { subscription, state, limit, cursor }: DeliveryQuestion,
): Promise<Page<Delivery>> {
  const before = cursor === undefined ? undefined : decodeCursor(cursor, z.tuple([z.int()]))[0];
  const { rows } = await db.query<DeliveryRow>({
    name: 'webhook-deliveries',
    text: `select ${columns} from (
        select * from webhook_deliveries
        where subscription = $1 and id < coalesce($2, 9223372036854775807) and ($3::text is null or state = $3)
        order by id desc limit $4
      ) d ${joined} order by d.id desc`,
    values: [subscription, before, state, limit + 1],
  });
  return toPage(rows, limit, toDelivery, (row) => encodeCursor([row.id]));
}

/** Undefined where the subscription has no such delivery. */
export async function readDelivery(
  db: Queryable,
  subscription: string,
  id: number,
): Promise<Delivery | undefined> {
  const { rows } = await db.query<DeliveryRow>({
    name: 'webhook-delivery',
    text: `select ${columns} from webhook_deliveries d ${joined} where d.subscription = $1 and d.id = $2`,
    values: [subscription, id],
  });
  return rows[0] && toDelivery(rows[0]);
}

function toDelivery({ id, event_id: eventId, created_at, due_at, attempts, ...row }: DeliveryRow): Delivery {
  return {
    id: String(id),
    network: row.network,
    eventId,
    event: row.event,
    state: row.state,
    createdMs: created_at.getTime(),
    dueMs: due_at?.getTime() ?? null,
    attempts: (attempts ?? []).map(({ startedAt, ...attempt }) => {
      return { ...attempt, startedMs: Date.parse(startedAt) };
    }),
  };
}

/** Wakes the dispatchers, which look by themselves each second in any case. */
export const wakeDispatchers = `select pg_notify('webhooks', '')`;

/** Has a test event sent, and answers the delivery's id. */
export async function addTestDelivery(
  db: Queryable,
  subscription: string,
  network: string,
  data: Record<string, unknown>,
): Promise<number> {
  const { rows } = await db.query<{ id: number }>(
    `insert into webhook_deliveries (subscription, network, event, data, due_at)
      values ($1, $2, 'Test', $3, now()) returning id`,
    [subscription, network, data],
  );
  await db.query(wakeDispatchers);
  return rows[0]!.id;
}

/** As if it had not been tried yet; false where the subscription has no such delivery. */
export async function resendDelivery(db: Queryable, subscription: string, id: number): Promise<boolean> {
  const { rowCount } = await db.query(
    `update webhook_deliveries set state = 'pending', failures = 0, due_at = now()
      where subscription = $1 and id = $2`,
    [subscription, id],
  );
  await db.query(wakeDispatchers);
  return rowCount === 1;
}

interface ResendSince {
  subscription: string;
  events: readonly string[];
  network: string;
  since: Date;
  /** Most events in one go. */
  limit: number;
}

interface Resent {
  count: number;
  /** Time of the last event that was taken, where more may follow it. */
  lastMs: number | null;
}

/**
 * Has every event since then that the subscription asks for sent, whether it was delivered, failed or never queued.
 * Events whose deliveries are still to be written are left to that.
 */
export async function resendSince(
  db: Queryable,
  { subscription, events, network, since, limit }: ResendSince,
): Promise<Resent> {
  const { rows } = await db.query<{ count: number; last: Date | null }>(
    `with taken as (
      select e.checkpoint, e.tx_index, e.event_index, e.name, e.timestamp
      from webhook_cursors c join events e
        on e.network = c.network and e.source = 'registry' and e.name = any($2)
        and (e.checkpoint, e.tx_index, e.event_index) <= (c.checkpoint, c.tx_index, c.event_index)
        -- The newest first until one is too old: times grow with positions, and only positions have an index.
        and e.checkpoint >= coalesce((
          select b.checkpoint from events b
          where b.network = $3 and b.source = 'registry' and b.timestamp < $4
          order by b.checkpoint desc, b.tx_index desc, b.event_index desc limit 1), 0)
      where c.network = $3 and e.timestamp >= $4
      order by e.checkpoint, e.tx_index, e.event_index
      limit $5
    ), sent as (
      insert into webhook_deliveries as d
        (subscription, network, checkpoint, tx_index, event_index, event, due_at)
      select $1, $3, checkpoint, tx_index, event_index, name, now() from taken
      order by checkpoint, tx_index, event_index
      on conflict (subscription, network, checkpoint, tx_index, event_index)
        do update set state = 'pending', failures = 0, due_at = now()
    )
    select count(*)::int as count, max(timestamp) as last from taken`,
    [subscription, events, network, since, limit],
  );
  await db.query(wakeDispatchers);
  const { count, last } = rows[0]!;
  return { count, lastMs: count === limit && last ? last.getTime() : null };
}

interface EventPosition {
  network: string;
  checkpoint: number | null;
  txIndex: number | null;
  eventIndex: number | null;
}

interface DeliveredEvent {
  /** Number of its position among those that were requested, from 1. */
  ordinal: number;
  name: string;
  timestamp: Date;
  data: Record<string, unknown> | null;
  txDigest: string;
}

/** The events at these positions, in no order. */
export async function readDeliveredEvents(
  db: Queryable,
  positions: readonly EventPosition[],
): Promise<DeliveredEvent[]> {
  const { rows } = await db.query<DeliveredEvent>({
    name: 'webhook-events',
    text: `
select at.ordinal::int, e.name, e.timestamp, e.data, e.tx_digest as "txDigest"
from unnest($1::text[], $2::bigint[], $3::int[], $4::int[]) with ordinality
  as at (network, checkpoint, tx_index, event_index, ordinal)
join events e using (network, checkpoint, tx_index, event_index)`,
    values: [
      positions.map(({ network }) => network),
      positions.map(({ checkpoint }) => checkpoint),
      positions.map(({ txIndex }) => txIndex),
      positions.map(({ eventIndex }) => eventIndex),
    ],
  });
  return rows;
}

/** How many deliveries of a network are still to be sent, now or later. */
export async function countPendingDeliveries(db: Queryable, network: string): Promise<number> {
  const { rows } = await db.query<{ pending: number }>(
    'select count(*) as pending from webhook_deliveries where network = $1 and due_at is not null',
    [network],
  );
  return rows[0]!.pending;
}

/**
 * Removes deliveries and attempts that are older than so many days, whatever their state, and subscriptions that were
 * deleted so long ago. Also what is left of subscriptions that were deleted while being sent to.
 */
export async function removeOldDeliveries(db: Queryable, days: number): Promise<void> {
  for (const [table, column] of [
    ['webhook_attempts', 'started_at'],
    ['webhook_subscriptions', 'removed_at'],
    ['webhook_deliveries', 'created_at'],
  ])
    await db.query(`delete from ${table} where ${column} < now() - $1 * interval '1 day'`, [days]);
}

/** An attempt that ended, and what follows from it. */
export interface EndedAttempt {
  subscription: string;
  /** Id of the delivery. */
  id: number;
  delivered: boolean;
  startedAtMs: number;
  durationMs: number;
  outcome: AttemptOutcome;
  status: number | undefined;
  error: string | undefined;
  /** Beginning of the response's body, printable. */
  response: string | undefined;
  /** Milliseconds until the next attempt; undefined when there is none. */
  retryMs: number | undefined;
  /** Milliseconds without first attempts for the subscription. */
  holdMs: number | undefined;
}

const storeSql = `
with result as (
  select * from unnest($1::text[], $2::bigint[], $3::bool[], $4::int[], $5::timestamptz[], $6::int[], $7::text[],
      $8::smallint[], $9::text[], $10::text[])
    as r (subscription, id, delivered, retry_ms, started_at, duration_ms, outcome, status, error, response)
), moved as (
  update webhook_deliveries d set
    attempts = d.attempts + 1,
    failures = case when r.delivered then 0 else d.failures + 1 end,
    ended_at = now(),
    -- A delivery that another dispatcher has settled stays settled, though this attempt failed.
    state = case when r.delivered then 'delivered' when d.due_at is null then d.state
      when r.retry_ms is null then 'failed' else 'pending' end,
    due_at = case when r.delivered or d.due_at is null then null else now() + r.retry_ms * interval '1 ms' end
  from result r where d.subscription = r.subscription and d.id = r.id
  returning d.attempts, r.*
), stored as (
  insert into webhook_attempts
    (subscription, delivery, number, started_at, duration_ms, outcome, status, error, response)
  select subscription, id, attempts, started_at, duration_ms, outcome, status, error, response from moved
), summary as (
  -- By the database's clock alone: a host with a wrong clock must not count days that never were.
  select s.subscription, s.hold_ms, s.failing and not s.succeeded as only_failed,
    case when s.failing then coalesce(case when not s.succeeded then w.failing_since end, now()) end as failing_since
  from unnest($11::text[], $12::bool[], $13::bool[], $14::int[]) as s (subscription, succeeded, failing, hold_ms)
  join webhook_subscriptions w using (subscription)
), updated as (
  update webhook_subscriptions w set
    failing_since = s.failing_since, held_until = coalesce(now() + s.hold_ms * interval '1 ms', w.held_until)
  from summary s where w.subscription = s.subscription
    and (s.hold_ms is not null or w.failing_since is distinct from s.failing_since)
  returning 1
)
select subscription from summary where only_failed and failing_since <= now() - $15 * interval '1 ms'`;

/**
 * Stores attempts, in the order in which they ended, and what follows from them for their deliveries and subscriptions.
 * @returns the subscriptions that have failed for `failingMs`
 */
export async function storeAttempts(
  db: Queryable,
  ended: readonly EndedAttempt[],
  failingMs: number,
): Promise<string[]> {
  const of = <T>(read: (attempt: EndedAttempt) => T) => ended.map(read);
  const summaries = [...Map.groupBy(ended, ({ subscription }) => subscription)].map(summaryOf);
  const { rows } = await db.query<{ subscription: string }>({
    name: 'webhook-attempts',
    text: storeSql,
    values: [
      of(({ subscription }) => subscription),
      of(({ id }) => id),
      of(({ delivered }) => delivered),
      of(({ retryMs }) => retryMs ?? null),
      of(({ startedAtMs }) => new Date(startedAtMs)),
      of(({ durationMs }) => durationMs),
      of(({ outcome }) => outcome),
      of(({ status }) => status ?? null),
      of(({ error }) => error ?? null),
      of(({ response }) => response ?? null),
      summaries.map(({ subscription }) => subscription),
      summaries.map(({ succeeded }) => succeeded),
      summaries.map(({ failing }) => failing),
      summaries.map(({ holdMs }) => holdMs),
      failingMs,
    ],
  });
  return rows.map(({ subscription }) => subscription);
}

/** One row for a subscription: whether any attempt succeeded, whether the last one failed, and the longest hold. */
function summaryOf([subscription, attempts]: [string, EndedAttempt[]]) {
  const holds = attempts.flatMap(({ holdMs }) => holdMs ?? []);
  return {
    subscription,
    succeeded: attempts.some(({ delivered }) => delivered),
    failing: attempts.at(-1)?.delivered === false,
    holdMs: holds.length > 0 ? Math.max(...holds) : null,
  };
}
