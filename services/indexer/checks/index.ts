import type { Database } from '../../../db/client.ts';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import type { IndexerMetrics } from '../metrics.ts';
import { listingQueues } from './listings.ts';
import { manifestQueue } from './manifests.ts';
import { startWorker, type Worker } from './queue.ts';

export interface ChecksOptions {
  db: Database;
  settings: NetworkSettings;
  outbound: Outbound;
  log: Logger;
  metrics: IndexerMetrics;
}

/** What a network's listings claim, held against the world outside the events. */
export interface Checks {
  /** Begins to work; before history is read, most of what is due would be superseded at once. */
  start(): void;
  /** Something was committed that may be due now. */
  wake(): void;
  close(): Promise<void>;
}

export function createChecks({ db, settings, outbound, log, metrics }: ChecksOptions): Checks {
  const stop = new AbortController();
  const manifests = manifestQueue(db, settings, outbound, metrics, stop.signal);
  const listings = listingQueues(db, settings, metrics);
  let workers: Worker[] = [];
  return {
    start() {
      if (workers.length > 0 || stop.signal.aborted) return;
      workers = [
        startWorker(manifests, log, stop.signal),
        startWorker(listings.first, log, stop.signal),
        startWorker(listings.again, log, stop.signal),
      ];
    },
    wake() {
      for (const worker of workers) worker.wake();
    },
    async close() {
      stop.abort();
      await Promise.all(workers.map((worker) => worker.stopped));
      await manifests.close();
      listings.close();
    },
  };
}
