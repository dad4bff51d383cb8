import { type Queryable, toMsSql } from '../queryable.ts';
import type { AttemptOutcome } from './attempts.ts';

/** Statistics of a subscription's attempts in the last 24 hours. */
interface AttemptStatistics {
  subscription: string;
  attempts: number;
  delivered: number;
  /** Median duration of successful attempts, in milliseconds; null if there were none. */
  medianMs: number | null;
  /** 95th percentile of their duration, in milliseconds. */
  p95Ms: number | null;
  /** The latest attempt that failed. */
  lastFailure: {
    startedMs: number;
    outcome: AttemptOutcome;
    status: number | null;
    error: string | null;
  } | null;
}

/** Maximum number of deliveries to read for a subscription: the latest settled ones, and as many pending ones. */
const deliveriesMax = 1_000;

const duration = (fraction: number) =>
  `percentile_disc(${fraction}) within group (order by a.duration_ms) filter (where a.outcome = 'delivered')`;

/**
 * Reads the statistics of these subscriptions, of at most a hundred in one statement. The number of rows for each is
 * bounded, and partitions of other days are not read.
 */
export async function readStatistics(
  db: Queryable,
  subscriptions: readonly string[],
): Promise<AttemptStatistics[]> {
  const { rows } = await db.query<AttemptStatistics>({
    name: 'webhook-statistics',
    text: `
select s.id as subscription, count(a.outcome)::int as attempts,
  (count(*) filter (where a.outcome = 'delivered'))::int as delivered,
  ${duration(0.5)} as "medianMs", ${duration(0.95)} as "p95Ms",
  (array_agg(jsonb_build_object('startedMs', a.started_ms, 'outcome', a.outcome, 'status', a.status, 'error', a.error)
    order by a.started_ms desc) filter (where a.outcome <> 'delivered'))[1] as "lastFailure"
from unnest($1::text[]) with ordinality as s (id, nth)
left join lateral (
  with settled as (
    select l.started_at, l.duration_ms, l.outcome, l.status, l.error, l.earlier
    from webhook_log l where l.subscription = s.id and l.ended_at > now() - interval '1 day' and l.ended_at <= now()
    order by l.created_at desc limit $2
  ), waiting as (
    select r.earlier from webhook_retries r where r.subscription = s.id order by r.id desc limit $2
  )
  select ${toMsSql('started_at')} as started_ms, duration_ms, outcome, status::int, error
  from settled
  union all
  select (e.attempt->>'startedMs')::float8::bigint, (e.attempt->>'durationMs')::int, e.attempt->>'outcome',
    (e.attempt->>'status')::int, e.attempt->>'error'
  from (select earlier from settled union all select earlier from waiting) d
  cross join lateral jsonb_array_elements(d.earlier) as e (attempt)
) a on a.started_ms > extract(epoch from now() - interval '1 day') * 1000
group by s.id, s.nth order by s.nth`,
    values: [subscriptions, deliveriesMax],
  });
  return rows;
}
