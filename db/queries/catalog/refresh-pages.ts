import type { Pool } from 'pg';
import { inTransaction } from '../../transaction.ts';
import type { Queryable } from '../queryable.ts';
import { type ListingKey, refreshEntries } from './maintain.ts';
import { lockCatalog } from './revision.ts';

/** Maximum number of entries that one transaction changes. */
export const entriesMax = 500;

/** Finds entries to refresh after a key, in the order of the keys, `limit` of them at most. */
type FindEntries = (db: Queryable, after: ListingKey | undefined, limit: number) => Promise<ListingKey[]>;

/**
 * Refreshes the found entries page by page, each in a transaction of its own. The catalog is not locked if there are none:
 * most callers find nothing.
 */
export async function refreshPages(
  pool: Pool,
  network: string,
  find: FindEntries,
  pageSize: number,
): Promise<void> {
  let [next] = await find(pool, undefined, 1);
  for (let last: ListingKey | undefined; next; next = last) {
    last = await inTransaction(pool, async (client) => {
      const catalog = await lockCatalog(client, network);
      const found = await find(client, last, pageSize);
      await refreshEntries(client, catalog, found);
      return found.length === pageSize ? found.at(-1) : undefined;
    });
  }
}
