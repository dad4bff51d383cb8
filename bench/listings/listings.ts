import { canonicalJson, type Manifest, manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import { nameSkeleton } from '@adaptor-marketplace/adaptor/names';
import type { ClientBase } from 'pg';
import type { Database } from '../../db/client.ts';
import { refreshEntries } from '../../db/queries/catalog/maintain.ts';
import { storeOpTools } from '../../db/queries/catalog/op-tools.ts';
import { refreshDueRanks } from '../../db/queries/catalog/ranks.ts';
import { lockCatalog } from '../../db/queries/catalog/revision.ts';
import { refreshTrends } from '../../db/queries/catalog/trends.ts';
import { inTransaction } from '../../db/transaction.ts';
import { describeOps } from '../../lib/actions/op-terms.ts';
import { describeAdaptors } from '../../services/demo/deploy.ts';
import { Random } from '../../test/support/frames/random.ts';
import { insertOwners, insertUse } from '../../test/support/owners.ts';

export const network = 'testnet';

/** A listing of a benchmark: of one of the example adaptors, with content of its own. */
export interface BenchListing {
  serviceType: string;
  packageId: string;
  publisher: string;
  manifest: Manifest;
  /** Canonical bytes of the manifest. */
  bytes: string;
  hash: string;
  uri: string;
}

const places = (
  'Amber Anchor Azure Basalt Beacon Birch Bridge Canyon Cedar Cinder Clover Coastal Comet Copper Coral Crescent Delta Dune ' +
  'Eastern Echo Ember Falcon Fjord Forest Garnet Glacier Granite Harbour Hazel Heron Horizon Indigo Island Ivory Jade ' +
  'Juniper Keel Lagoon Lantern Lunar Maple Marine Meadow Mesa Midnight Mistral Nebula Noble Northern Oak Obsidian Ocean ' +
  'Onyx Opal Orchid Palm Pebble Pine Polar Prairie Quartz Raven Reef Ridge River Sable Saffron Sapphire Shore Silver Solar ' +
  'Sparrow Spruce Stone Summit Tidal Timber Topaz Tundra Valley Velvet Violet Walnut Western Willow Winter Zephyr'
).split(' ');
const kinds = (
  'Vault Swap Market Staking Savings Credit Reserve Exchange Pool Bank Yield Fund Treasury Desk Router Bridge House Loans ' +
  'Margin Options'
).split(' ');
const words = (
  'account adjusts after against amount anyone audited automatic balance before borrower borrowing careful collateral ' +
  'compound curve daily deep deposit depth each earns every fair fast fees fixed flat flexible floor funds guarded hourly ' +
  'interest keeper ledger lender lends limit liquid liquidation locked long low margin market matched maturity month never ' +
  'oracle order owner paid pays pegged period permissionless position price public quarter range rate rebalances reward ' +
  'risk rolling routes safe settles share short side simple single slow spread stable staked steady strategy supply ' +
  'supported swaps term tight token trader trades treasury under upgrade value variable volume wallet weekly whole withdraw ' +
  'yield'
).split(' ');
const integrators = places.slice(0, 60).map((place) => place.toLowerCase());

/** Venues that exist nowhere: each listing calls objects and coins of its own. */
function madeUpVenues(random: Random) {
  const venue = <Role extends string>(...roles: Role[]) => {
    const packageId = `0x${random.hex(32)}`;
    const coins = roles.map((role) => [
      role,
      `0x${random.hex(32)}::${random.pick(words)}::${random.pick(kinds)}`,
    ]);
    return {
      packageId,
      objectId: `0x${random.hex(32)}`,
      coins: Object.fromEntries(coins) as Record<Role, string>,
    };
  };
  return {
    prices: {
      packageId: `0x${random.hex(32)}`,
      objectId: `0x${random.hex(32)}`,
      capId: `0x${random.hex(32)}`,
    },
    pool: venue('a', 'b'),
    vault: venue('asset', 'share'),
    flashPool: venue('asset', 'share'),
    creditPool: venue('asset', 'share'),
    moneyMarket: venue('asset', 'collateral'),
    supplyMarket: venue('asset'),
    issuer: venue('collateral', 'stablecoin'),
    stakePool: venue('asset', 'share'),
    concentratedPool: venue('a', 'b', 'reward'),
    perpetualMarket: venue('base', 'quote'),
    jar: venue('asset'),
    savings: venue('asset'),
  };
}

/**
 * The nth listing, the same in every process. Its ops are those of an example adaptor, on objects and coins of its own; its
 * words are its own too. Another version differs in its summary.
 */
export function listingAt(n: number, version = 1): BenchListing {
  const random = new Random(n);
  const packageId = `0x${random.hex(32)}`;
  const serviceType = `${packageId}::adaptor::Adaptor`;
  const publisher = `0x${new Random(1_000_000 + (n % 2_000)).hex(32)}`;
  const examples = Object.values(describeAdaptors(madeUpVenues(random)));
  const example = examples[n % examples.length]!.manifest;
  const sentence = Array.from({ length: 6 + random.integer(14) }, () => random.pick(words)).join(' ');
  const update = version === 1 ? '' : ` Version ${version}.`;
  const manifest: Manifest = {
    ...example,
    name: `${random.pick(places)} ${random.pick(places)} ${random.pick(kinds)}`,
    summary: `${example.summary} ${sentence[0]!.toUpperCase()}${sentence.slice(1)}.${update}`,
    integrator: random.pick(integrators),
    feeBps: random.integer(100),
    ops: example.ops.map((op) => ({ ...op, module: 'adaptor' })),
    packageId,
    serviceType,
  };
  const hash = manifestHash(manifest);
  const uri = `walrus://${Buffer.from(hash, 'hex').toString('base64url')}`;
  return { serviceType, packageId, publisher, manifest, bytes: canonicalJson(manifest), hash, uri };
}

const batch = 500;

/** Brings a catalog that is empty, or was filled by this function, to a size: as the indexer leaves it, with use and reviews. */
export async function fillCatalog(db: Database, size: number): Promise<void> {
  await db.pool.query(insertOwners);
  const { rows } = await db.pool.query<{ count: number }>('select count(*)::int as count from listings');
  let analyzed = rows[0]!.count;
  for (let from = rows[0]!.count; from < size; from += batch) {
    const numbers = Array.from({ length: Math.min(batch, size - from) }, (_, at) => from + at);
    await inTransaction(db.pool, (client) =>
      storeListings(
        client,
        numbers.map((n) => listingAt(n)),
        from,
      ),
    );
    // With the statistics of a much smaller catalog, the next batch would be joined row by row. An indexer fills it more
    // slowly: autovacuum frees the space of former versions of rows while it does, and searches do not read that space.
    if (from + batch < 2 * analyzed) continue;
    await db.pool.query('vacuum analyze');
    analyzed = from + batch;
  }
  // An indexer would compute these ranks and trends later, and move entries that are being measured off the first page.
  await refreshDueRanks(db.pool, network);
  await refreshTrends(db.pool, network);
  await db.pool.query('vacuum analyze');
}

/** Stores listings as the indexer leaves them. @param from number of the first, which no other listing has */
export async function storeListings(
  client: ClientBase,
  listings: readonly BenchListing[],
  from: number,
): Promise<void> {
  const rows = listings.map(({ manifest, bytes: _bytes, ...listing }, at) => ({
    n: from + at,
    ...listing,
    name: manifest.name,
    skeleton: nameSkeleton(manifest.name),
    body: manifest,
  }));
  const given = `json_to_recordset($1) as l (n int, "serviceType" text, publisher text, "packageId" text, uri text, hash text,
    name text, skeleton text, body jsonb)`;
  const values = [JSON.stringify(rows)];
  for (const text of [
    `insert into manifests (hash, body) select hash, body from ${given}`,
    `insert into manifest_fetches (network, hash, uri, status, next_attempt_at)
      select '${network}', hash, uri, 'verified', null from ${given}`,
    ...insertUse(given),
    `insert into listing_versions (network, checkpoint, tx_index, event_index, service_type, publisher, version, listed,
        package_id, manifest_uri, manifest_hash, "timestamp")
      select '${network}', 1, n, 0, "serviceType", publisher, 1, true, "packageId", uri, hash, now() from ${given}`,
    `insert into listings (network, service_type, publisher, raw_service_type, name, name_skeleton, package_id,
        manifest_uri, manifest_hash, version, listed, registered_at, registered_checkpoint, registered_tx_index,
        registered_event_index, updated_at, publisher_check, witness_check, next_check_at)
      select '${network}', "serviceType", publisher, "serviceType", name, skeleton, "packageId", uri, hash, 1, true, now(),
        1, n, 0, now(), 'verified', 'valid', null from ${given}`,
  ]) {
    await client.query(text, values);
  }
  await storeOpTools(
    client,
    listings.map(({ hash, manifest }) => ({ hash, ops: describeOps(manifest) })),
  );
  const keys = listings.map(({ serviceType, publisher }) => ({ serviceType, publisher }));
  await refreshEntries(client, await lockCatalog(client, network), keys);
  // Most ops need what a new wallet lacks; of the others, few fail.
  await client.query(
    `update catalog_entries e set canary_since = now(), canary_state = case
        when n % 100 = 0 then 'down' when n % 100 < 5 then 'degraded' when n % 100 < 40 then 'up' else 'unproven' end
      from ${given} where e.network = '${network}' and e.service_type = l."serviceType" and e.publisher = l.publisher`,
    values,
  );
}
