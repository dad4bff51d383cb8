import { messageOf } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { lockCatalog, readLeavingEntries, refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import { endWait, type Listed } from '../../../db/queries/checks.ts';
import { inTransaction } from '../../../db/transaction.ts';
import type { SourceName } from '../../../lib/config/networks.ts';
import type { Logger } from '../../../lib/log/index.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import { manifestQueue } from '../manifests/fetches.ts';
import { fillNames } from '../manifests/fit.ts';
import { openClaims } from '../queue/claims.ts';
import { type CheckDependencies, startWorker, type Worker, type WorkQueue } from '../queue/worker.ts';
import { jobQueue, listingQueues } from './chain.ts';

interface ChecksOptions extends CheckDependencies {
  outbound: Outbound;
  log: Logger;
  /** Resolves when a fetch has used its fast slot long enough; see `ManifestOptions`. */
  fastFor?: ((signal: AbortSignal) => Promise<void>) | undefined;
  /** How often a check looks for what is due when nothing wakes it. Default: 15 s. */
  lookAgainMs?: number | undefined;
}

const lookAgainMsDefault = 15_000;

/** Background work of a network: checks its events against the chain, and fetches what they name. */
interface Checks {
  /**
   * Starts the checks of a source, each time its history has been read. Before that, later events would replace most of
   * what is due.
   */
  start(source: SourceName): void;
  /** Something was committed that may be due now. */
  wake(source: SourceName): void;
  close(): Promise<void>;
}

export function createChecks(options: ChecksOptions): Checks {
  const { db, settings, outbound, log, fastFor, lookAgainMs = lookAgainMsDefault } = options;
  const stop = new AbortController();
  const claims = openClaims(db);
  const judgement = watchJudgement(db, settings.network, log);
  const manifests = manifestQueue(options, { outbound, signal: stop.signal, fastFor });
  const listings = listingQueues('listings', options);
  const rules = listingQueues('rules', options);
  const jobs = jobQueue(options);
  const start = <Job>(queue: WorkQueue<Job>, onDone: () => void) =>
    startWorker(queue, { claims, log, signal: stop.signal, sleepMaxMs: lookAgainMs, onDone });
  let fetching: Worker | undefined;
  /** One worker for both sources that name manifests. It starts when the first of them has read its history. */
  const fetcher = () => {
    // The fetches of the second source's history are due now.
    fetching?.wake();
    fetching ??= start(manifests, onManifest);
    return fetching;
  };
  let rechecking: Worker | undefined;
  /** The functions that a manifest's ops call are read with the next check of its listing. */
  const onManifest = () => {
    rechecking?.wake();
    judgement.look();
  };
  /** The fetches of a verified publisher have precedence. */
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
  /** Names belong to what is shown already, so a failure is retried only after the next history. */
  const name = () => {
    naming ??= fillNames(db.pool, settings.network, stop.signal).catch((error) => {
      naming = undefined;
      log.warn({ network: settings.network }, `could not store the names of listings: ${messageOf(error)}`);
    });
  };
  let leaving: Promise<void> | undefined;
  /** Entries leave the catalog by the clock when the manifest of a newer version stays unreachable. */
  const leave = () => {
    leaving ??= removeLeaving(db.pool, settings.network)
      .catch((error) =>
        log.warn({ network: settings.network }, `could not remove entries: ${messageOf(error)}`),
      )
      .finally(() => {
        leaving = undefined;
      });
  };
  let clock: NodeJS.Timeout | undefined;
  const workers = new Map<SourceName, Worker[]>();
  return {
    start(source) {
      if (stop.signal.aborted) return;
      if (source === 'registry') {
        name();
        clock ??= setInterval(leave, lookAgainMs).unref();
      }
      if (!workers.has(source)) workers.set(source, starts[source]?.() ?? []);
      judgement.start(source);
    },
    wake(source) {
      for (const worker of workers.get(source) ?? []) worker.wake();
    },
    async close() {
      stop.abort();
      await Promise.all([...workers.values()].flat().map((worker) => worker.stopped));
      clearInterval(clock);
      await naming;
      await leaving;
      await judgement.close();
      await claims.close();
      await manifests.close();
      listings.close();
      rules.close();
      jobs.close();
    },
  };
}

/** Takes the entries whose time is over out of the catalog. */
async function removeLeaving(pool: Pool, network: string): Promise<void> {
  if ((await readLeavingEntries(pool, network)).length === 0) return;
  await inTransaction(pool, async (client) => {
    const catalog = await lockCatalog(client, network);
    await refreshEntries(client, catalog, await readLeavingEntries(client, network));
  });
}

/** The table with the checks of a source. Nothing that is shown waits for checks of the other sources. */
const tables: Partial<Record<SourceName, Listed>> = { registry: 'listings', rules: 'rules' };

interface JudgementWatch {
  /** Call when a history has been read: watches from now on until all of it is checked. */
  start(source: SourceName): void;
  /** Call after each check. */
  look(): void;
  /** Resolves when the query in progress has ended. */
  close(): Promise<void>;
}

/** Another process may do the checks. */
const watchEveryMs = 1_000;

/** Records in the rows of the sources that everything their history brought was checked once. */
function watchJudgement({ pool }: CheckDependencies['db'], network: string, log: Logger): JudgementWatch {
  const watched = new Set<SourceName>();
  let looking: Promise<void> | undefined;
  let again = false;
  let closed = false;
  let timer: NodeJS.Timeout | undefined;

  async function lookNow(): Promise<void> {
    do {
      again = false;
      for (const source of watched)
        if (await endWait(pool, network, source, tables[source])) watched.delete(source);
    } while (again && watched.size > 0 && !closed);
  }

  function look(): void {
    again = true;
    if (looking || closed || watched.size === 0) return;
    looking = lookNow()
      .catch((error) => log.debug({ network }, `could not see what is judged: ${messageOf(error)}`))
      .finally(() => {
        looking = undefined;
      });
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
