import * as fc from 'fast-check';
import type { ClientBase, QueryConfig } from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createDatabase } from '../../../test/support/database.ts';
import {
  address,
  computeCheckpointTime,
  type ListingSeed,
  readModelBuilder,
} from '../../../test/support/read-model.ts';
import { measureWork } from '../../../test/support/statement-work.ts';
import { type Database, openDatabase } from '../../client.ts';
import { migrateDatabase } from '../../migrate.ts';
import { inTransaction } from '../../transaction.ts';
import { readCounts, readPages } from '../lists.ts';
import type { Queryable } from '../queryable.ts';
import { copyUsage, refreshRecentUsage } from './counts.ts';
import { filterValuesMax, openFilterValues } from './filter-values.ts';
import { readEntries } from './find.ts';
import { readCatalog } from './list.ts';
import { reviewList } from './listing.ts';
import { everVerifiedMax } from './maintain.ts';
import { type CatalogQuery, catalogFilter, catalogSorts, toFilters } from './query.ts';
import { type LockedCatalog, lockCatalog } from './revision.ts';

let created: Awaited<ReturnType<typeof createDatabase>>;
let db: Database;
let seed: ReturnType<typeof readModelBuilder>;

beforeAll(async () => {
  created = await createDatabase();
  db = openDatabase(created.url, { max: 2 });
  await migrateDatabase(db);
});
afterAll(async () => {
  await db.close();
  await created.drop();
});
beforeEach(async () => {
  await db.pool.query(
    `truncate listings, listing_versions, manifests, manifest_fetches, attestations, reviews, service_reviews, events, service_usage,
      service_actors, service_actions, service_days, catalog_entries, catalog_removals, catalog_state`,
  );
  seed = readModelBuilder(db);
});

const list = (query: Partial<CatalogQuery> = {}) => readCatalog(db.pool, { network: 'testnet', ...query });
const names = async (query: Partial<CatalogQuery> = {}) =>
  (await list(query)).entries.map((entry) => entry.manifest.name);

test('a filter offers the values of most shown entries first, with their numbers', async () => {
  const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;
  const bridge = `${address(7)}::bridge::BRIDGE`;
  for (const [category, integrator, supportedCoins] of [
    ['Lend', 'acme', ['0x2::sui::SUI', '*']],
    ['Lend', undefined, [sui, bridge]],
    ['Swap', 'acme', [bridge]],
    ['Swap', 'beta', [sui]],
    ['Lend', undefined, []],
  ] as const) {
    await seed.listing({ manifest: { category, integrator, supportedCoins } });
  }
  const hidden = { category: 'Stake', integrator: 'beta', supportedCoins: [sui] };
  await seed.listing({ manifest: hidden, row: { publisherCheck: 'unverified' } });
  await seed.listing({ manifest: { category: 'Stake' }, network: 'mainnet' });
  const readFilterValues = openFilterValues();
  expect(await readFilterValues(db.pool, 'testnet')).toEqual({
    categories: [
      { value: 'Lend', count: 3 },
      { value: 'Swap', count: 2 },
    ],
    coins: [
      { value: sui, count: 3 },
      { value: bridge, count: 2 },
    ],
    integrators: [
      { value: 'acme', count: 2 },
      { value: 'beta', count: 1 },
    ],
  });
  for (let n = 0; n < filterValuesMax; n++) await seed.listing({ manifest: { integrator: `partner${n}` } });
  const { integrators } = await readFilterValues(db.pool, 'testnet');
  expect(integrators).toHaveLength(filterValuesMax);
  expect(integrators[0]).toEqual({ value: 'acme', count: 2 });
});

test('a coin is one value of the filter, and found by it, however manifests spell it and how often', async () => {
  const share = `${address(0xab)}::pool::SHARE<${address(2)}::sui::SUI,vector<${address(0xcd)}::usd::USD>>`;
  const spellings = [
    share,
    '0xab::pool::SHARE<0x2::sui::SUI,vector<0xcd::usd::USD>>',
    '0x00AB::pool::SHARE< 0x02::sui::SUI, vector<0xCd::usd::USD> >',
  ];
  for (const spelling of spellings)
    await seed.listing({ manifest: { supportedCoins: [spelling, 'u64', ...spellings] } });
  const { coins } = await openFilterValues()(db.pool, 'testnet');
  expect(coins).toEqual([
    { value: share, count: 3 },
    { value: 'u64', count: 3 },
  ]);
  for (const coin of spellings)
    expect(await list(toFilters(catalogFilter.parse({ coin })))).toMatchObject({ total: 3 });
});

test('the values of the filters are counted once for each revision, however many requests come', async () => {
  await seed.listing({ manifest: { category: 'Swap' } });
  let counted = 0;
  const counting = {
    async query(statement: QueryConfig) {
      if (statement.text.includes('unnest(coins)')) counted++;
      return await db.pool.query(statement);
    },
  } as unknown as Queryable;
  const readFilterValues = openFilterValues();
  const read = () => readFilterValues(counting, 'testnet');
  const answers = await Promise.all([read(), read(), read()]);
  answers.push(await read());
  expect(answers.map(({ categories }) => categories)).toEqual(Array(4).fill([{ value: 'Swap', count: 1 }]));
  expect(counted).toBe(1);
  await seed.listing({ manifest: { category: 'Lend' } });
  expect((await read()).categories).toHaveLength(2);
  expect(counted).toBe(2);
});

test('a count that failed for one request does not fail the others, and is not cached', async () => {
  await seed.listing({ manifest: { category: 'Swap' } });
  const counting = Promise.withResolvers<void>();
  const leaving = Promise.withResolvers<never>();
  const failing = {
    async query(statement: QueryConfig) {
      if (!statement.text.includes('unnest(coins)')) return await db.pool.query(statement);
      counting.resolve();
      return await leaving.promise;
    },
  } as unknown as Queryable;
  const readFilterValues = openFilterValues();
  const failed = readFilterValues(failing, 'testnet');
  await counting.promise;
  const others = [readFilterValues(db.pool, 'testnet'), readFilterValues(db.pool, 'testnet')];
  leaving.reject(new Error('the client has left'));
  const answers = await Promise.allSettled([failed, ...others]);
  expect(answers[0]!.status).toBe('rejected');
  for (const answer of [
    ...answers.slice(1),
    ...(await Promise.allSettled([readFilterValues(db.pool, 'testnet')])),
  ])
    expect(answer).toMatchObject({
      status: 'fulfilled',
      value: { categories: [{ value: 'Swap', count: 1 }] },
    });
});

test('the name for people marks letters that imitate others', async () => {
  await seed.listing({ manifest: { name: 'Reef V\u0430ult' } });
  const { entries } = await list();
  expect(entries).toMatchObject([
    { displayName: 'Reef V\u0430ult[U+0430]', manifest: { name: 'Reef V\u0430ult' } },
  ]);
});

test('an entry carries every field that the specification promises', async () => {
  const warnings = [{ code: 'witness_returned', detail: 'Anyone can get one.' } as const];
  const { serviceType, publisher } = await seed.listing({
    usage: { actions: 5, uniqueVaults: 2 },
    row: { witnessWarnings: warnings },
  });
  await seed.attestation(serviceType, address(1), 4);
  const { entries } = await list();
  expect(entries).toEqual([
    {
      serviceType,
      displayName: 'Adaptor 1',
      packageId: address(1),
      publisher,
      publisherVerified: true,
      publisherEverVerified: true,
      publisherName: null,
      packageName: null,
      publisherDomain: null,
      sourceVerdict: null,
      canaryState: null,
      canarySinceMs: null,
      manifestUri: 'walrus://1',
      manifestHash: expect.stringMatching(/^[0-9a-f]{64}$/),
      version: 1,
      updatedAtMs: computeCheckpointTime(1).getTime(),
      manifest: expect.objectContaining({ name: 'Adaptor 1', serviceType }),
      notExecutable: [],
      opCoins: [],
      manifestVerified: true,
      source: 'registry',
      usage: { actions: 5, uniqueVaults: 2, lastActionMs: computeCheckpointTime(1).getTime() },
      owners: 0,
      newOwners: 0,
      reviews: {
        count: 1,
        avg: 4,
        verifiedCount: 0,
        verifiedAvg: null,
        lastMs: computeCheckpointTime(2).getTime(),
      },
      warnings,
      firstListedAtMs: computeCheckpointTime(1).getTime(),
      alikeNames: [],
      pending: null,
    },
  ]);
});

describe('what is not verified is not in the catalog', () => {
  test.each<[string, ListingSeed]>([
    ['an unlisted listing', { row: { listed: false } }],
    ['a service type that cannot be made canonical', { row: { nameError: 'no module' } }],
    ['a witness that does not exist', { row: { witnessCheck: 'invalid' } }],
    ['a witness that is not checked yet', { row: { witnessCheck: 'pending' } }],
    ['a manifest that was not fetched', { fetched: false }],
    ["another adaptor's manifest", { row: { manifestError: 'names another service type' } }],
    ['a listing of another network', { network: 'mainnet' }],
  ])('%s', async (_, listing) => {
    await seed.listing(listing);
    expect((await list({ includeUnverified: true })).entries).toEqual([]);
  });
});

describe('of several publishers of one service type', () => {
  const serviceType = `${address(9)}::a::A`;
  const shown = async (query?: Partial<CatalogQuery>) =>
    (await list(query)).entries.map(({ publisher, publisherVerified }) => [publisher, publisherVerified]);

  test('the verified one is shown, and a squatter who came first only on request', async () => {
    await seed.listing({ serviceType, publisher: address(1), row: { publisherCheck: 'unverified' } });
    await seed.listing({ serviceType, publisher: address(2) });
    expect(await shown()).toEqual([[address(2), true]]);
    expect(await shown({ includeUnverified: true })).toHaveLength(2);
  });

  test('the earliest of two verified ones is shown', async () => {
    await seed.listing({ serviceType, publisher: address(5) });
    await seed.listing({ serviceType, publisher: address(2) });
    expect(await shown()).toEqual([[address(5), true]]);
  });

  test.each(['unverified', 'unknown', 'pending'] as const)(
    "where none is verified, an %s one's listing is shown only on request, marked",
    async (publisherCheck) => {
      await seed.listing({ serviceType, publisher: address(5), row: { publisherCheck } });
      expect(await shown()).toEqual([]);
      expect((await list()).total).toBe(0);
      expect((await list({ q: 'adaptor', publisher: address(5) })).total).toBe(0);
      expect(await shown({ includeUnverified: true })).toEqual([[address(5), false]]);
      const key = { network: 'testnet', serviceType };
      const [byType, byPublisher] = await readEntries(db.pool, [key, { ...key, publisher: address(5) }]);
      expect(byType).toBeUndefined();
      expect(byPublisher).toMatchObject({ publisher: address(5), publisherVerified: false });
    },
  );

  test('a squatter does not take the place of a verified publisher who unlisted', async () => {
    await seed.listing({ serviceType, publisher: address(1), row: { publisherCheck: 'unverified' } });
    await seed.listing({ serviceType, publisher: address(2), row: { listed: false } });
    expect(await shown()).toEqual([]);
    expect(await shown({ includeUnverified: true })).toEqual([[address(1), false]]);
  });

  test('an entry asked for by publisher is found also while another is shown', async () => {
    await seed.listing({ serviceType, publisher: address(1), row: { publisherCheck: 'unverified' } });
    await seed.listing({ serviceType, publisher: address(2) });
    const key = { network: 'testnet', serviceType };
    const found = await readEntries(db.pool, [
      { ...key, publisher: address(1) },
      { ...key, publisher: address(3) },
      key,
      { ...key, network: 'mainnet' },
    ]);
    expect(found.map((entry) => entry?.publisher)).toEqual([address(1), undefined, address(2), undefined]);
  });
});

test('analysts see which listings the catalog shows by default', async () => {
  const serviceType = `${address(9)}::a::A`;
  const row = (publisherCheck: 'unverified' | 'pending') => ({ row: { publisherCheck } });
  await seed.listing({ serviceType, publisher: address(1), ...row('unverified') });
  await seed.listing({ serviceType, publisher: address(2), row: { listed: false } });
  await seed.listing({ serviceType, publisher: address(3) });
  await seed.listing({ serviceType, publisher: address(4) });
  await seed.listing(row('pending'));
  await seed.listing({ fetched: false });
  await seed.listing({ row: { witnessCheck: 'invalid' } });
  await seed.listing({ row: { manifestError: 'names another service type' } });
  await seed.listing({ row: { nameError: 'no module' } });
  await seed.listing();
  const { rows } = await db.pool.query('select publisher from analytics.adaptors where shown order by 1');
  const catalog = (await list()).entries.map(({ publisher }) => publisher).sort();
  expect(rows.map(({ publisher }) => publisher)).toEqual(catalog);
  expect(catalog).toEqual([address(3), address(0xa00a)]);
});

describe('entries whose names look alike say so', () => {
  const named = (name: string, more: ListingSeed = {}) => seed.listing({ ...more, manifest: { name } });
  const alike = async (query: Partial<CatalogQuery> = {}) =>
    (await list({ sort: 'updated', ...query })).entries
      .map(({ manifest, alikeNames }) => [manifest.name, alikeNames.map(({ name }) => name)])
      .reverse();

  test('both of them, with when each was first listed and how much it is used', async () => {
    const first = await named('Lagoon Swap', { usage: { actions: 5, uniqueVaults: 2 } });
    const second = await named('Lаg00n Swap');
    await named('Reef Vault');
    const { entries } = await list({ sort: 'updated' });
    expect(entries.map((entry) => entry.alikeNames)).toEqual([
      [],
      [
        {
          serviceType: first.serviceType,
          publisher: first.publisher,
          name: 'Lagoon Swap',
          firstListedAtMs: computeCheckpointTime(1).getTime(),
          usage: { actions: 5, uniqueVaults: 2, lastActionMs: computeCheckpointTime(1).getTime() },
        },
      ],
      [
        {
          serviceType: second.serviceType,
          publisher: second.publisher,
          name: 'Lаg00n Swap',
          firstListedAtMs: computeCheckpointTime(2).getTime(),
          usage: { actions: 0, uniqueVaults: 0, lastActionMs: null },
        },
      ],
    ]);
    const [found] = await readEntries(db.pool, [first]);
    expect(found?.alikeNames).toMatchObject([{ serviceType: second.serviceType }]);
  });

  test('however many listings have the name, the first listed are shown', async () => {
    for (let n = 0; n < 8; n++) await named('Reef'.slice(0, 4) + '.'.repeat(n));
    expect(await alike({ limit: 1 })).toEqual([
      ['Reef.......', ['Reef', 'Reef.', 'Reef..', 'Reef...', 'Reef....']],
    ]);
  });

  test('a listing that is not shown by default is in no other entry, and has the entries whose names are like its own', async () => {
    await named('Reef', { row: { publisherCheck: 'unverified' } });
    await named('REEF', { row: { listed: false } });
    await named('R eef', { row: { witnessCheck: 'invalid' } });
    await named('R-eef', { row: { manifestError: 'names another service type' } });
    await named('Ree-f', { network: 'mainnet' });
    await named('Reef.');
    expect(await alike()).toEqual([['Reef.', []]]);
    expect(await alike({ includeUnverified: true })).toEqual([
      ['Reef', ['Reef.']],
      ['Reef.', []],
    ]);
  });

  test('two publishers of one service type have one name without being alike', async () => {
    const serviceType = `${address(9)}::a::A`;
    await named('Reef', { serviceType, publisher: address(1) });
    await named('Reef', { serviceType, publisher: address(2) });
    expect(await alike({ includeUnverified: true })).toEqual([
      ['Reef', []],
      ['Reef', []],
    ]);
  });

  test('the listings that look like a name are found by it', async () => {
    await named('Reef Vault');
    await named('REEF-VAULT', { row: { publisherCheck: 'unverified' } });
    await named('Reef');
    const { alike } = toFilters(catalogFilter.parse({ alike: 'Rееf Vault' }));
    expect(await names({ alike })).toEqual(['Reef Vault']);
    expect(await names({ alike, includeUnverified: true })).toHaveLength(2);
  });
});

test("a review is each attester's latest, after the listing's first registration", async () => {
  const serviceType = `${address(9)}::a::A`;
  await seed.attestation(serviceType, address(1), 1);
  await seed.listing({ serviceType });
  await seed.attestation(serviceType, address(2), 1);
  await seed.attestation(serviceType, address(2), 5);
  await seed.attestation(serviceType, address(3), 4);
  await seed.attestation(serviceType, address(4), 4);
  await seed.attestation(`${address(9)}::a::B`, address(5), 1);
  const [entry] = (await list()).entries;
  expect(entry?.reviews).toMatchObject({ count: 3, avg: 4.33 });
});

describe('use and reviews stay with the service type', () => {
  const serviceType = `${address(9)}::adaptor::Witness`;
  const first = { serviceType, publisher: address(0xa), usage: { actions: 39, uniqueVaults: 5 } };
  /** Sets a column of the first listing, as the indexer does, and refreshes the catalog. */
  const change = async (column: string) => {
    await db.pool.query(`update listings set ${column} where publisher = $1`, [first.publisher]);
    await seed.refresh();
  };
  const readReviews = async (publisher: string) => {
    const key = { network: 'testnet', serviceType, publisher, first: 10 };
    const [page] = await readPages(db.pool, reviewList, [key]);
    return page!.items.map(({ score }) => score);
  };

  test('three reviews of one star stay after the UpgradeCap is passed on and the first listing is unlisted', async () => {
    await seed.listing(first);
    for (const n of [1, 2, 3]) await seed.attestation(serviceType, address(n), 1);
    const second = await seed.listing({ serviceType, publisher: address(0xb) });
    await change('listed = false');
    const { entries } = await list();
    expect(entries).toMatchObject([
      { publisher: second.publisher, usage: { actions: 39 }, reviews: { count: 3, avg: 1 } },
    ]);
    expect(await readReviews(second.publisher)).toEqual([1, 1, 1]);
    await seed.attestation(serviceType, address(4), 5);
    expect((await list()).entries).toMatchObject([{ reviews: { count: 4, avg: 2 } }]);
  });

  test('an average that ends in a half is the one that analysts read', async () => {
    await seed.listing(first);
    for (let n = 1; n <= 40; n++) await seed.attestation(serviceType, address(n), n === 40 ? 2 : 1);
    const { rows } = await db.pool.query('select average_score::float8 as avg from analytics.adaptors');
    expect(rows).toEqual([{ avg: 1.03 }]);
    expect((await list()).entries).toMatchObject([{ reviews: { count: 40, avg: 1.03 } }]);
  });

  test('a publisher that was verified keeps them, also beside the one that is shown', async () => {
    await seed.listing(first);
    await seed.attestation(serviceType, address(1), 2);
    await seed.listing({ serviceType, publisher: address(0xb) });
    await change("publisher_check = 'unverified'");
    const { entries } = await list({ includeUnverified: true, sort: 'updated' });
    expect(entries).toMatchObject([
      { publisherVerified: true, usage: { actions: 39 }, reviews: { count: 1, avg: 2 } },
      {
        publisherVerified: false,
        publisherEverVerified: true,
        usage: { actions: 39 },
        reviews: { count: 1 },
      },
    ]);
  });

  test('an UpgradeCap that passes through many addresses gives them to the first twenty, so that a use changes no more entries', async () => {
    await seed.listing(first);
    for (let n = 1; n < everVerifiedMax + 3; n++) {
      await seed.listing({ serviceType, publisher: address(0xa0 + n) });
    }
    const statements = await measureWork(db.pool, async (client) => {
      const catalog = await lockCatalog(client, 'testnet');
      await client.query('update service_usage set actions = actions + 1');
      await copyUsage(client, catalog, [serviceType]);
    });
    expect(statements.find(({ name }) => name === 'copy-usage')).toMatchObject({ written: everVerifiedMax });
    const later = { publisherVerified: true, publisherEverVerified: false, usage: { actions: 0 } };
    const { entries } = await list({ includeUnverified: true, sort: 'usage', limit: 100 });
    expect(entries).toHaveLength(everVerifiedMax + 3);
    expect(entries.filter(({ usage }) => usage.actions === 39)).toHaveLength(everVerifiedMax);
    expect(entries.slice(everVerifiedMax)).toMatchObject([later, later, later]);
    // All at once, as after a history.
    await db.pool.query('update listings set ever_verified = false');
    await db.pool.query('truncate catalog_entries, catalog_state');
    await seed.refresh();
    const { rows } = await db.pool.query('select from catalog_entries where ever_verified and actions = 39');
    expect(rows).toHaveLength(everVerifiedMax);
  });

  test('a publisher that never was verified has none, whether it came first or is alone', async () => {
    const stranger = await seed.listing({ ...first, row: { publisherCheck: 'unverified' } });
    await seed.attestation(serviceType, address(1), 5);
    const all = async () => (await list({ includeUnverified: true, sort: 'updated' })).entries;
    const none = { publisherEverVerified: false, usage: { actions: 0 }, reviews: { count: 0, avg: null } };
    expect(await all()).toMatchObject([none]);
    expect(await readReviews(stranger.publisher)).toEqual([]);
    await seed.listing({ serviceType, publisher: address(0xb) });
    await seed.attestation(serviceType, address(2), 3);
    expect(await all()).toMatchObject([{ usage: { actions: 39 }, reviews: { count: 1, avg: 3 } }, none]);
  });
});

test('the most used in 30 days come first by what the cards show, until the days are over', async () => {
  const old = await seed.listing({ usage: { actions: 100, uniqueVaults: 9 } });
  const young = await seed.listing({ usage: { actions: 3, uniqueVaults: 1 } });
  await db.pool.query(
    `insert into service_days (network, service_type, day, actions, wallets)
      values ('testnet', $1, (now() at time zone 'UTC')::date - 30, 100, 9), ('testnet', $2, (now() at time zone 'UTC')::date - 29, 3, 1)`,
    [old.serviceType, young.serviceType],
  );
  const write = (work: (client: ClientBase, catalog: LockedCatalog) => Promise<void>) =>
    inTransaction(db.pool, async (client) => work(client, await lockCatalog(client, 'testnet')));
  await db.pool.query('update service_usage set last_action_at = now()');
  await write((client, catalog) => copyUsage(client, catalog, [old.serviceType, young.serviceType]));
  const types = async (sort: 'recent' | 'usage') =>
    (await list({ sort })).entries.map(({ serviceType }) => serviceType);
  expect(await types('recent')).toEqual([young.serviceType, old.serviceType]);
  expect(await types('usage')).toEqual([old.serviceType, young.serviceType]);
  await db.pool.query('update service_days set day = day - 1');
  await write(refreshRecentUsage);
  expect(await types('recent')).toEqual([old.serviceType, young.serviceType]);
});

test('a review is verified where its attester acted through the service before it, and not after', async () => {
  const { serviceType, publisher } = await seed.listing();
  await seed.actor(`${address(9)}::a::B`, address(3));
  await seed.actor(serviceType, address(1));
  await seed.attestation(serviceType, address(1), 5);
  await seed.attestation(serviceType, address(2), 1);
  await seed.attestation(serviceType, address(3), 1);
  await seed.actor(serviceType, address(2));
  const reviews = async () => (await list()).entries[0]?.reviews;
  expect(await reviews()).toMatchObject({ count: 3, avg: 2.33, verifiedCount: 1, verifiedAvg: 5 });
  await seed.attestation(serviceType, address(2), 2);
  expect(await reviews()).toMatchObject({ count: 3, avg: 2.67, verifiedCount: 2, verifiedAvg: 3.5 });

  const key = { network: 'testnet', serviceType, publisher, first: 10 };
  const keys = [key, { ...key, verified: true }, { ...key, verified: false }];
  const pages = await readPages(db.pool, reviewList, keys);
  expect(pages.map(({ items }) => items.map(({ attester }) => attester))).toEqual([
    [address(2), address(3), address(1)],
    [address(2), address(1)],
    [address(3)],
  ]);
  expect(await readCounts(db.pool, reviewList, keys)).toEqual([3, 2, 1]);
});

describe('filters', () => {
  beforeEach(async () => {
    await seed.listing({
      manifest: { name: 'Deep Swap', integrator: 'acme', supportedCoins: ['0x2::sui::SUI'] },
      publisher: address(77),
      usage: { actions: 1, uniqueVaults: 1 },
    });
    await seed.listing({
      manifest: { name: 'Lender', category: 'Lend', summary: '100% deep_lending', supportedCoins: ['*'] },
    });
    await seed.listing({ manifest: { name: 'swap', summary: 'back\\slash' } });
  });

  test.each<[string, Partial<CatalogQuery>, string[]]>([
    ['category', { category: 'Lend' }, ['Lender']],
    ['a coin, or any coin', { coin: `${address(2)}::sui::SUI` }, ['Deep Swap', 'Lender']],
    ['a coin nobody names', { coin: `${address(3)}::a::A` }, ['Lender']],
    ['publisher', { publisher: address(77) }, ['Deep Swap']],
    ['integrator', { integrator: 'acme' }, ['Deep Swap']],
    ['search in name, exact match first', { q: 'SWAP' }, ['swap', 'Deep Swap']],
    ['all words, in any field', { q: 'acme deep' }, ['Deep Swap']],
    ['wildcards of LIKE as plain text', { q: '0%' }, ['Lender']],
    ['an underscore as plain text', { q: 'p_l' }, ['Lender']],
    ['a backslash as plain text', { q: '\\' }, ['swap']],
    ['a quote as plain text', { q: "' or 1=1 --" }, []],
    ['blanks alone search for nothing', { q: '  ' }, ['Deep Swap', 'Lender', 'swap']],
    ['sort by name', { sort: 'name' }, ['Deep Swap', 'Lender', 'swap']],
    ['sort by update, newest first', { sort: 'updated' }, ['swap', 'Lender', 'Deep Swap']],
    ['most used first', {}, ['Deep Swap', 'Lender', 'swap']],
  ])('%s', async (_, query, expected) => {
    expect(await names(query)).toEqual(expected);
  });
});

test('walking pages yields each entry once, for any sort and page size, also with equal keys', async () => {
  for (let n = 0; n < 14; n++) {
    const { serviceType } = await seed.listing({
      manifest: { name: `Same ${n % 3}`, summary: n % 2 ? 'even' : 'odd' },
      row: { updatedAt: computeCheckpointTime(n % 4) },
      usage: { actions: n % 3, uniqueVaults: 1 },
    });
    if (n % 2) await seed.attestation(serviceType, address(1), 1 + (n % 3));
    if (n % 3) await seed.attestation(serviceType, address(2), 5);
  }
  const cases = fc.record({
    sort: fc.constantFrom(undefined, ...catalogSorts),
    limit: fc.integer({ min: 1, max: 16 }),
    q: fc.constantFrom(undefined, 'same', 'odd'),
  });
  await fc.assert(
    fc.asyncProperty(cases, async (query) => {
      const whole = await list({ ...query, limit: undefined });
      const walked: string[] = [];
      for (let cursor: string | undefined, more = true; more; ) {
        const page = await list({ ...query, cursor });
        expect(page.entries.length).toBeLessThanOrEqual(query.limit);
        expect(page.total).toBe(whole.total);
        walked.push(...page.entries.map((entry) => entry.serviceType));
        cursor = page.cursors.at(-1);
        more = page.hasMore;
      }
      expect(walked).toEqual(whole.entries.map((entry) => entry.serviceType));
      expect(new Set(walked).size).toBe(query.q === 'odd' ? 7 : 14);
    }),
    { numRuns: 40 },
  );
});

test.each([
  ["timezone = 'Asia/Kolkata'", { sort: 'updated' as const }],
  ["datestyle = 'SQL, DMY'", { sort: 'updated' as const, q: 'swaps' }],
])('a list by time is walked also on a server with %s', async (setting, query) => {
  for (let n = 0; n < 4; n++) await seed.listing();
  const client = await db.pool.connect();
  try {
    await client.query(`set ${setting}`);
    const read = (cursor?: string) => readCatalog(client, { network: 'testnet', ...query, limit: 2, cursor });
    const first = await read();
    const second = await read(first.cursors.at(-1));
    const names = [first, second].flatMap(({ entries }) => entries.map(({ manifest }) => manifest.name));
    expect(names).toEqual(['Adaptor 4', 'Adaptor 3', 'Adaptor 2', 'Adaptor 1']);
  } finally {
    client.release(true);
  }
});

test('a search is walked past entries whose use has grown for years', async () => {
  for (let n = 0; n < 3; n++) await seed.listing();
  await db.pool.query(`update catalog_entries set rank = 3000000000.125 - registered_checkpoint`);
  const first = await list({ q: 'swaps', limit: 2 });
  const second = await list({ q: 'swaps', limit: 2, cursor: first.cursors.at(-1) });
  expect([first, second].flatMap(({ entries }) => entries.map(({ manifest }) => manifest.name))).toEqual([
    'Adaptor 1',
    'Adaptor 2',
    'Adaptor 3',
  ]);
});

test('a page ends at its bytes, so that large manifests cannot fill the memory, and the next one goes on', async () => {
  for (let n = 0; n < 5; n++) await seed.listing({ manifest: { padding: 'x'.repeat(1000) } });
  const read = (cursor?: string) => readCatalog(db.pool, { network: 'testnet', cursor }, 2_000);
  const first = await read();
  expect([first.entries.length, first.total, first.hasMore]).toEqual([2, 5, true]);
  const second = await read(first.cursors.at(-1));
  const third = await read(second.cursors.at(-1));
  expect([second.entries.length, third.entries.length, third.hasMore]).toEqual([2, 1, false]);
  expect((await readCatalog(db.pool, { network: 'testnet' }, 1)).entries).toHaveLength(1);
});

test('a cursor of another query, or none of ours, is refused instead of skipping entries', async () => {
  await seed.listing();
  await seed.listing();
  const { cursors } = await list({ sort: 'name', limit: 1 });
  const cursor = cursors[0]!;
  await expect(list({ sort: 'usage', limit: 1, cursor })).rejects.toMatchObject({
    code: 'bad_cursor',
    status: 400,
  });
  await expect(list({ sort: 'name', limit: 1, q: 'x', cursor })).rejects.toMatchObject({
    code: 'bad_cursor',
    status: 400,
  });
  const forged = Buffer.from('["a","1e999","0","","",""]').toString('base64url');
  for (const bad of ['', '!', 'e30', forged, 'x'.repeat(5000)]) {
    await expect(list({ sort: 'name', cursor: bad })).rejects.toMatchObject({
      code: 'bad_cursor',
      status: 400,
    });
  }
  const sameQuery = { sort: 'name', includeUnverified: false, q: undefined } as const;
  expect((await list({ ...sameQuery, limit: 5, cursor })).entries).toHaveLength(1);
});

test('a page says which catalog version it was read from, so that its tag is never newer than its entries', async () => {
  expect((await list()).version).toBe(0);
  await seed.changed();
  await seed.changed();
  expect((await list()).version).toBe(2);
});
