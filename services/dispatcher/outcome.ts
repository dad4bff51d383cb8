import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import {
  type FinishedAttempt,
  isWithoutPartition,
  keepLogDays,
  type PassedStretch,
  storeAttempts,
} from '../../db/queries/webhooks/attempts.ts';
import type { Logger } from '../../lib/log/index.ts';

/** Schedule of the retries of a failed delivery, and the limit after which a subscription is disabled. */
export interface RetryRules {
  /** Milliseconds before the second attempt, the third, ... The delivery fails for good after the last attempt. */
  scheduleMs: readonly number[];
  /** Minimum time after a 429 or a timeout. */
  overloadMs: number;
  /** Milliseconds of failed attempts after which a subscription is disabled. */
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

/** Days after which deliveries and their attempts are removed. */
export const logDays = 30;

interface Failure {
  /** Failed attempts so far, this one included. */
  failures: number;
  /** `true` after a timeout or a 429. */
  overloaded: boolean;
  /** The `Retry-After` header of the response, as received. */
  retryAfter: string | undefined;
}

/**
 * Returns the milliseconds until the next attempt; `undefined` if there is none. `Retry-After` counts between the base
 * delay and twice it. Up to a tenth is added, so that deliveries that failed together are not retried together.
 */
export function computeRetryDelayMs(
  { scheduleMs, overloadMs }: RetryRules,
  { failures, overloaded, retryAfter }: Failure,
  random: () => number = Math.random,
  nowMs: number = Date.now(),
): number | undefined {
  const baseMs = scheduleMs[failures - 1];
  if (baseMs === undefined) return undefined;
  const requestedMs = parseRetryAfterMs(retryAfter, nowMs) ?? baseMs;
  const boundedMs = Math.min(Math.max(requestedMs, baseMs), 2 * baseMs);
  return Math.round(Math.max(boundedMs, overloaded ? overloadMs : 0) * (1 + random() / 10));
}

/** Parses seconds or an HTTP date (RFC 9110 section 10.2.3) into milliseconds; undefined for anything else. */
function parseRetryAfterMs(header: string | undefined, nowMs: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\s*\d{1,9}\s*$/.test(header)) return Number(header) * seconds;
  const dateMs = /^[A-Z][a-z]{2}, /.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(dateMs) ? undefined : dateMs - nowMs;
}

export interface Recorder {
  /** Adds a worker's progress, its attempt's result, or both. Resolves when they are stored, however long it takes. */
  add(passed: PassedStretch | undefined, ended: FinishedAttempt | undefined): Promise<void>;
  /** Stores what is waiting without a delay. */
  hurry(): void;
  /** Stores what is waiting. From now on, what cannot be stored at once is discarded and sent again later. */
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

/** Maximum time for which an entry waits to be stored together with later ones. */
const gatherMs = 250;
/** Delay before results that could not be stored are stored again. */
const retryMs = 500;

interface Batch {
  /** Progress by subscription and stream. */
  passed: Map<string, Map<string, PassedStretch>>;
  ended: FinishedAttempt[];
  stored: PromiseWithResolvers<void>;
}

const createBatch = (): Batch => {
  const stored = Promise.withResolvers<void>();
  // Workers await it at their end. Until then a rejection must not count as unhandled.
  stored.promise.catch(() => undefined);
  return { passed: new Map(), ended: [], stored };
};

/**
 * Stores the results of the workers of this process, one statement at a time. Results that arrive during a statement go
 * together into the next one, so that thousands of deliveries a second do not cost as many transactions.
 */
export function createRecorder({ pool, log, failingMs, onFailing }: RecorderOptions): Recorder {
  let waiting = createBatch();
  let timer: NodeJS.Timeout | undefined;
  let hurried = false;
  let flushing: Promise<void> | undefined;
  const closed = new AbortController();

  const isEmpty = () => waiting.passed.size === 0 && waiting.ended.length === 0;

  async function flushAll(): Promise<void> {
    while (hurried && !isEmpty()) {
      const batch = waiting;
      waiting = createBatch();
      hurried = false;
      clearTimeout(timer);
      timer = undefined;
      try {
        const failing = await storeWithRetries(batch);
        // The batch is stored. A later failure must not store it a second time.
        batch.stored.resolve();
        await Promise.all(failing.map(onFailing));
      } catch (error) {
        batch.stored.reject(error as Error);
      }
    }
    flushing = undefined;
  }

  /** @returns the subscriptions that have failed for `failingMs` */
  async function storeWithRetries({ passed, ended }: Batch): Promise<string[]> {
    for (let tries = 0; ; tries++) {
      try {
        const stretches = [...passed.values()].flatMap((byStream) => [...byStream.values()]);
        return await storeAttempts(pool, stretches, ended, failingMs);
      } catch (error) {
        if (closed.signal.aborted) throw error;
        if (isWithoutPartition(error)) await keepLogDays(pool, logDays).catch(() => undefined);
        if (tries === 0)
          log.warn({ reason: getErrorMessage(error) }, 'cannot store webhook attempts; trying again');
        if (tries > 0 || !isWithoutPartition(error))
          await delay(retryMs, undefined, { signal: closed.signal }).catch(() => undefined);
      }
    }
  }

  function hurry(): void {
    hurried = true;
    // In the next microtask, to include what ends in this one.
    flushing ??= Promise.resolve().then(flushAll);
  }

  return {
    add(passed, ended) {
      if (passed) {
        const { subscription, stream } = passed;
        const byStream = waiting.passed.get(subscription) ?? new Map<string, PassedStretch>();
        waiting.passed.set(subscription, byStream);
        const before = byStream.get(stream);
        if (before) before.upTo = passed.upTo;
        else byStream.set(stream, passed);
      }
      if (ended) waiting.ended.push(ended);
      timer ??= setTimeout(hurry, gatherMs);
      return waiting.stored.promise;
    },
    hurry,
    async close() {
      closed.abort();
      hurry();
      await flushing;
    },
  };
}
