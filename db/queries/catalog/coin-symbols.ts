import type { Pool } from 'pg';
import { inTransaction } from '../../transaction.ts';
import type { Queryable } from '../queryable.ts';
import { type ListingKey, refreshEntries } from './maintain.ts';
import { coinSpellings } from './query.ts';
import { lockCatalog } from './revision.ts';

/** Maximum number of entries that one transaction changes. */
const entriesMax = 500;

/** Refreshes the entries that accept coins whose symbols became known, since a search finds them by the symbols. */
export async function showSymbols(
  pool: Pool,
  network: string,
  coinTypes: readonly string[],
  pageSize = entriesMax,
): Promise<void> {
  const spellings = coinTypes.flatMap(coinSpellings);
  // Few coins are accepted by name, so the catalog is not locked for the others.
  let [next] = await findAccepting(pool, network, spellings, undefined, 1);
  for (let last: ListingKey | undefined; next; next = last) {
    last = await inTransaction(pool, async (client) => {
      const catalog = await lockCatalog(client, network);
      const accepting = await findAccepting(client, network, spellings, last, pageSize);
      await refreshEntries(client, catalog, accepting);
      return accepting.length === pageSize ? accepting.at(-1) : undefined;
    });
  }
}

/** Finds the entries after one that accept a coin by its name. */
async function findAccepting(
  db: Queryable,
  network: string,
  spellings: readonly string[],
  after: ListingKey | undefined,
  limit: number,
): Promise<ListingKey[]> {
  const { rows } = await db.query<ListingKey>({
    name: 'find-accepting-entries',
    text: `select e.service_type as "serviceType", e.publisher from catalog_entries e
      where e.network = $1 and e.coins && $2::text[] and (e.service_type, e.publisher) > ($3, $4)
      order by e.service_type, e.publisher limit $5`,
    values: [network, spellings, after?.serviceType ?? '', after?.publisher ?? '', limit],
  });
  return rows;
}
