import { setTimeout as delay } from 'node:timers/promises';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Logger } from '../../../lib/log/index.ts';

export interface PersistOptions {
  log: Logger;
  run: number;
  /** Aborted when the service closes. */
  signal: AbortSignal;
}

const retryMs = { first: 100, max: 5_000 };

/**
 * Retries a write that must not be lost until the database accepts it: an outage must not leave a run unsettled.
 * `write` is idempotent. Rejects only with the signal's reason.
 */
export async function persist<T>({ log, run, signal }: PersistOptions, write: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ run, reason: getErrorMessage(error) }, 'could not store a step of a run; trying again');
      await delay(Math.min(retryMs.first * 2 ** attempt, retryMs.max), undefined, { signal });
    }
  }
}
