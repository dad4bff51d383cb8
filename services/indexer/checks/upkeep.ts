import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import { countAllDueReviews, refreshRecentUsage } from '../../../db/queries/catalog/counts.ts';
import { storePayees } from '../../../db/queries/catalog/credits.ts';
import { readLeavingEntries, refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import { refreshDueRanks } from '../../../db/queries/catalog/ranks.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import { mergeSearchIndex } from '../../../db/queries/catalog/search.ts';
import { refreshTrends } from '../../../db/queries/catalog/trends.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { createSingleFlight } from '../../../lib/concurrency/single-flight.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { updateNameSkeletons } from '../manifests/fit.ts';
import { logOutages } from '../reporting/failures.ts';

/** Time between two counts of the use of 30 days, from which a day leaves at midnight (UTC), and of the trends. */
const recountMs = 3_600_000;

/** Time between two searches for owners, and for reviews, that are due. */
const dueMs = 1_000;

/** Time between two merges of the search index. Its list has room for some 500 changes of entries. */
const mergeMs = 5_000;

interface UpkeepOptions {
  pool: Pool;
  network: string;
  /** Payees that the operator names for the ranking. */
  payees: readonly string[];
  log: Logger;
  /** Interval at which entries that leave the catalog are removed. */
  removeMs: number;
  signal: AbortSignal;
}

/** Regular work on the catalog that does not follow from an event or a check. */
export function createCatalogUpkeep({ pool, network, payees, log, removeMs, signal }: UpkeepOptions) {
  let namesUpdate: Promise<void> | undefined;
  /** The names of listings are already shown, so a failure is retried only after the next history. */
  const updateNames = () => {
    namesUpdate ??= updateNameSkeletons(pool, network, signal).catch((error) => {
      namesUpdate = undefined;
      log.warn({ network }, `could not store the skeletons of names: ${getErrorMessage(error)}`);
    });
  };
  let payeesUpdate: Promise<void> | undefined;
  const updatePayees = () => {
    payeesUpdate ??= inTransaction(pool, async (client) =>
      storePayees(client, await lockCatalog(client, network), payees),
    ).catch((error) => {
      payeesUpdate = undefined;
      log.warn({ network }, `could not store the payees of the ranking: ${getErrorMessage(error)}`);
    });
  };
  const createTask = (failed: string, work: () => Promise<void>) => {
    const runLogged = logOutages(log, { network }, failed);
    return createSingleFlight(() => runLogged(work));
  };
  const ranking = createTask('could not compute ranks', () => refreshDueRanks(pool, network, signal));
  const counting = createTask('could not count reviews', () => countAllDueReviews(pool, network, signal));
  const recount = createTask('could not count the use of 30 days', () =>
    inTransaction(pool, async (client) => refreshRecentUsage(client, await lockCatalog(client, network))),
  );
  const trending = createTask('could not compute trends', () => refreshTrends(pool, network));
  const removal = createTask('could not remove entries', () => removeLeaving(pool, network, signal));
  const merge = createSingleFlight(() =>
    // The index may belong to a superuser. Searches and commits still work, but do more work.
    mergeSearchIndex(pool).catch((error) =>
      log.debug({ reason: getErrorMessage(error) }, 'could not merge the search index'),
    ),
  );
  let timers: NodeJS.Timeout[] = [];
  return {
    /** Call it when the history of the registry has been read; a second call changes nothing. */
    start(): void {
      updateNames();
      updatePayees();
      if (timers.length > 0) return;
      recount.run();
      trending.run();
      const schedule = [
        [removal.run, removeMs],
        [ranking.run, dueMs],
        [counting.run, dueMs],
        [merge.run, mergeMs],
        [recount.run, recountMs],
        [trending.run, recountMs],
      ] as const;
      timers = schedule.map(([run, everyMs]) => setInterval(run, everyMs).unref());
    },
    async close(): Promise<void> {
      for (const timer of timers) clearInterval(timer);
      await Promise.all([
        namesUpdate,
        payeesUpdate,
        ranking.idle(),
        counting.idle(),
        removal.idle(),
        merge.idle(),
        recount.idle(),
        trending.idle(),
      ]);
    },
  };
}

/** Maximum number of entries that one transaction removes. */
const removedMax = 500;

/**
 * Removes entries that leave the catalog at a set time, because the manifest of a newer version stays unreachable. A
 * publisher can have any number of them leave at once, so other changes of the catalog come between two pages.
 */
export async function removeLeaving(
  pool: Pool,
  network: string,
  signal: AbortSignal,
  pageSize = removedMax,
): Promise<void> {
  while (!signal.aborted && (await readLeavingEntries(pool, network, 1)).length > 0) {
    await inTransaction(pool, async (client) => {
      const catalog = await lockCatalog(client, network);
      await refreshEntries(client, catalog, await readLeavingEntries(client, network, pageSize));
    });
  }
}
