import type { ClientBase } from 'pg';
import { analyzeTables } from '../../../db/queries/analyze.ts';
import { refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import { lockManifests } from '../../../db/queries/manifests.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { applyFetches } from '../manifests/apply.ts';
import { type Fetched, storeFetched } from '../manifests/fetches.ts';
import { type BatchWriter, storeTogether } from '../queue/together.ts';
import type { CheckDependencies } from '../queue/work-queue.ts';
import { type Checked, compareOps, storeChecked } from './store-checked.ts';

type Finding = Fetched | Checked;

/** Maximum number of findings in one transaction: the body of a manifest may have a quarter of a megabyte. */
const storedMax = 100;

/** Tables that a first synchronisation fills. */
const filledTables = [
  'listings',
  'listing_versions',
  'manifests',
  'manifest_fetches',
  'catalog_entries',
  'publisher_proofs',
];
/** Number of findings after which these tables are analyzed. Each further time is after ten times as many. */
const analyzedAfter = 100;

/**
 * Opens the one writer for all findings of a network: separate transactions would wait for each other at the locks of
 * its manifests and of its catalog. `onDue` is called when listings became due for another check.
 */
export function openFindings(
  { db: { pool }, settings }: Pick<CheckDependencies, 'db' | 'settings'>,
  onDue: () => void,
): BatchWriter<Finding> {
  const { network } = settings;
  let count = 0;
  let analyzeAt = analyzedAfter;

  /** Analyzes the tables. Until then, or until autovacuum does, the planner takes those of a first synchronisation for empty. */
  async function analyzeWhenGrown(stored: number): Promise<void> {
    count += stored;
    if (count < analyzeAt) return;
    analyzeAt = count * 10;
    // Only the speed depends on it.
    await analyzeTables(pool, filledTables).catch(() => undefined);
  }

  /** @param work `changed`: an entry may have changed; `due`: a listing became due for another check */
  async function store(
    work: (client: ClientBase) => Promise<{ changed: boolean; due: boolean }>,
  ): Promise<void> {
    const { due } = await inTransaction(pool, async (client) => {
      await lockManifests(client, network);
      const stored = await work(client);
      // After a power cut, the findings are due again. No revision of the catalog depends on them, so the commit need
      // not wait for the disk.
      if (!stored.changed) await client.query('set local synchronous_commit = off');
      return stored;
    });
    if (due) onDue();
  }

  return storeTogether<Finding>(async (findings) => {
    const fetched = findings.filter((finding) => 'outcome' in finding);
    const checked = findings.filter((finding) => 'witness' in finding);
    // Manifests first, so that the checks of their listings see them.
    if (fetched.length > 0) {
      await store(async (client) => {
        const fetches = await storeFetched(client, network, fetched);
        return await applyFetches(client, network, fetches);
      });
    }
    await analyzeWhenGrown(findings.length);
    if (checked.length === 0) return;
    const compared = await compareOps(pool, network, checked);
    await store(async (client) => {
      const { changed, due } = await storeChecked(client, settings, checked, compared);
      if (changed.length > 0) await refreshEntries(client, await lockCatalog(client, network), changed);
      return { changed: changed.length > 0, due };
    });
  }, storedMax);
}
