import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Pool } from 'pg';
import { bumpCatalog } from '../../../db/queries/catalog/bump.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { lockManifests } from './announce.ts';
import { type ListingName, storeNames } from './fit.ts';

/** Skeletons that are computed at once: about 20 ms. */
const listingsMax = 1_000;

/**
 * Stores the name of every listing that has a manifest, with its skeleton. Listings get both with their manifest; a
 * database that an earlier version filled, or whose skeletons are by another table of characters, gets them here.
 */
export async function fillNames(pool: Pool, network: Network, signal: AbortSignal): Promise<void> {
  for (let after: ListingName | undefined, more = true; more && !signal.aborted; ) {
    const read = await inTransaction(pool, async (client) => {
      await lockManifests(client, network);
      const { rows } = await client.query<ListingName>(
        `select l.service_type as type, l.publisher, m.body ->> 'name' as name
        from listings l
        join manifests m on m.hash = l.manifest_hash
        where l.network = $1 and (l.service_type, l.publisher) > ($2, $3)
        order by l.service_type, l.publisher limit $4`,
        [network, after?.type ?? '', after?.publisher ?? '', listingsMax],
      );
      if ((await storeNames(client, network, rows)) > 0) await bumpCatalog(client, network);
      return rows;
    });
    after = read.at(-1);
    more = read.length === listingsMax;
  }
}
