import { type Listener, listen } from '../../../db/listen.ts';
import type { SourceName } from '../../../lib/config/networks.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import { createCanaryQueue } from '../canaries/queue.ts';
import { createPagedApplier } from '../manifests/apply.ts';
import { createManifestQueue } from '../manifests/fetches.ts';
import type { Claims } from '../queue/claims.ts';
import type { CheckDependencies, WorkQueue } from '../queue/work-queue.ts';
import { startWorker, type Worker } from '../queue/worker.ts';
import { createSourceFetchQueue } from '../repositories/fetches.ts';
import { createStatementQueue } from '../statements/queue.ts';
import { createCertificateQueue } from './certificates.ts';
import { createClaimChangesQueue } from './claim-changes.ts';
import { createCoinQueue } from './coins.ts';
import { openFindings } from './findings.ts';
import { createJobQueue } from './jobs.ts';
import { createListingQueues } from './listings.ts';
import { createSourceQueue } from './package-sources.ts';
import { createPictureQueue } from './pictures.ts';
import { createDomainQueue, createNameQueue, createPackageNameQueue } from './proofs.ts';
import { createReviewTextQueue } from './review-texts.ts';

interface WorkersOptions extends CheckDependencies {
  outbound: Outbound;
  claims: Claims;
  log: Logger;
  fastFor: ((signal: AbortSignal) => Promise<void>) | undefined;
  lookAgainMs: number;
  /** Called after each check of something that is shown. */
  onDone(): void;
  signal: AbortSignal;
}

/** The workers of a network, which share their queues between sources. */
export function createCheckWorkers(options: WorkersOptions) {
  const { outbound, claims, log, fastFor, lookAgainMs, onDone, signal } = options;
  const onDue = () => rechecking?.wake();
  const store = openFindings(options, onDue);
  const applying = createPagedApplier({
    pool: options.db.pool,
    network: options.settings.network,
    log,
    signal,
    onDue,
  });
  const manifests = createManifestQueue(options, { outbound, store, signal, fastFor });
  const listings = createListingQueues('listings', options, store);
  const rules = createListingQueues('rules', options, store);
  const jobs = createJobQueue(options);
  const coins = createCoinQueue(options);
  const pictures = createPictureQueue(options, { outbound, signal });
  const texts = createReviewTextQueue(options, signal);
  const domains = createDomainQueue(options, { outbound, signal });
  const names = createNameQueue(options);
  const packageNames = createPackageNameQueue(options, { outbound, signal });
  const certificates = createCertificateQueue(options, signal);
  const claimChanges = createClaimChangesQueue(options);
  const sources = createSourceQueue(options, signal);
  const namedSources = createSourceFetchQueue(options, { outbound, signal });
  const statements = createStatementQueue(options);
  const canaries = createCanaryQueue(options, signal);
  let offers: Listener | undefined;
  const workers: Worker[] = [];
  const run = <Job>(queue: WorkQueue<Job>, onJobDone: () => void) => {
    const worker = startWorker(queue, { claims, log, signal, sleepMaxMs: lookAgainMs, onDone: onJobDone });
    workers.push(worker);
    return worker;
  };
  /** The one worker for both sources that name manifests. It starts when the first of them has read its history. */
  const fetching = createSharedWorker(() => {
    applying.start();
    return run(manifests, onManifest);
  });
  // No shown data waits for a picture, or for a coin's decimals.
  const fetchingPictures = createSharedWorker(() => run(pictures, () => undefined));
  const readingCoins = createSharedWorker(() => {
    fetchingPictures.start();
    return run(coins, () => undefined);
  });
  let [checking, rechecking, certifying, comparing, simulating, reading, stating]: (Worker | undefined)[] =
    [];
  /** Wakes the workers for which a version that the catalog shows now may bring work. */
  const onShown = () => {
    certifying?.wake();
    comparing?.wake();
    simulating?.wake();
    onDone();
  };
  /**
   * Called after a fetch of a manifest. Its listing's check may be due in the other partition now, and neither may have
   * seen it: a read of each was before and after the fetch.
   */
  const onManifest = () => {
    checking?.wake();
    onShown();
  };
  /** Called after a check of a listing: the fetches of a verified publisher have precedence. */
  const onListing = () => {
    fetching.started()?.reorder();
    onShown();
  };
  /** Start the workers of a source, and return those for which a commit brings work. */
  const starts: Partial<Record<SourceName, () => Worker[]>> = {
    registry: () => {
      rechecking = run(listings.again, onListing);
      const fetches = fetching.start();
      checking = run(listings.first, onListing);
      return [fetches, checking];
    },
    rules: () => {
      run(rules.again, onListing);
      return [fetching.start(), run(rules.first, onListing)];
    },
    wallet: () => [readingCoins.start()],
    escrow: () => [run(jobs, onDone), readingCoins.start()],
  };
  const workersBySource = new Map<SourceName, Worker[]>();
  return {
    /** Starts the workers of a source, once. */
    start(source: SourceName): void {
      if (!workersBySource.has(source)) workersBySource.set(source, starts[source]?.() ?? []);
    },
    /**
     * Starts the workers for which nothing in the catalog waits, once everything in the source's history was checked: the
     * names and icons of publishers, names of packages, the coins that manifests name, texts of reviews, certificates and
     * their comparisons, canaries, statements of attesters, and source with its builds. Once: a source that restarts reads
     * and checks a history again.
     */
    startLater(source: SourceName): void {
      if (source !== 'registry' || offers) return;
      for (const queue of [domains, names, packageNames]) run(queue, () => undefined);
      comparing = run(claimChanges, () => undefined);
      certifying = run(certificates, () => comparing?.wake());
      if (canaries) simulating = run(canaries, () => undefined);
      reading = run(texts, () => undefined);
      readingCoins.start();
      const building = run(sources, () => undefined);
      run(namedSources, () => undefined);
      stating = run(statements, () => undefined);
      offers = listen({
        url: options.db.directUrl,
        channels: ['source_offers'],
        onNotification: (_, offeredOn) => {
          if (offeredOn === options.settings.network) building.wake();
        },
        onConnected: () => building.wake(),
        log,
      });
    },
    /** Wakes the workers for which a commit of the source brings work. */
    wake(source: SourceName): void {
      for (const worker of workersBySource.get(source) ?? []) worker.wake();
      if (source === 'registry') reading?.wake();
      if (source === 'statements') stating?.wake();
    },
    /** Resolves when the running jobs have ended, after the signal aborted. */
    async waitForJobs(): Promise<void> {
      await Promise.all(workers.map((worker) => worker.stopped));
    },
    async close(): Promise<void> {
      await offers?.close();
      await applying.close();
      await manifests.close();
      await texts.close();
      for (const queue of [listings, rules, jobs, coins, names, certificates, sources, statements])
        queue.close();
      canaries?.close();
    },
  };
}

/** A worker that two sources share: the second start wakes it, because the work of that source's history is due now. */
function createSharedWorker(start: () => Worker): { start(): Worker; started(): Worker | undefined } {
  let worker: Worker | undefined;
  return {
    start() {
      worker?.wake();
      worker ??= start();
      return worker;
    },
    started: () => worker,
  };
}
