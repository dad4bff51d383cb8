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
