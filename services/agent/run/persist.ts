import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import type { Logger } from '../../../lib/log/index.ts';

export interface PersistOptions {
  log: Logger;
  run: number;
  /** Aborted when the service closes. */
  signal: AbortSignal;
}

const retryMs = { first: 100, max: 5_000 };

/**
 * Writes what must not be lost, and tries until the database takes it: an outage must not leave a run unsettled.
 * `write` does the same however often it is called. Rejects only with the signal's reason.
 */
export async function persist<T>({ log, run, signal }: PersistOptions, write: () => Promise<T>): Promise<T> {
  for (let attempt = 0; ; attempt += 1) {
    try {
      return await write();
    } catch (error) {
      signal.throwIfAborted();
      log.warn({ run, reason: messageOf(error) }, 'a step of a run could not be written down; trying again');
      await delay(Math.min(retryMs.first * 2 ** attempt, retryMs.max), undefined, { signal });
    }
  }
}
