import type { ClientBase, Pool } from 'pg';
import { endPage, hasUnapplied, readUnapplied } from '../../../db/queries/catalog/judgements.ts';
import { refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import { endOtherFetches, lockManifests, type ManifestRef } from '../../../db/queries/manifests.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { createSingleFlight } from '../../../lib/concurrency/single-flight.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { logOutages } from '../reporting/failures.ts';
import { judgeManifests } from './fit.ts';

/**
 * Maximum number of listings, rules and entries in one transaction. Any number of strangers can name one manifest, and
 * other changes of the catalog wait for the transaction.
 */
export const appliedMax = 500;

interface Applied {
  /** `true` if an entry may have changed. */
  changed: boolean;
  /** `true` if a listing became due for another check. */
  due: boolean;
}

/**
 * Applies the status of fetches to one page of the listings and rules that name the manifests: judges those that have
 * one now, and refreshes their entries, or those that wait for a manifest that failed. Call it under `lockManifests`.
 * @param among fetches whose status changed. Undefined: those of the network that have waited longest.
 */
export async function applyFetches(
  client: ClientBase,
  network: string,
  among?: readonly ManifestRef[],
  limit = appliedMax,
): Promise<Applied> {
  const { fetches, listings, rules, entries } = await readUnapplied(client, network, limit, among);
  if (fetches.length === 0) return { changed: false, due: false };
  const hashes = fetches.flatMap(({ hash, verified }) => (verified ? [hash] : []));
  await endOtherFetches(client, network, hashes, limit);
  await judgeManifests(client, network, 'rules', rules);
  const due = await judgeManifests(client, network, 'listings', listings);
  const keys = [...listings, ...entries].map(({ type: serviceType, publisher }) => ({
    serviceType,
    publisher,
  }));
  if (keys.length > 0) await refreshEntries(client, await lockCatalog(client, network), keys);
  await endPage(client, network, fetches);
  return { changed: keys.length > 0, due };
}

/** Time between two searches for fetches that another process, or one that ended, has not applied. */
const lookEveryMs = 1_000;

interface ApplyOptions {
  pool: Pool;
  network: string;
  log: Logger;
  signal: AbortSignal;
  /** Called when listings became due for another check. */
  onDue(): void;
}

/** Applies the fetches that one transaction cannot: page by page, so that other changes come between the pages. */
export function createPagedApplier({ pool, network, log, signal, onDue }: ApplyOptions) {
  const runLogged = logOutages(log, { network }, 'could not apply fetched manifests');
  const applying = createSingleFlight(() =>
    runLogged(async () => {
      while (!signal.aborted && (await hasUnapplied(pool, network))) {
        const { due } = await inTransaction(pool, async (client) => {
          await lockManifests(client, network);
          return await applyFetches(client, network);
        });
        if (due) onDue();
      }
    }),
  );
  let timer: NodeJS.Timeout | undefined;
  return {
    start(): void {
      timer ??= setInterval(applying.run, lookEveryMs).unref();
    },
    async close(): Promise<void> {
      clearInterval(timer);
      await applying.idle();
    },
  };
}
