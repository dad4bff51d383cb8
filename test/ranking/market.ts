import type { Database } from '../../db/client.ts';
import { refreshRanks } from '../../db/queries/catalog/ranks.ts';
import { lockCatalog } from '../../db/queries/catalog/revision.ts';
import { inTransaction } from '../../db/transaction.ts';
import { openTestDatabase } from '../support/database.ts';
import { insertOwners, insertUse } from '../support/owners.ts';
import { address, readModelBuilder, type SeededListing } from '../support/read-model.ts';

export const network = 'testnet';
/** Listings with the use, the owners and the reviews of the benchmarks' catalog. */
const listings = 10_000;

/** A database with the market that is attacked. */
interface Market extends Database {
  /** Listings of the attacker. Most attacks promote the first one only. */
  attacking: SeededListing[];
  seed: ReturnType<typeof readModelBuilder>;
}

export async function openMarket(): Promise<Market> {
  const db = await openTestDatabase();
  const seed = readModelBuilder(db);
  const attacking: SeededListing[] = [];
  for (let n = 0; n < 10; n++) {
    attacking.push(await seed.listing({ serviceType: `${address(0xbad0 + n)}::adaptor::Adaptor` }));
  }
  await fillMarket(db);
  return { ...db, attacking, seed };
}

/** Stores what the ranking reads of the market, and computes the ranks of all services at once. */
async function fillMarket(db: Database): Promise<void> {
  // From 65,536 on: the listings of the attacker have smaller numbers.
  const numbered = `(select n, '0x' || lpad(to_hex(65536 + n), 64, '0') || '::adaptor::Adaptor' as "serviceType"
    from generate_series(1, ${listings}) n) numbered`;
  const registration = `network, service_type, publisher, package_id, manifest_uri, manifest_hash, version, registered_at,
    registered_checkpoint, registered_tx_index, registered_event_index, updated_at, ever_verified`;
  const registered = `'${network}', "serviceType", 'publisher' || n % 2000, split_part("serviceType", '::', 1), '', '', 1, now(),
    1, n, 0, now(), true`;
  await inTransaction(db.pool, async (client) => {
    for (const text of [
      insertOwners,
      ...insertUse(numbered),
      `insert into listings (${registration}, raw_service_type, listed) select ${registered}, "serviceType", true from ${numbered}`,
      `insert into catalog_entries (${registration}, publisher_verified, front, warnings, op_misfits, name, category, coins,
          search_text, revision)
        select ${registered}, true, true, '[]', '[]', '', '', '{}', '', 1 from ${numbered}`,
    ]) {
      await client.query(text);
    }
    await client.query('analyze');
    await refreshRanks(client, await lockCatalog(client, network), Number.MAX_SAFE_INTEGER);
  });
  await db.pool.query('vacuum analyze rank_credits, ranks, catalog_entries');
}
