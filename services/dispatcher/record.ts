import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import type { Logger } from '../../lib/log/index.ts';
import type { Exchange } from './exchange.ts';
import type { Due } from './leases.ts';

/** An attempt that ended, and what follows from it. */
interface Result {
  due: Due;
  ended: Exchange;
  delivered: boolean;
  /** Milliseconds until the next attempt; undefined when there is none. */
  retryMs: number | undefined;
  /** Milliseconds without first attempts for the subscription. */
  holdMs: number | undefined;
}

export interface Recorder {
  /** Resolves when the attempt is stored, which may take as long as the database is out. */
  add(result: Result): Promise<void>;
  /** Discards what cannot be stored now: it is sent again later. */
  close(): Promise<void>;
}

interface RecorderOptions {
  pool: Pool;
  log: Logger;
  /** `onFailing` gets each subscription that has failed for at least this long, at every further failure too. */
  failingMs: number;
  /** Never rejects. */
  onFailing(subscription: string): Promise<void>;
}

const batchMax = 500;
const retryMs = 500;

/**
 * Stores attempts one statement at a time: those that end while it runs go together into the next, so that a
 * thousand a second do not cost a thousand transactions.
 */
export function createRecorder({ pool, log, failingMs, onFailing }: RecorderOptions): Recorder {
  let waiting: { result: Result; stored: () => void; failed: (reason: Error) => void }[] = [];
  let flushing: Promise<void> | undefined;
  const closed = new AbortController();

  async function flushAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      try {
        const failing = await storeUntilItWorks(batch.map(({ result }) => result));
        // Stored: a failure from here on must not store it a second time.
        for (const { stored } of batch) stored();
        await Promise.all(failing.map(onFailing));
      } catch (error) {
        for (const { failed } of batch) failed(error as Error);
      }
    }
    flushing = undefined;
  }

  /** @returns the subscriptions that have failed for `failingMs` */
  async function storeUntilItWorks(results: Result[]): Promise<string[]> {
    for (let tries = 0; ; tries++) {
      try {
        return await store(pool, results, failingMs);
      } catch (error) {
        if (closed.signal.aborted) throw error;
        if (tries === 0)
          log.warn({ reason: messageOf(error) }, 'cannot store webhook attempts; trying again');
        await delay(retryMs, undefined, { signal: closed.signal }).catch(() => undefined);
      }
    }
  }

  return {
    add(result) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ result, stored: resolve, failed: reject });
      // In the next microtask, to include the attempts that end in this one.
      flushing ??= Promise.resolve().then(flushAll);
      return promise;
    },
    async close() {
      closed.abort();
      await flushing;
    },
  };
}

const storeAttempts = `
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
    case when s.failing then coalesce(case when not s.succeeded then l.failing_since end, now()) end as failing_since
  from unnest($11::text[], $12::bool[], $13::bool[], $14::int[]) as s (subscription, succeeded, failing, hold_ms)
  join webhook_subscriptions l using (subscription)
), updated as (
  update webhook_subscriptions l set
    failing_since = s.failing_since, held_until = coalesce(now() + s.hold_ms * interval '1 ms', l.held_until)
  from summary s where l.subscription = s.subscription
    and (s.hold_ms is not null or l.failing_since is distinct from s.failing_since)
  returning 1
)
select subscription from summary where only_failed and failing_since <= now() - $15 * interval '1 ms'`;

/** @returns the subscriptions that have failed for `failingMs` */
async function store(pool: Pool, results: Result[], failingMs: number): Promise<string[]> {
  const of = <T>(read: (result: Result) => T) => results.map(read);
  const summaries = [...Map.groupBy(results, ({ due }) => due.subscription)].map(summaryOf);
  const { rows } = await pool.query<{ subscription: string }>({
    name: 'webhook-attempts',
    text: storeAttempts,
    values: [
      of(({ due }) => due.subscription),
      of(({ due }) => due.id),
      of(({ delivered }) => delivered),
      of((result) => result.retryMs ?? null),
      of(({ ended }) => new Date(ended.startedAtMs)),
      of(({ ended }) => ended.durationMs),
      of(({ ended }) => ended.outcome),
      of(({ ended }) => ended.status ?? null),
      of(({ ended }) => ended.error ?? null),
      of(({ ended }) => ended.response ?? null),
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
function summaryOf([subscription, results]: [string, Result[]]) {
  const holds = results.flatMap(({ holdMs }) => holdMs ?? []);
  return {
    subscription,
    succeeded: results.some(({ delivered }) => delivered),
    failing: results.at(-1)?.delivered === false,
    holdMs: holds.length > 0 ? Math.max(...holds) : null,
  };
}
