import type { Queryable } from '../queryable.ts';
import type { AttemptOutcome } from './deliveries.ts';

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
