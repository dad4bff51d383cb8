import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@adaptor-marketplace/adaptor';
import type { Queryable } from '../../db/queries/queryable.ts';
import { type EndedAttempt, storeAttempts } from '../../db/queries/webhooks/attempts.ts';
import type { Logger } from '../../lib/log/index.ts';

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
