import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import type { Pool } from 'pg';
import type { Logger } from '../../lib/log/index.ts';
import type { Ended } from './exchange.ts';
import type { Due } from './lanes.ts';

/** An attempt that ended, and what follows from it. */
export interface Result {
  due: Due;
  ended: Ended;
  delivered: boolean;
  /** Milliseconds until the next attempt; undefined when there is none. */
  retryMs: number | undefined;
  /** For how long the subscription gets no first attempts. */
  holdMs: number | undefined;
}

export interface Recorder {
  /** Resolves when the attempt is stored, which may take as long as the database is out. */
  add(result: Result): Promise<void>;
  /** Gives up what cannot be stored now: it is sent again later. */
  close(): Promise<void>;
}

interface RecorderOptions {
  pool: Pool;
  log: Logger;
  /** Told of each subscription that has failed since at least so long; it is told again at the next failure. */
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
  let waiting: { result: Result; stored: () => void; lost: (reason: Error) => void }[] = [];
  let flushing: Promise<void> | undefined;
  const closed = new AbortController();

  async function flushAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      try {
        const failing = await storeUntilItWorks(batch.map(({ result }) => result));
        // Stored once and for all: nothing that follows from it may have it stored again.
        for (const { stored } of batch) stored();
        await Promise.all(failing.map(onFailing));
      } catch (error) {
        for (const { lost } of batch) lost(error as Error);
      }
    }
    flushing = undefined;
  }

  /** Answers the subscriptions that have failed for `failingMs`. */
  async function storeUntilItWorks(results: Result[]): Promise<string[]> {
    for (let tries = 0; ; tries++) {
      try {
        return await store(pool, results, failingMs);
      } catch (error) {
        if (closed.signal.aborted) throw error;
        if (tries === 0)
          log.warn({ reason: messageOf(error) }, 'webhook attempts cannot be stored; they wait');
        await delay(retryMs, undefined, { signal: closed.signal }).catch(() => undefined);
      }
    }
  }

  return {
    add(result) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ result, stored: resolve, lost: reject });
      // In a microtask's time others may end too.
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
    -- What another dispatcher has settled stays so; late news of a failure changes nothing.
    state = case when r.delivered then 'delivered' when d.due_at is null then d.state
      when r.retry_ms is null then 'failed' else 'pending' end,
    due_at = case when r.delivered or d.due_at is null then null else now() + r.retry_ms * interval '1 ms' end
  from result r where d.subscription = r.subscription and d.id = r.id
  returning d.attempts, r.*
), stored as (
  insert into webhook_attempts
    (subscription, delivery, number, started_at, duration_ms, outcome, status, error, response)
  select subscription, id, attempts, started_at, duration_ms, outcome, status, error, response from moved
), lane as (
  -- By the database's clock alone: a host whose own is wrong must not count days that never were.
  select s.subscription, s.hold_ms, s.failing and not s.succeeded as only_failed,
    case when s.failing then coalesce(case when not s.succeeded then l.failing_since end, now()) end as failing_since
  from unnest($11::text[], $12::bool[], $13::bool[], $14::int[]) as s (subscription, succeeded, failing, hold_ms)
  join webhook_lanes l using (subscription)
), told as (
  update webhook_lanes l set
    failing_since = s.failing_since, held_until = coalesce(now() + s.hold_ms * interval '1 ms', l.held_until)
  from lane s where l.subscription = s.subscription
    and (s.hold_ms is not null or l.failing_since is distinct from s.failing_since)
  returning 1
)
select subscription from lane where only_failed and failing_since <= now() - $15 * interval '1 ms'`;

/** Answers the subscriptions that have failed for `failingMs`. */
async function store(pool: Pool, results: Result[], failingMs: number): Promise<string[]> {
  const of = <T>(read: (result: Result) => T) => results.map(read);
  const lanes = [...Map.groupBy(results, ({ due }) => due.subscription)].map(laneOf);
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
      lanes.map(({ subscription }) => subscription),
      lanes.map(({ succeeded }) => succeeded),
      lanes.map(({ failing }) => failing),
      lanes.map(({ holdMs }) => holdMs),
      failingMs,
    ],
  });
  return rows.map(({ subscription }) => subscription);
}

/** What a subscription's results say together: whether any succeeded, and whether the last one failed. */
function laneOf([subscription, results]: [string, Result[]]) {
  const holds = results.flatMap(({ holdMs }) => holdMs ?? []);
  return {
    subscription,
    succeeded: results.some(({ delivered }) => delivered),
    failing: results.at(-1)?.delivered === false,
    holdMs: holds.length > 0 ? Math.max(...holds) : null,
  };
}
