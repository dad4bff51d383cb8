import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import type { Database } from '../../../db/client.ts';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import type { SourceName } from '../../../lib/config/sources.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import { manifestQueue } from '../manifests/fetches.ts';
import { listingQueues } from '../manifests/listings.ts';
import { fillNames } from '../manifests/names.ts';
import type { IndexerMetrics } from '../metrics.ts';
import { openClaims } from '../queue/claims.ts';
import { startWorker, type Worker, type WorkQueue } from '../queue/worker.ts';
import { jobQueue } from './jobs.ts';
import { watchJudgement } from './judged.ts';

export interface ChecksOptions {
  db: Database;
  settings: NetworkSettings;
  outbound: Outbound;
  log: Logger;
  metrics: IndexerMetrics;
  /** See `ManifestOptions`. */
  fastFor?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** How often a check looks for what is due when nothing wakes it. Default: 15 s. */
  lookAgainMs?: number | undefined;
}

const lookAgainMsDefault = 15_000;

/** What a network's events claim, held against the world outside them. */
export interface Checks {
  /**
   * Begins to check what a source brings; before its history is read, most of what is due would be superseded at once.
   * Called each time that a history has been read.
   */
  start(source: SourceName): void;
  /** Something was committed that may be due now. */
  wake(source: SourceName): void;
  close(): Promise<void>;
}

export function createChecks(options: ChecksOptions): Checks {
  const { db, settings, outbound, log, metrics, fastFor, lookAgainMs = lookAgainMsDefault } = options;
  const stop = new AbortController();
  const claims = openClaims(db);
  const judgement = watchJudgement(db.pool, settings.network, log);
  const manifests = manifestQueue(db, { settings, outbound, metrics, signal: stop.signal, fastFor });
  const listings = listingQueues('listings', db, settings, metrics);
  const rules = listingQueues('rules', db, settings, metrics);
  const jobs = jobQueue(db, settings, metrics);
  const start = <Job>(queue: WorkQueue<Job>, onDone: () => void) =>
    startWorker(queue, { claims, log, signal: stop.signal, sleepMaxMs: lookAgainMs, onDone });
  let fetching: Worker | undefined;
  /** One for both sources that name manifests, from when the first of them has read its history. */
  const fetcher = () => {
    // What the second's history brought is due now.
    fetching?.wake();
    fetching ??= start(manifests, onManifest);
    return fetching;
  };
  let rechecking: Worker | undefined;
  /** What a manifest's ops call is looked up with the next check of its listing. */
  const onManifest = () => {
    rechecking?.wake();
    judgement.look();
  };
  /** A publisher who was found to be the real one has another place among the manifests. */
  const onListing = () => {
    fetching?.wake();
    judgement.look();
  };
  const starts: Partial<Record<SourceName, () => Worker[]>> = {
    registry: () => {
      rechecking = start(listings.again, onListing);
      return [fetcher(), start(listings.first, onListing), rechecking];
    },
    rules: () => [fetcher(), start(rules.first, onListing), start(rules.again, onListing)],
    escrow: () => [start(jobs, judgement.look)],
  };
  let naming: Promise<void> | undefined;
  /** Names are of what is shown already, so a failure waits for the next history. */
  const name = () => {
    naming ??= fillNames(db.pool, settings.network, stop.signal).catch((error) => {
      naming = undefined;
      log.warn({ network: settings.network }, `could not store the names of listings: ${messageOf(error)}`);
    });
  };
  const workers = new Map<SourceName, Worker[]>();
  return {
    start(source) {
      if (stop.signal.aborted) return;
      if (source === 'registry') name();
      if (!workers.has(source)) workers.set(source, starts[source]?.() ?? []);
      judgement.start(source);
    },
    wake(source) {
      for (const worker of workers.get(source) ?? []) worker.wake();
    },
    async close() {
      stop.abort();
      await Promise.all([...workers.values()].flat().map((worker) => worker.stopped));
      await naming;
      await judgement.close();
      await claims.close();
      await manifests.close();
      listings.close();
      rules.close();
      jobs.close();
    },
  };
}
