import { refreshEntries } from '../../../db/queries/catalog/maintain.ts';
import { lockCatalog } from '../../../db/queries/catalog/revision.ts';
import { lockManifests } from '../../../db/queries/manifests.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { type Fetched, storeFetched } from '../manifests/fetches.ts';
import { type BatchWriter, storeTogether } from '../queue/together.ts';
import type { CheckDependencies } from '../queue/work-queue.ts';
import { type Checked, storeChecked } from './store-checked.ts';

type Finding = Fetched | Checked;

/** Maximum number of findings in one transaction: the body of a manifest may have a quarter of a megabyte. */
const storedMax = 100;

/**
 * Opens the one writer for all findings of a network: separate transactions would wait for each other at the locks of
 * its manifests and of its catalog. `onDue` is called when listings became due for another check.
 */
export function openFindings(
  { db: { pool }, settings }: Pick<CheckDependencies, 'db' | 'settings'>,
  onDue: () => void,
): BatchWriter<Finding> {
  const { network } = settings;
  return storeTogether<Finding>(async (findings) => {
    const fetched = findings.filter((finding) => 'outcome' in finding);
    const checked = findings.filter((finding) => 'witness' in finding);
    const isDue = await inTransaction(pool, async (client) => {
      await lockManifests(client, network);
      // Manifests first, so that the checks of their listings see them.
      const { listings, due } = await storeFetched(client, network, fetched);
      listings.push(...(await storeChecked(client, settings, checked)));
      const changed = new Map(listings.map((key) => [`${key.serviceType} ${key.publisher}`, key]));
      if (changed.size > 0) {
        await refreshEntries(client, await lockCatalog(client, network), [...changed.values()]);
      } else {
        // After a power cut, the findings are due again. No revision of the catalog depends on them, so the commit need
        // not wait for the disk.
        await client.query('set local synchronous_commit = off');
      }
      return due;
    });
    if (isDue) onDue();
  }, storedMax);
}
