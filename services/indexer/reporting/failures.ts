import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Logger } from '../../../lib/log/index.ts';

/**
 * Returns a function that runs regular work and never rejects. It logs when the work begins to fail, and when it succeeds
 * again: during an outage of the database, a line for each attempt would hide all others.
 * @param failed begins the first line, such as `could not compute ranks`
 */
export function logOutages(log: Logger, about: object, failed: string) {
  let sinceMs: number | undefined;
  return async (work: () => Promise<void>): Promise<void> => {
    try {
      await work();
      if (sinceMs === undefined) return;
      const seconds = Math.round((performance.now() - sinceMs) / 100) / 10;
      sinceMs = undefined;
      log.info({ ...about, seconds }, `the work succeeds again after an outage: ${failed}`);
    } catch (error) {
      if (sinceMs === undefined) log.warn(about, `${failed}: ${getErrorMessage(error)}`);
      sinceMs ??= performance.now();
    }
  };
}
