import { beforeEach, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { address, readModelBuilder, type SeededListing } from '../../../test/support/read-model.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';
import { addOwners, addPayments, storePayees } from './credits.ts';
import { makeOwnersDue } from './due-credits.ts';
import { readCatalog } from './list.ts';
import { refreshRanks } from './ranks.ts';
import { type LockedCatalog, lockCatalog } from './revision.ts';
import { refreshTrends } from './trends.ts';

const network = 'testnet';
const payee = address(0xfa);
const hour = 3_600_000;
const week = 7 * 24 * hour;

let listed: SeededListing[];
let checkpoint: number;
const db = useTestDatabase();
beforeEach(async () => {
  await db.pool.query(`truncate listings, listing_versions, manifests, manifest_fetches, attestations, reviews, service_reviews, events,
    wallets, service_usage, service_actions, owner_payments, owner_links, ranking_payees, rank_credits, ranks, owners_due,
    catalog_entries, catalog_removals, catalog_state`);
  const seed = readModelBuilder(db);
  listed = [];
  for (let n = 0; n < 3; n++) listed.push(await seed.listing());
  checkpoint = 1_000;
  await write((client, catalog) => storePayees(client, catalog, [payee]));
});

type Client = Parameters<Parameters<typeof inTransaction>[1]>[0];

const write = (work: (client: Client, catalog: LockedCatalog) => Promise<unknown>) =>
  inTransaction(db.pool, async (client) => {
    const catalog = await lockCatalog(client, network);
    await work(client, catalog);
    await refreshRanks(client, catalog);
  });

interface Use {
  owners: number[];
  /** Position of the service in `listed`. */
  service?: number;
  /** Weeks ago: 0 for the last seven days. */
  weeksAgo?: number;
  signedBy?: 'owner' | 'delegate' | null;
  times?: number;
}

/** Stores uses of a service by wallets that are a year old, in the middle of a week. */
async function use({ owners, service = 0, weeksAgo = 0, signedBy = 'owner', times = 1 }: Use): Promise<void> {
  const { serviceType } = listed[service]!;
  const from = ++checkpoint;
  const timestamp = new Date(Date.now() - weeksAgo * week - week / 2);
  const createdAt = new Date(Date.now() - 52 * week);
  const position = { createdCheckpoint: 1, createdTxIndex: 0, createdEventIndex: 0 };
  for (const owner of owners.map(address))
    await db.orm
      .insert(tables.wallets)
      .values({ network, walletId: `w ${owner}`, owner, identity: owner, createdAt, ...position })
      .onConflictDoNothing();
  await db.orm.insert(tables.serviceActions).values(
    owners.map(address).flatMap((owner, at) =>
      Array.from({ length: times }, (_, nth) => ({
        network,
        checkpoint: from,
        txIndex: at * times + nth,
        eventIndex: 0,
        serviceType,
        walletId: `w ${owner}`,
        owner,
        signedBy,
        actors: [owner],
        timestamp,
      })),
    ),
  );
  await write((client, catalog) => addOwners(client, catalog, { checkpoint: from, txIndex: 0 }));
}

/** Proves owners in full. */
const prove = (owners: number[]) =>
  write(async (client, catalog) => {
    const payments = owners.map((n) => ({ owner: address(n), recipient: payee, amount: `${100 * 1e9}` }));
    await makeOwnersDue(client, catalog, await addPayments(client, network, payments));
  });

const range = (from: number, count: number) => Array.from({ length: count }, (_, n) => from + n);

async function readTrend(service = 0): Promise<number> {
  await refreshTrends(db.pool, network);
  const { rows } = await db.pool.query<{ trend: number }>(
    'select trend::float8 as trend from catalog_entries where service_type = $1',
    [listed[service]!.serviceType],
  );
  return rows[0]!.trend;
}

const readRevision = async () => (await db.orm.select().from(tables.catalogState))[0]!.version;

test('a service whose owners come back each week has no trend, and one with more of them has the formula’s', async () => {
  const owners = range(1, 8);
  await prove(owners);
  for (const weeksAgo of [0, 1, 2, 3, 4]) await use({ owners: owners.slice(0, 4), weeksAgo });
  expect(await readTrend()).toBe(0);
  await use({ owners });
  // 8 proven owners in the last week, 4 in each week before.
  expect(await readTrend()).toBeCloseTo((8 - 4) / Math.sqrt(1 + 4), 3);
});

test('what shrinks has a trend of 0, and a use of five weeks ago does not count', async () => {
  await prove([1, 2]);
  await use({ owners: [1, 2], weeksAgo: 5 });
  await use({ owners: [1, 2], weeksAgo: 1 });
  expect(await readTrend()).toBe(0);
  await use({ owners: [1] });
  expect(await readTrend()).toBeCloseTo((1 - 0.5) / Math.sqrt(1.5), 3);
});

test('the same growth counts more where there was less before', async () => {
  await prove(range(1, 30));
  await use({ owners: range(1, 5) });
  for (const weeksAgo of [1, 2, 3, 4]) await use({ owners: range(1, 20), service: 1, weeksAgo });
  await use({ owners: range(1, 25), service: 1 });
  expect(await readTrend()).toBeGreaterThan(await readTrend(1));
});

test('any number of owners that paid nothing adds less than one that did, and repeated uses add nothing', async () => {
  await prove([1]);
  await use({ owners: [1] });
  await use({ owners: range(100, 300), service: 1 });
  await use({ owners: [1], service: 2, times: 50 });
  expect(await readTrend()).toBe(1);
  expect(await readTrend(1)).toBeLessThan(1);
  expect(await readTrend(2)).toBe(1);
});

test('uses that no owner or delegate signed, and those of the publisher, do not trend', async () => {
  await prove([1]);
  await use({ owners: [1], signedBy: null });
  expect(await readTrend()).toBe(0);
  const publisher = Number(BigInt(listed[1]!.publisher));
  await prove([publisher]);
  await use({ owners: [publisher], service: 1 });
  expect(await readTrend(1)).toBe(0);
  await use({ owners: [1], service: 2, signedBy: 'delegate' });
  expect(await readTrend(2)).toBe(1);
});

test('the list is sorted by trend, deprecated listings last, and a trend that ends goes', async () => {
  await prove([1, 2, 3]);
  await use({ owners: [1] });
  await use({ owners: [1, 2, 3], service: 1 });
  await use({ owners: [1, 2], service: 2 });
  await refreshTrends(db.pool, network);
  const list = async () =>
    (await readCatalog(db.pool, { network, sort: 'trending' })).entries.map(({ serviceType }) => serviceType);
  const types = listed.map(({ serviceType }) => serviceType);
  expect(await list()).toEqual([types[1], types[2], types[0]]);
  await db.pool.query('update catalog_entries set deprecated = true where service_type = $1', [types[1]]);
  expect(await list()).toEqual([types[2], types[0], types[1]]);
  const before = await readRevision();
  await refreshTrends(db.pool, network);
  expect(await readRevision()).toBe(before);
  await db.pool.query(`update service_actions set "timestamp" = "timestamp" - interval '36 days'`);
  expect(await readTrend(1)).toBe(0);
  expect(await readRevision()).toBe(before + 1);
});

test('an index finds the uses of five weeks among all', async () => {
  await db.pool.query(`insert into service_actions (network, checkpoint, tx_index, event_index, service_type, wallet_id, actors, "timestamp")
    select 'testnet', n, 0, 0, 'type', 'w', '{}', now() - interval '3 years' + interval '1 minute' * n * 15 from generate_series(1, 100000) n`);
  await db.pool.query('vacuum analyze service_actions');
  const { rows } = await db.pool.query<{ 'QUERY PLAN': string }>(
    `explain select from service_actions where "timestamp" > now() - interval '5 weeks'`,
  );
  expect(rows.map((row) => row['QUERY PLAN']).join('\n')).toContain('service_actions_by_time');
});
