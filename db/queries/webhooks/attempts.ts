import type { Pool } from 'pg';
import { lockUntilCommit } from '../../lock.ts';
import { inTransaction } from '../../transaction.ts';
import { type Queryable, toColumns } from '../queryable.ts';
import type { Position } from '../registry-events.ts';

/** Outcomes of an attempt: `delivered`, or the reason of the failure. After `missing_event` nothing was sent. */
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
  'missing_event',
] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** A stretch of a stream that a subscription has passed: every matching event in it was attempted. */
export interface PassedStretch {
  subscription: string;
  stream: string;
  after: Position;
  upTo: Position;
  /** Number of the last filter change in the row from which the stretch was taken. */
  changes: number;
}

export interface FinishedAttempt {
  subscription: string;
  /** An entry of `webhook_retries`, or an event of a stretch that is passed with it. */
  of: { id: number } | { stream: string; position: Position; event: string };
  startedAtMs: number;
  durationMs: number;
  outcome: AttemptOutcome;
  status: number | undefined;
  error: string | undefined;
  /** Beginning of the response's body, printable. */
  response: string | undefined;
  /** Milliseconds until the next attempt; undefined if there is none. */
  retryMs: number | undefined;
  /** Milliseconds for which the subscription gets no first attempts. */
  holdMs: number | undefined;
}

const attemptJson = `jsonb_build_object('startedMs', r.started_ms, 'durationMs', r.duration_ms,
    'outcome', r.outcome, 'status', r.status, 'error', r.error, 'response', r.response)`;

/** Maximum number of attempts that a delivery keeps. Its owner can have it sent again any number of times. */
const keptMax = 100;
/** The highest number of the column `attempts`. */
const countMax = 32_767;

/** SQL for a list of attempts with a further one, and without its first one if it would be too long. */
export const buildAppendSql = (earlier: string, attempt: string): string =>
  `((case when jsonb_array_length(${earlier}) < ${keptMax} then ${earlier} else ${earlier} - 0 end) || ${attempt})`;

const storeSql = `
with part as (
  select subscription, stream, since::bigint[], up_to::bigint[], changes, nth
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::int[]) with ordinality
    as part (subscription, stream, since, up_to, changes, nth)
), held as (
  -- A stretch stays passed after the lease is lost, so a late answer is stored. It counts only where nothing
  -- before it is missing; and where the filter was changed meanwhile, only up to there.
  select part.nth, p.subscription, p.stream, p.position as was,
    greatest(p.position, case when p.changes = part.changes then part.up_to else least(part.up_to, coalesce((
      select array(select jsonb_array_elements_text(s.segment->'after')::bigint)
      from jsonb_array_elements(p.segments) with ordinality as s (segment, nth)
      where (s.segment->>'change')::int > part.changes order by s.nth limit 1), p.position)) end) as moved_to
  from part join webhook_positions p using (subscription, stream)
  where p.position >= part.since
  order by p.subscription, p.stream
  for update of p
), moved as (
  update webhook_positions p set position = held.moved_to,
    segments = case when jsonb_array_length(p.segments) = 1 then p.segments else (
      select jsonb_agg(s.segment order by s.nth) from (
        select segment, nth, lead(segment->'after') over (order by nth) as until
        from jsonb_array_elements(p.segments) with ordinality as s (segment, nth)
      ) s where s.until is null or array(select jsonb_array_elements_text(s.until)::bigint) > held.moved_to) end
  from held where p.subscription = held.subscription and p.stream = held.stream and held.moved_to > held.was
), result as (
  select * from unnest($6::int[], $7::text[], $8::bigint[], $9::bigint[], $10::int[], $11::int[], $12::text[],
      $13::int[], $14::float8[], $15::int[], $16::text[], $17::smallint[], $18::text[], $19::text[])
    as r (part, subscription, id, checkpoint, tx_index, event_index, event, retry_ms, started_ms, duration_ms, outcome,
      status, error, response)
), fresh as (
  -- Not the events that another dispatcher has settled already.
  select held.subscription as owner, held.stream, held.moved_to, r.*
  from result r join held on held.nth = r.part
  where array[r.checkpoint, r.tx_index, r.event_index] > held.was
), failed as (
  insert into webhook_retries as d
    (subscription, stream, checkpoint, tx_index, event_index, event, attempts, failures, earlier, due_at)
  select r.owner, r.stream, r.checkpoint, r.tx_index, r.event_index, r.event, 1, 1,
    jsonb_build_array(${attemptJson}), now() + r.retry_ms * interval '1 ms'
  from fresh r
  where r.retry_ms is not null and array[r.checkpoint, r.tx_index, r.event_index] <= r.moved_to
  on conflict (subscription, stream, checkpoint, tx_index, event_index) do nothing
), again as (
  update webhook_retries d set attempts = least(d.attempts + 1, ${countMax}), failures = d.failures + 1,
    earlier = ${buildAppendSql('d.earlier', attemptJson)}, due_at = now() + r.retry_ms * interval '1 ms'
  from result r where d.subscription = r.subscription and d.id = r.id and r.retry_ms is not null
), settled as (
  delete from webhook_retries d using result r
  where d.subscription = r.subscription and d.id = r.id and r.retry_ms is null
  returning d.subscription, d.stream, d.checkpoint, d.tx_index, d.event_index, d.event, d.id, d.data, d.created_at,
    r.started_ms, r.duration_ms, r.outcome, r.status, r.error, r.response, nullif(d.earlier, '[]') as earlier
), logged as (
  insert into webhook_log (subscription, stream, checkpoint, tx_index, event_index, event, retry, data, created_at,
    started_at, duration_ms, outcome, status, error, response, earlier)
  select owner, stream, checkpoint, tx_index, event_index, event, null, null, now(),
    to_timestamp(started_ms / 1000), duration_ms, outcome, status, error, response, null
  from fresh where retry_ms is null
  union all
  select subscription, stream, checkpoint, tx_index, event_index, event, id, data, created_at,
    to_timestamp(started_ms / 1000), duration_ms, outcome, status, error, response, earlier
  from settled
), summary as (
  -- By the database's clock alone: a host with a wrong clock must not count days that never were.
  select s.subscription, s.hold_ms, s.failing and not s.succeeded as only_failed,
    case when s.failing then coalesce(case when not s.succeeded then w.failing_since end, now()) end as failing_since
  from unnest($20::text[], $21::bool[], $22::bool[], $23::int[]) as s (subscription, succeeded, failing, hold_ms)
  join webhook_subscriptions w using (subscription)
), updated as (
  update webhook_subscriptions w set
    failing_since = s.failing_since, held_until = coalesce(now() + s.hold_ms * interval '1 ms', w.held_until)
  from summary s where w.subscription = s.subscription
    and (s.hold_ms is not null or w.failing_since is distinct from s.failing_since)
  returning 1
)
select subscription from summary where only_failed and failing_since <= now() - $24 * interval '1 ms'`;

/**
 * Stores the new positions of subscriptions and the finished attempts in one transaction, in the order in which they
 * ended, with their consequences.
 * @returns the subscriptions that have failed for `failingMs`
 */
export async function storeAttempts(
  db: Queryable,
  passed: readonly PassedStretch[],
  ended: readonly FinishedAttempt[],
  failingMs: number,
): Promise<string[]> {
  const parts = new Map<string, Map<string, number>>();
  for (const [at, { subscription, stream }] of passed.entries()) {
    const partByStream = parts.get(subscription) ?? new Map<string, number>();
    parts.set(subscription, partByStream.set(stream, at + 1));
  }
  const findPart = ({ subscription, of }: FinishedAttempt) =>
    'event' in of ? (parts.get(subscription)?.get(of.stream) ?? null) : null;
  const ofEvents = (read: (of: Extract<FinishedAttempt['of'], { event: string }>) => SqlScalar) =>
    encodeArray(ended, ({ of }) => ('event' in of ? read(of) : null));
  const each = (read: (attempt: FinishedAttempt) => SqlScalar) => encodeArray(ended, read);
  // A lost event says nothing about the receiver.
  const sent = ended.filter(({ outcome }) => outcome !== 'missing_event');
  const summaries = [...Map.groupBy(sent, ({ subscription }) => subscription)].map(summarizeAttempts);
  const { rows } = await db.query<{ subscription: string }>({
    name: 'webhook-attempts',
    text: storeSql,
    values: [
      ...toColumns(passed, 'subscription', 'stream'),
      passed.map(({ after }) => `{${after}}`),
      passed.map(({ upTo }) => `{${upTo}}`),
      ...toColumns(passed, 'changes'),
      each(findPart),
      each(({ subscription, of }) => ('event' in of ? null : subscription)),
      each(({ of }) => ('event' in of ? null : of.id)),
      ofEvents(({ position }) => position[0]),
      ofEvents(({ position }) => position[1]),
      ofEvents(({ position }) => position[2]),
      ofEvents(({ event }) => event),
      each(({ retryMs }) => retryMs ?? null),
      each(({ startedAtMs }) => startedAtMs),
      each(({ durationMs }) => durationMs),
      each(({ outcome }) => outcome),
      each(({ status }) => status ?? null),
      each(({ error }) => error ?? null),
      each(({ response }) => response ?? null),
      ...toColumns(summaries, 'subscription', 'succeeded', 'failing', 'holdMs'),
      failingMs,
    ],
  });
  return rows.map(({ subscription }) => subscription);
}

type SqlScalar = string | number | null;
const needsQuotes = /[^\w.:-]|^$|^null$/i;

/**
 * Returns an array in PostgreSQL's text format. The client's own conversion escapes every number and word, which costs
 * more than the rest of the work for a delivery.
 */
function encodeArray<T>(rows: readonly T[], read: (row: T) => SqlScalar): string {
  let text = '';
  for (const row of rows) {
    const value = read(row);
    if (text !== '') text += ',';
    if (typeof value !== 'string') text += value ?? 'NULL';
    else text += needsQuotes.test(value) ? `"${value.replace(/["\\]/g, '\\$&')}"` : value;
  }
  return `{${text}}`;
}

/** Returns the summary of a subscription's attempts: if any succeeded, if the last one failed, and the longest hold. */
function summarizeAttempts([subscription, attempts]: [string, FinishedAttempt[]]) {
  const holds = attempts.flatMap(({ holdMs }) => holdMs ?? []);
  return {
    subscription,
    succeeded: attempts.some(({ outcome }) => outcome === 'delivered'),
    failing: attempts.at(-1)?.outcome !== 'delivered',
    holdMs: holds.length > 0 ? Math.max(...holds) : null,
  };
}

/** Number of days with a partition in advance, so that one exists even after a long outage of the database. */
const daysAhead = 3;
/** SQLSTATE of an insert for which there is no partition: check_violation. */
const noPartition = '23514';

export const isWithoutPartition = (error: unknown) =>
  error instanceof Error && 'code' in error && error.code === noPartition;

/** Creates the partitions of `webhook_log` for today and the next days, and drops those that ended `days` days ago. */
export async function keepLogDays(pool: Pool, days: number): Promise<void> {
  const { rows } = await pool.query<{ name: string; start: string; stop: string; isMissing: boolean }>(
    `select 'webhook_log_' || to_char(day, 'YYYYMMDD') as name,
        to_char(day, 'YYYY-MM-DD') as start, to_char(day + interval '1 day', 'YYYY-MM-DD') as stop, true as "isMissing"
      from generate_series((now() at time zone 'UTC')::date, (now() at time zone 'UTC')::date + $1::int, interval '1 day') as day
      where to_regclass('webhook_log_' || to_char(day, 'YYYYMMDD')) is null
      union all
      select inhrelid::regclass::text, '', '', false from pg_inherits
      where inhparent = 'webhook_log'::regclass
        and substring(inhrelid::regclass::text from '\\d{8}$')::date < (now() at time zone 'UTC')::date - $2::int`,
    [daysAhead, days],
  );
  for (const { name, start, stop, isMissing } of rows) {
    await inTransaction(pool, async (client) => {
      await lockUntilCommit(client, 'webhook_log');
      // A long read must not hold up deliveries; the next round tries again.
      await client.query(`set local lock_timeout = '2s'`);
      if (!isMissing) return await client.query(`drop table if exists ${name}`);
      // Attached, not created in place: that would wait for every reader of the log.
      const found = await client.query(`select to_regclass('${name}') as name`);
      if (found.rows[0].name !== null) return;
      await client.query(`create table ${name} (like webhook_log including all)`);
      await client.query(
        `alter table webhook_log attach partition ${name} for values from ('${start} 00:00:00+00') to ('${stop} 00:00:00+00')`,
      );
    });
  }
}

/**
 * Removes deliveries older than `days` days in any state, unless they were asked for again since, and subscriptions that
 * were never confirmed.
 */
export async function removeOldDeliveries(db: Queryable, days: number): Promise<void> {
  await db.query(
    `delete from webhook_retries where greatest(created_at, due_at) < now() - $1 * interval '1 day'`,
    [days],
  );
  await db.query(
    `with gone as (
      delete from webhook_subscriptions
      where removed_at < now() - $1 * interval '1 day'
        or confirmed_at is null and removed_at is null and added_at < now() - interval '1 day'
      returning subscription
    )
    delete from webhook_positions where subscription in (select subscription from gone)`,
    [days],
  );
}

/** Removes all but the latest `keep` deliveries of each of these subscriptions from the log. */
export async function trimLog(db: Queryable, subscriptions: readonly string[], keep: number): Promise<void> {
  await db.query(
    `delete from webhook_log l using unnest($1::text[]) as s (id)
      where l.subscription = s.id and l.created_at < (
        select n.created_at from webhook_log n where n.subscription = s.id order by n.created_at desc offset $2 - 1 limit 1)`,
    [subscriptions, keep],
  );
}
