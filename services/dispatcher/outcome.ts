import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@adaptor-marketplace/adaptor';
import type { Queryable } from '../../db/queries/queryable.ts';
import { type EndedAttempt, storeAttempts } from '../../db/queries/webhooks/deliveries.ts';
import type { Logger } from '../../lib/log/index.ts';

/** When a failed delivery is sent again, and when it counts as failed for good. */
export interface RetryRules {
  /** Milliseconds before the second attempt, the third, ...; after the last of them there is none. */
  scheduleMs: readonly number[];
  /** Minimum time after a 429 or a timeout. */
  overloadMs: number;
  /** A subscription is disabled when all attempts have failed for so long. */
  disableAfterMs: number;
}

const seconds = 1_000;
const minutes = 60 * seconds;
const hours = 60 * minutes;

/** The example schedule of Standard Webhooks 1.0.0: ten attempts in 75 h 35 min. */
export const retryRules: RetryRules = {
  scheduleMs: [
    5 * seconds,
    5 * minutes,
    30 * minutes,
    2 * hours,
    5 * hours,
    10 * hours,
    14 * hours,
    20 * hours,
    24 * hours,
  ],
  overloadMs: 60 * seconds,
  disableAfterMs: 5 * 24 * hours,
};

interface Failure {
  /** Failed attempts so far, this one included. */
  failures: number;
  /** A timeout or a 429. */
  overloaded: boolean;
  /** The `Retry-After` header of the response, as received. */
  retryAfter: string | undefined;
}

/**
 * Milliseconds until the next attempt; undefined when there is none. `Retry-After` counts between the base delay
 * and twice it. Up to a tenth is added, so that deliveries that failed together are not retried together.
 */
export function retryDelayMs(
  { scheduleMs, overloadMs }: RetryRules,
  { failures, overloaded, retryAfter }: Failure,
  random: () => number = Math.random,
  nowMs: number = Date.now(),
): number | undefined {
  const baseMs = scheduleMs[failures - 1];
  if (baseMs === undefined) return undefined;
  const requestedMs = retryAfterMs(retryAfter, nowMs) ?? baseMs;
  const withinMs = Math.min(Math.max(requestedMs, baseMs), 2 * baseMs);
  return Math.round(Math.max(withinMs, overloaded ? overloadMs : 0) * (1 + random() / 10));
}

/** Seconds or an HTTP date (RFC 9110 section 10.2.3); undefined for anything else. */
function retryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * seconds;
  const dateMs = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : dateMs - nowMs;
}

export interface Recorder {
  /** Resolves when the attempt is stored, which may take as long as the database is out. */
  add(attempt: EndedAttempt): Promise<void>;
  /** Discards what cannot be stored now: it is sent again later. */
  close(): Promise<void>;
}

interface RecorderOptions {
  db: Queryable;
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
export function createRecorder({ db, log, failingMs, onFailing }: RecorderOptions): Recorder {
  let waiting: { attempt: EndedAttempt; stored: () => void; failed: (reason: Error) => void }[] = [];
  let flushing: Promise<void> | undefined;
  const closed = new AbortController();

  async function flushAll(): Promise<void> {
    while (waiting.length > 0) {
      const batch = waiting.slice(0, batchMax);
      waiting = waiting.slice(batchMax);
      try {
        const failing = await storeUntilItWorks(batch.map(({ attempt }) => attempt));
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
  async function storeUntilItWorks(attempts: EndedAttempt[]): Promise<string[]> {
    for (let tries = 0; ; tries++) {
      try {
        return await storeAttempts(db, attempts, failingMs);
      } catch (error) {
        if (closed.signal.aborted) throw error;
        if (tries === 0)
          log.warn({ reason: messageOf(error) }, 'cannot store webhook attempts; trying again');
        await delay(retryMs, undefined, { signal: closed.signal }).catch(() => undefined);
      }
    }
  }

  return {
    add(attempt) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      waiting.push({ attempt, stored: resolve, failed: reject });
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
