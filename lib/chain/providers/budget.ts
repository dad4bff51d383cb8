import { setTimeout as delay } from 'node:timers/promises';
import { RpcError } from '@protobuf-ts/runtime-rpc';
import { NotSentError } from './refusals.ts';
import type { Bucket, TokenBucket } from './token-bucket.ts';

/** Kinds of requests to a provider, the most important first. */
export const priorities = ['follow', 'run', 'read', 'check', 'canary'] as const;
export type Priority = (typeof priorities)[number];

/** Share of the bucket that requests of a priority leave to the more important ones. */
const reservedShares: Readonly<Record<Priority, number>> = {
  follow: 0,
  run: 0.15,
  read: 0.35,
  check: 0.6,
  canary: 0.8,
};

/** Time for which a budget counts requests. */
export const budgetWindowMs = 30_000;

/**
 * Returns a bucket that gives at most `requests` tokens within any window: a quarter at once, and the rest over the
 * window.
 */
export function sizeBucket(requests: number): Bucket {
  const capacity = Math.max(1, Math.floor(requests / 4));
  return { capacity, perSecond: Math.max(1, requests - capacity) / (budgetWindowMs / 1_000) };
}

const budgetUsedUp = (host: string, waitMs: number) =>
  new NotSentError(`the request budget for ${host} is used up`, waitMs);

export interface CallBounds {
  /** `Date.now()` at which the caller gives up. */
  deadlineMs: number;
  signal: AbortSignal | undefined;
}

/** Tokens for the requests to one provider. Requests of one priority are served in their order. */
export class RequestBudget {
  /** Maximum number of requests within the window. */
  readonly requests: number;
  readonly #host: string;
  readonly #bucket: TokenBucket;
  readonly #floors: Readonly<Record<Priority, number>>;
  readonly #turns = new Map<Priority, Promise<void>>();
  /** Tokens that were left after the last request; undefined before the first. */
  left: number | undefined;

  /** @param tokens a bucket of the size that `sizeBucket` returns */
  constructor(host: string, requests: number, tokens: TokenBucket) {
    const { capacity } = sizeBucket(requests);
    this.requests = requests;
    this.#host = host;
    this.#bucket = tokens;
    const floor = (priority: Priority) => Math.floor(reservedShares[priority] * capacity);
    this.#floors = {
      follow: 0,
      run: floor('run'),
      read: floor('read'),
      check: floor('check'),
      canary: floor('canary'),
    };
  }

  /**
   * Resolves when the request may be sent.
   * @throws NotSentError if that is after the deadline; RpcError `CANCELLED` if the signal aborts
   */
  async take(priority: Priority, { deadlineMs, signal }: CallBounds): Promise<void> {
    const before = this.#turns.get(priority);
    const turn = Promise.withResolvers<void>();
    this.#turns.set(priority, turn.promise);
    try {
      if (before) await this.#waitForTurn(before, { deadlineMs, signal });
      for (;;) {
        const { taken, left, waitMs } = await this.#bucket.take(this.#floors[priority]);
        this.left = left;
        if (taken) return;
        if (Date.now() + waitMs > deadlineMs) throw budgetUsedUp(this.#host, waitMs);
        await sleep(waitMs, signal);
      }
    } finally {
      // If this request gave up before its turn, the next one still waits for the request before this one.
      if (before) void before.then(turn.resolve);
      else turn.resolve();
    }
  }

  /** @throws NotSentError at the deadline; RpcError `CANCELLED` if the signal aborts */
  async #waitForTurn(before: Promise<void>, { deadlineMs, signal }: CallBounds): Promise<void> {
    const over = new AbortController();
    const stop = signal ? AbortSignal.any([signal, over.signal]) : over.signal;
    const waitMs = deadlineMs - Date.now();
    const timeout = sleep(waitMs, stop).then(() => {
      throw budgetUsedUp(this.#host, 1_000);
    });
    try {
      await Promise.race([before, timeout]);
    } finally {
      timeout.catch(() => undefined);
      over.abort();
    }
  }
}

/** Longest delay of a timer. */
const timerMsMax = 2 ** 31 - 1;

/** @throws RpcError `CANCELLED` if the signal aborts */
export async function sleep(ms: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await delay(Math.min(Math.max(1, ms), timerMsMax), undefined, { signal });
  } catch {
    throw new RpcError('the call was cancelled while it waited for its turn', 'CANCELLED');
  }
}
