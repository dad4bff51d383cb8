import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { lockCatalog, readLeavingEntries, refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import { mergeSearchIndex } from '../../../db/queries/catalog/search.ts';
import { endWait, type Listed } from '../../../db/queries/checks.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { coalesce, singleFlight } from '../../../lib/concurrency/single-flight.ts';
import type { SourceName } from '../../../lib/config/networks.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import { manifestQueue } from '../manifests/fetches.ts';
import { fillNames } from '../manifests/fit.ts';
import { openClaims } from '../queue/claims.ts';
import { type CheckDependencies, startWorker, type Worker, type WorkQueue } from '../queue/worker.ts';
import { jobQueue, listingQueues } from './chain.ts';
import { coinQueue } from './coins.ts';
import { openFindings } from './findings.ts';

interface ChecksOptions extends CheckDependencies {
  outbound: Outbound;
  log: Logger;
  /** Resolves when a fetch has used its fast slot long enough; see `ManifestOptions`. */
  fastFor?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** Interval at which a check looks for due work without a notification. Default: 15 s. */
  lookAgainMs?: number | undefined;
}

const lookAgainMsDefault = 15_000;
/** Time between two merges of the search index. Its list has room for some 500 changes of entries. */
const mergeMs = 5_000;

/**
 * Background work of a network: checks its events against the chain, and fetches the manifests and coins that they
 * name.
 */
interface Checks {
  /**
   * Starts the checks of a source. Call it each time the source's history has been read. Before that, later events
   * would replace most of the due work.
   */
  start(source: SourceName): void;
  /** Reports a commit that may have made work due. */
  wake(source: SourceName): void;
  close(): Promise<void>;
}

export function createChecks(options: ChecksOptions): Checks {
  const { db, settings, outbound, log, fastFor, lookAgainMs = lookAgainMsDefault } = options;
  const stop = new AbortController();
  const claims = openClaims(db);
  const judgement = watchJudgement(db, settings.network, log);
  const store = openFindings(options, () => rechecking?.wake());
  const manifests = manifestQueue(options, { outbound, store, signal: stop.signal, fastFor });
  const listings = listingQueues('listings', options, store);
  const rules = listingQueues('rules', options, store);
  const jobs = jobQueue(options);
  const coins = coinQueue(options);
  const workers: Worker[] = [];
  const start = <Job>(queue: WorkQueue<Job>, onDone: () => void) => {
    const worker = startWorker(queue, { claims, log, signal: stop.signal, sleepMaxMs: lookAgainMs, onDone });
    workers.push(worker);
    return worker;
  };
  let fetching: Worker | undefined;
  /**
   * Returns the one worker for both sources that name manifests. It starts when the first of them has read its history.
   */
  const fetcher = () => {
    // The fetches of the second source's history are due now.
    fetching?.wake();
    fetching ??= start(manifests, judgement.look);
    return fetching;
  };
  let coining: Worker | undefined;
  /** Returns the one worker for both sources that bring coins. */
  const coinReader = () => {
    coining?.wake();
    // No shown data waits for a coin's decimals.
    coining ??= start(coins, () => undefined);
    return coining;
  };
  let rechecking: Worker | undefined;
  /** Called after a check of a listing: the fetches of a verified publisher have precedence. */
  const onListing = () => {
    fetching?.reorder();
    judgement.look();
  };
  /** Start the workers of a source, and return those for which a commit brings work. */
  const starts: Partial<Record<SourceName, () => Worker[]>> = {
    registry: () => {
      rechecking = start(listings.again, onListing);
      return [fetcher(), start(listings.first, onListing)];
    },
    rules: () => {
      start(rules.again, onListing);
      return [fetcher(), start(rules.first, onListing)];
    },
    wallet: () => [coinReader()],
    escrow: () => [start(jobs, judgement.look), coinReader()],
  };
  let naming: Promise<void> | undefined;
  /** Stores the names of listings that are already shown, so a failure is retried only after the next history. */
  const name = () => {
    naming ??= fillNames(db.pool, settings.network, stop.signal).catch((error) => {
      naming = undefined;
      log.warn(
        { network: settings.network },
        `could not store the names of listings: ${getErrorMessage(error)}`,
      );
    });
  };
  /**
   * Removes entries that leave the catalog at a set time, because the manifest of a newer version stays unreachable.
   */
  const removal = singleFlight(() =>
    removeLeaving(db.pool, settings.network).catch((error) =>
      log.warn({ network: settings.network }, `could not remove entries: ${getErrorMessage(error)}`),
    ),
  );
  const merge = singleFlight(() =>
    // The index may belong to a superuser. Searches and commits still work, but do more work.
    mergeSearchIndex(db.pool).catch((error) =>
      log.debug({ reason: getErrorMessage(error) }, 'could not merge the search index'),
    ),
  );
  let clocks: NodeJS.Timeout[] = [];
  const woken = new Map<SourceName, Worker[]>();
  return {
    start(source) {
      if (stop.signal.aborted) return;
      if (source === 'registry') {
        name();
        if (clocks.length === 0) {
          clocks = [setInterval(removal.run, lookAgainMs).unref(), setInterval(merge.run, mergeMs).unref()];
        }
      }
      if (!woken.has(source)) woken.set(source, starts[source]?.() ?? []);
      judgement.start(source);
    },
    wake(source) {
      for (const worker of woken.get(source) ?? []) worker.wake();
    },
    async close() {
      stop.abort();
      await Promise.all(workers.map((worker) => worker.stopped));
      for (const clock of clocks) clearInterval(clock);
      await Promise.all([naming, removal.idle(), merge.idle()]);
      await judgement.close();
      await claims.close();
      await manifests.close();
      listings.close();
      rules.close();
      jobs.close();
      coins.close();
    },
  };
}

/** Removes the entries whose time is over from the catalog. */
async function removeLeaving(pool: Pool, network: string): Promise<void> {
  if ((await readLeavingEntries(pool, network)).length === 0) return;
  await inTransaction(pool, async (client) => {
    const catalog = await lockCatalog(client, network);
    await refreshEntries(client, catalog, await readLeavingEntries(client, network));
  });
}

/** The table with the checks of a source. No shown data waits for checks of the other sources. */
const tables: Partial<Record<SourceName, Listed>> = { registry: 'listings', rules: 'rules' };

interface JudgementWatch {
  /** Call when a history has been read: watches from now on until all of it is checked. */
  start(source: SourceName): void;
  /** Call after each check. */
  look(): void;
  /** Resolves when the query in progress has ended. */
  close(): Promise<void>;
}

/** Interval of the queries: another process may do the checks. */
const watchEveryMs = 1_000;

/** Records in the rows of the sources that everything in their history was checked once. */
function watchJudgement({ pool }: CheckDependencies['db'], network: string, log: Logger): JudgementWatch {
  const watched = new Set<SourceName>();
  let looking: Promise<void> | undefined;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  const lookOnce = coalesce(async () => {
    try {
      for (const source of watched)
        if (!closed && (await endWait(pool, network, source, tables[source]))) watched.delete(source);
    } catch (error) {
      log.debug({ network }, `could not see what is judged: ${getErrorMessage(error)}`);
    }
  });

  function look(): void {
    if (!closed && watched.size > 0) looking = lookOnce();
  }

  return {
    start(source) {
      watched.add(source);
      timer ??= setInterval(look, watchEveryMs).unref();
      look();
    },
    look,
    async close() {
      closed = true;
      clearInterval(timer);
      await looking;
    },
  };
}
