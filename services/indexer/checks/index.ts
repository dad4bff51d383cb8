import type { Database } from '../../../db/client.ts';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import type { SourceName } from '../../../lib/config/sources.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import type { IndexerMetrics } from '../metrics.ts';
import { jobQueue } from './jobs.ts';
import { listingQueues } from './listings.ts';
import { manifestQueue } from './manifests.ts';
import { startWorker, type Worker, type WorkQueue } from './queue.ts';

export interface ChecksOptions {
  db: Database;
  settings: NetworkSettings;
  outbound: Outbound;
  log: Logger;
  metrics: IndexerMetrics;
  /** How often a check looks for what is due when nothing wakes it. Default: 15 s. */
  lookAgainMs?: number | undefined;
}

const lookAgainMsDefault = 15_000;

/** What a network's events claim, held against the world outside them. */
export interface Checks {
  /** Begins to check what a source brings; before its history is read, most of what is due would be superseded at once. */
  start(source: SourceName): void;
  /** Something was committed that may be due now. */
  wake(source: SourceName): void;
  close(): Promise<void>;
}

export function createChecks(options: ChecksOptions): Checks {
  const { db, settings, outbound, log, metrics, lookAgainMs = lookAgainMsDefault } = options;
  const stop = new AbortController();
  const manifests = manifestQueue(db, settings, outbound, metrics, stop.signal);
  const listings = listingQueues('listings', db, settings, metrics);
  const rules = listingQueues('rules', db, settings, metrics);
  const jobs = jobQueue(db, settings, metrics);
  const start = <Job>(queue: WorkQueue<Job>) =>
    startWorker(queue, { log, signal: stop.signal, sleepMaxMs: lookAgainMs });
  let fetching: Worker | undefined;
  /** One for both sources that name manifests, from when the first of them has read its history. */
  const fetcher = () => {
    // What the second's history brought is due now.
    fetching?.wake();
    fetching ??= start(manifests);
    return fetching;
  };
  const starts: Partial<Record<SourceName, () => Worker[]>> = {
    registry: () => [fetcher(), start(listings.first), start(listings.again)],
    rules: () => [fetcher(), start(rules.first), start(rules.again)],
    escrow: () => [start(jobs)],
  };
  const workers = new Map<SourceName, Worker[]>();
  return {
    start(source) {
      if (workers.has(source) || stop.signal.aborted) return;
      workers.set(source, starts[source]?.() ?? []);
    },
    wake(source) {
      for (const worker of workers.get(source) ?? []) worker.wake();
    },
    async close() {
      stop.abort();
      await Promise.all([...workers.values()].flat().map((worker) => worker.stopped));
      await manifests.close();
      listings.close();
      rules.close();
      jobs.close();
    },
  };
}
