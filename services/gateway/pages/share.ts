import { createSemaphore } from '../../../lib/concurrency/semaphore.ts';
import { problem } from '../../../lib/errors/index.ts';

/**
 * Most pages of one address that are made at once. It is less than the number of reads for pages, `readsMax` of
 * `page-data.ts`, so that a slot stays free for others.
 */
const runningMax = 3;
/** Most pages of one address that wait: enough for a browser that opens many tabs. */
const waitingMax = 29;

/** Runs the work that makes a page for an address. */
export type PageShare = <T>(address: string, work: () => Promise<T>) => Promise<T>;

/**
 * Creates the share of each address, which could otherwise take every slot: rate limits do not count pages.
 * @throws ProblemError 503 `site_busy` beyond the share of an address
 */
export function pageShare(): PageShare {
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

const busy = problem(
  'site_busy',
  `${runningMax + waitingMax} pages for your address are being made, the maximum. Load the page again in a few seconds.`,
);
