import type { Network } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { z } from 'zod';
import { createQueryBuilder } from '../../client.ts';
import { sql } from '../../orm/drizzle.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';
import { cursorText, decodeCursor, encodeCursor, type Page, toPage } from '../page.ts';
import { type Queryable, toMsSql } from '../queryable.ts';
import { type Position, parsePosition } from '../registry-events.ts';
import { type AttemptOutcome, buildAppendSql } from './attempts.ts';
import { listStretchesAfter, type SubscriptionPosition } from './positions.ts';
import {
  buildConcernsSql,
  buildNetworkSql,
  eventRows,
  joinEvent,
  joined,
  listStreams,
  type Stream,
} from './streams.ts';

/** `pending`: another attempt follows, after a failure or on request. `failed`: no attempt is left. */
export const deliveryStates = ['pending', 'delivered', 'failed'] as const;

/** A delivery and its attempts, as its subscriber sees them. */
interface Delivery {
  /** `<stream>.<position of the event>`; a number for a test event. */
  id: string;
  network: Network;
  /** The `id` in the body that is sent. */
  eventId: string;
  event: string;
  state: (typeof deliveryStates)[number];
  createdMs: number;
  /** Time of the next attempt. Null if none is scheduled. */
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

/** Parts of the body of a delivery. */
interface Message {
  network: Network;
  event: string;
  data: Record<string, unknown> | null;
  timestampMs: number;
  id: string;
}

interface DeliveryRow extends Omit<Delivery, 'attempts'> {
  attempts: Omit<Attempt, 'number'>[];
  /** Sort key of the list. */
  key: [createdMicros: number, stream: string, ...position: number[]];
}

/** Select of deliveries that are still to be sent. `settled` has the same columns for the others. */
const pending = `
  select d.subscription, d.stream, d.checkpoint, d.tx_index, d.event_index, d.id as retry, d.event, d.created_at,
    'pending' as state, d.due_at, d.earlier as attempts
  from webhook_retries d where d.subscription = $1`;

const lastAttempt = `jsonb_build_object('startedMs', floor(extract(epoch from d.started_at) * 1000),
      'durationMs', d.duration_ms, 'outcome', d.outcome, 'status', d.status, 'error', d.error, 'response', d.response)`;
const allAttempts = buildAppendSql(`coalesce(d.earlier, '[]')`, lastAttempt);
const settled = `
  select d.subscription, d.stream, d.checkpoint, d.tx_index, d.event_index, d.retry, d.event, d.created_at,
    case d.outcome when 'delivered' then 'delivered' else 'failed' end as state, null::timestamptz as due_at,
    ${allAttempts} as attempts
  from webhook_log d where d.subscription = $1`;

/** Order of deliveries of the same time. Among deliveries that were settled together, the last event comes first. */
const positionKey = [
  'd.stream',
  'coalesce(d.checkpoint, -1)',
  'coalesce(d.tx_index, -1)',
  'coalesce(d.event_index, d.retry, -1)',
];
const key = ['d.created_at', ...positionKey];
const newestFirst = key.map((column) => `${column} desc`).join(', ');

const buildPageSql = (deliveries: string) => `
  select * from (${deliveries}) d
  where ($2::bigint is null or (${key.join(', ')}) < ('epoch'::timestamptz + $2 * interval '1 us', $3, $4, $5, $6))
    and ($7::text is null or $7 = d.state)
  order by ${newestFirst} limit $8`;

const shown = `
  select case when d.checkpoint is null then d.retry::text
      else d.stream || '.' || d.checkpoint || '.' || d.tx_index || '.' || d.event_index end as id,
    ${buildNetworkSql('d.stream')} as network, coalesce(${joined.id}, 'test:' || d.retry) as "eventId", d.event, d.state,
    ${toMsSql('d.created_at')} as "createdMs", ${toMsSql('d.due_at')} as "dueMs", d.attempts,
    json_build_array(floor(extract(epoch from d.created_at) * 1000000), ${positionKey.join(', ')}) as key
  from found d ${joinEvent}
  order by ${newestFirst}`;

interface DeliveryQuery {
  subscription: string;
  state?: (typeof deliveryStates)[number] | undefined;
  limit: number;
  cursor?: string | undefined;
}

const cursorForm = z.tuple([z.int(), cursorText, z.int(), z.int32(), z.int()]);

/**
 * Reads the deliveries of a subscription that were attempted or requested, the newest first.
 * @throws ProblemError `bad_cursor`
 */
export async function readDeliveries(
  db: Queryable,
  { subscription, state, limit, cursor }: DeliveryQuery,
): Promise<Page<Delivery>> {
  const before = cursor === undefined ? undefined : decodeCursor(cursor, cursorForm);
  const { rows } = await db.query<DeliveryRow>({
    name: 'webhook-deliveries',
    text: `with found as (
        select * from (
          (${buildPageSql(pending)}) union all (${buildPageSql(settled)})
        ) d order by ${newestFirst} limit $8
      ) ${shown}`,
    values: [subscription, ...(before ?? [null, null, null, null, null]), state, limit + 1],
  });
  return toPage(rows, limit, toDelivery, (row) => encodeCursor(row.key));
}

/** Parsed id of a delivery: the stream and position of its event, or the number of a test event or an old delivery. */
type DeliveryKey = { stream: string; position: Position } | { retry: number };

const keyForm = /^([a-z]{1,20}(?:\.[a-z]{1,20})?)\.(\d.*)$/;

/** Parses the id of a delivery; undefined for any other text. */
function parseKey(id: string): DeliveryKey | undefined {
  if (/^\d{1,15}$/.test(id)) return { retry: Number(id) };
  const [, stream, rest] = keyForm.exec(id) ?? [];
  const position = rest === undefined ? undefined : parsePosition(rest);
  return stream !== undefined && position ? { stream, position } : undefined;
}

const matching = `(d.stream, d.checkpoint, d.tx_index, d.event_index) = ($2, $3, $4, $5)`;
const toKeyValues = (subscription: string, key: DeliveryKey) =>
  'retry' in key
    ? [subscription, null, null, null, null, key.retry]
    : [subscription, key.stream, ...key.position, null];

/** Reads a delivery; undefined if the subscription has no such delivery. */
export async function readDelivery(
  db: Queryable,
  subscription: string,
  id: string,
): Promise<Delivery | undefined> {
  const deliveryKey = parseKey(id);
  if (!deliveryKey) return undefined;
  const { rows } = await db.query<DeliveryRow>({
    name: 'webhook-delivery',
    text: `with found as (
        select * from (
          ${pending} and (${matching} or d.id = $6) union all ${settled} and (${matching} or d.retry = $6)
        ) d order by ${newestFirst} limit 1
      ) ${shown}`,
    values: toKeyValues(subscription, deliveryKey),
  });
  return rows[0] && toDelivery(rows[0]);
}

/** Reads the content that every attempt of a delivery sends. Undefined if the subscription has no such delivery. */
export async function readMessage(
  db: Queryable,
  subscription: string,
  id: string,
): Promise<Message | undefined> {
  const deliveryKey = parseKey(id);
  if (!deliveryKey) return undefined;
  const columns = 'd.stream, d.checkpoint, d.tx_index, d.event_index, d.event, d.data, d.created_at';
  const { rows } = await db.query<Message>({
    name: 'webhook-message',
    text: `select ${buildNetworkSql('d.stream')} as network, d.event,
        case when d.checkpoint is null then d.data else ${joined.data} end as data,
        ${toMsSql(`coalesce(${joined.timestamp}, d.created_at)`)} as "timestampMs",
        coalesce(${joined.id}, 'test:' || d.retry) as id
      from (
        select ${columns}, d.id as retry from webhook_retries d
        where d.subscription = $1 and (${matching} or d.id = $6)
        union all
        select ${columns}, d.retry from webhook_log d where d.subscription = $1 and (${matching} or d.retry = $6)
      ) d ${joinEvent}
      order by d.created_at desc limit 1`,
    values: toKeyValues(subscription, deliveryKey),
  });
  return rows[0];
}

const toDelivery = ({ key: _, attempts, ...row }: DeliveryRow): Delivery => ({
  ...row,
  attempts: attempts.map((attempt, at) => ({ number: at + 1, ...attempt })),
});

/** Statement that wakes the dispatchers. They also poll each second. */
export const wakeDispatchers = `select pg_notify('webhooks', '')`;

const retries = tables.webhookRetries;

/** Queues a test event, and returns the id of its delivery. */
export async function addTestDelivery(
  db: Pool,
  subscription: string,
  network: string,
  data: Record<string, unknown>,
): Promise<string> {
  const [added] = await createQueryBuilder(db)
    .insert(retries)
    .values({ subscription, stream: network, event: 'Test', data, dueAt: sql`now()` })
    .returning({ id: retries.id });
  await db.query(wakeDispatchers);
  return String(added!.id);
}

/** SQL that queues settled deliveries again, under their numbers and with their attempts. */
const queueAgain = `
  insert into webhook_retries as w
    (subscription, stream, checkpoint, tx_index, event_index, id, event, data, attempts, earlier, due_at, created_at)
  select d.subscription, d.stream, d.checkpoint, d.tx_index, d.event_index,
    coalesce(d.retry, nextval('webhook_retries_id_seq')), d.event, d.data, jsonb_array_length(d.attempts), d.attempts,
    now(), d.created_at`;
const deleteSettled = `delete from webhook_log d where d.subscription = $1 and`;
const returningSettled = `returning d.*, ${allAttempts} as attempts`;

/**
 * Schedules a delivery as if it had not been attempted yet. Returns `false` if the subscription has no such delivery.
 */
export async function resendDelivery(db: Queryable, subscription: string, id: string): Promise<boolean> {
  const deliveryKey = parseKey(id);
  if (!deliveryKey) return false;
  const { rowCount } = await db.query(
    `with waiting as (
      update webhook_retries d set failures = 0, due_at = now()
      where d.subscription = $1 and (${matching} or d.id = $6)
      returning 1
    ), again as (
      ${deleteSettled} (${matching} or d.retry = $6) ${returningSettled}
    ), sent as (
      ${queueAgain} from (select * from again order by ended_at desc limit 1) d on conflict do nothing returning 1
    )
    select from waiting union all select from sent`,
    toKeyValues(subscription, deliveryKey),
  );
  await db.query(wakeDispatchers);
  return (rowCount ?? 0) > 0;
}

interface ResendSince {
  subscription: string;
  events: readonly string[];
  stream: Stream;
  since: Date;
  /** Maximum number of events of a call. */
  limit: number;
}

interface ResendResult {
  count: number;
  /** Time of the last queued event, if more may follow it; else null. */
  lastMs: number | null;
}

/**
 * Queues every matching event of a stream since a time, even if it was delivered, failed or never queued, as during a
 * pause. Events that the subscription has not passed and has asked for are sent anyway; its position does not move meanwhile.
 */
export async function resendSince(
  pool: Pool,
  { subscription, events, stream: { key: stream, network, log }, since, limit }: ResendSince,
): Promise<ResendResult> {
  const { count, last } = await inTransaction(pool, async (client) => {
    const { rows: positions } = await client.query<
      Omit<SubscriptionPosition, 'subscription' | 'stream' | 'changes'>
    >(
      `select to_json(position) as position, segments, wallet, service_type as "serviceType", publisher
        from webhook_positions where subscription = $1 and stream = $2 for update`,
      [subscription, stream],
    );
    if (!positions[0]) return { count: 0, last: null };
    const { position, segments, wallet, serviceType, publisher } = positions[0];
    // Only old rows have a segment without names, an open one.
    const named = segments.map((segment) => ({ ...segment, events: segment.events ?? events }));
    const sentAnyway = listStretchesAfter(position, named).filter((stretch) => stretch.events.length > 0);
    const { rows } = await client.query<{ count: number; last: Date | null }>(
      `with taken as (
        select e.checkpoint, e.tx_index, e.event_index, e.name, e.timestamp
        from ${eventRows[log]} e
        where e.network = $8 and e.name = any($2) and e.timestamp >= $4
          and not exists (
            select from jsonb_to_recordset($6) as s (after int8[], until int8[], events text[])
            where e.name = any(s.events)
              and (e.checkpoint, e.tx_index, e.event_index) > (s.after[1], s.after[2], s.after[3])
              and (s.until is null or (e.checkpoint, e.tx_index, e.event_index) <= (s.until[1], s.until[2], s.until[3])))
          -- The newest first until one is too old: times grow with positions, and only positions have an index.
          and e.checkpoint >= coalesce((
            select b.checkpoint from ${eventRows[log]} b
            where b.network = $8 and b.timestamp < $4
            order by b.checkpoint desc, b.tx_index desc, b.event_index desc limit 1), 0)
          and ${buildConcernsSql('e', { wallet: '$7', serviceType: '$9', publisher: '$10' })}
        order by e.checkpoint, e.tx_index, e.event_index
        limit $5
      ), again as (
        ${deleteSettled} d.stream = $3 and (d.checkpoint, d.tx_index, d.event_index) in (
          select checkpoint, tx_index, event_index from taken) ${returningSettled}
      ), queued as (
        select distinct on (t.checkpoint, t.tx_index, t.event_index) $1::text as subscription, $3::text as stream,
          t.checkpoint, t.tx_index, t.event_index, d.retry, t.name as event, null::jsonb as data,
          coalesce(d.attempts, '[]') as attempts, coalesce(d.created_at, now()) as created_at
        from taken t left join again d using (checkpoint, tx_index, event_index)
        order by t.checkpoint, t.tx_index, t.event_index, d.ended_at desc
      ), sent as (
        ${queueAgain} from (select * from queued order by checkpoint, tx_index, event_index) d
        on conflict (subscription, stream, checkpoint, tx_index, event_index) do update set failures = 0, due_at = now()
      )
      select count(*)::int as count, max(timestamp) as last from taken`,
      [
        subscription,
        events,
        stream,
        since,
        limit,
        JSON.stringify(sentAnyway),
        wallet,
        network,
        serviceType,
        publisher,
      ],
    );
    return rows[0]!;
  });
  await pool.query(wakeDispatchers);
  return { count, lastMs: count === limit && last ? last.getTime() : null };
}

/** Counts the deliveries of a network that wait for another attempt, up to `max`. */
export async function countRetries(db: Queryable, network: Network, max: number): Promise<number> {
  const { rows } = await db.query<{ retries: number }>(
    'select count(*)::int as retries from (select from webhook_retries where stream = any($1) limit $2) r',
    [listStreams(network).map(({ key }) => key), max],
  );
  return rows[0]!.retries;
}
