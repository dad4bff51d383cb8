import { createSemaphore } from '../../../lib/concurrency/semaphore.ts';
import { problem } from '../../../lib/errors/index.ts';

/** Maximum number of pages of one address that wait: enough for a browser that opens many tabs. */
const waitingMax = 29;

export type PageShare = <T>(address: string, work: () => Promise<T>) => Promise<T>;

/**
 * Creates the share of each address, which could otherwise take every slot: rate limits do not count pages. Of the
 * reads of pages, one stays free for others.
 * @throws ProblemError 503 `site_busy` beyond the share of an address
 */
export function createPageShare(readsMax: number): PageShare {
  const runningMax = readsMax - 1;
  const busy = problem(
    'site_busy',
    `${runningMax + waitingMax} pages for your address are being made, the maximum. Load the page again in a few seconds.`,
  );
  const shares = new Map<string, ReturnType<typeof createSemaphore>>();

  return async (address, work) => {
    const share = shares.get(address) ?? createSemaphore(runningMax);
    if (share.load().waiting >= waitingMax) throw busy;
    shares.set(address, share);
    try {
      return await share.run(work);
    } finally {
      const { running, waiting } = share.load();
      if (running + waiting === 0) shares.delete(address);
    }
  };
}
