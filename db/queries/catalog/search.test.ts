import type { QueryConfig } from 'pg';
import { afterAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openTestDatabase } from '../../../test/support/database.ts';
import { readModelBuilder } from '../../../test/support/read-model.ts';
import type { Queryable } from '../queryable.ts';
import { readCatalog } from './list.ts';
import { type CatalogQuery, catalogFilter } from './query.ts';
import { mergeSearchIndex, phrasesMax } from './search.ts';
import { typoEntriesMax } from './typos.ts';

const db = await openTestDatabase();
afterAll(() => db.close());

let seed: ReturnType<typeof readModelBuilder>;
beforeEach(async () => {
  await db.pool.query(`truncate listings, listing_versions, manifests, manifest_fetches, attestations, reviews, service_reviews, events,
    service_usage, catalog_entries, catalog_removals, catalog_state`);
  seed = readModelBuilder(db);
});

const find = async (q: string) =>
  (await readCatalog(db.pool, { network: 'testnet', q })).entries.map((entry) => entry.manifest.name);

describe('words are found', () => {
  beforeEach(async () => {
    await seed.listing({ manifest: { name: 'Lagoon Swap', integrator: 'acme', summary: 'Trades coins.' } });
    await seed.listing({ manifest: { name: 'Reef Vault', summary: 'Lends what you keep.' } });
  });

  test.each([
    ['as written', 'lagoon', ['Lagoon Swap']],
    ['by their beginning', 'lag', ['Lagoon Swap']],
    ['by a part', 'goon', ['Lagoon Swap']],
    ['in any case and order', 'SWAP laGoon', ['Lagoon Swap']],
    ['with a letter missing', 'lagon', ['Lagoon Swap']],
    ['with the first letter missing', 'agoon', ['Lagoon Swap']],
    ['with a letter too many', 'laggoon', ['Lagoon Swap']],
    ['with a letter wrong', 'laxoon', ['Lagoon Swap']],
    ['with the first letter wrong', 'kagoon', ['Lagoon Swap']],
    ['with the last letter wrong', 'lagoom', ['Lagoon Swap']],
    ['with two letters exchanged', 'lagono', ['Lagoon Swap']],
    ['with a typo in each', 'reeef vaullt', ['Reef Vault']],
    ['with a typo in the beginning of one', 'tradse', ['Lagoon Swap']],
    ['not with two typos', 'lxgxon', []],
    ['not with a typo in a word of less than five letters', 'sawp', []],
    ['not where one of them is missing', 'lagoon vault', []],
    ['not with what acts as a pattern', 'lag.on', []],
    ['not with what acts as a class', '\\w\\w\\w\\w\\w', []],
  ])('%s: %s', async (_, q, expected) => {
    expect(await find(q)).toEqual(expected);
  });
});

test('what waits in the list of the search index can be merged beside commits', async () => {
  const left = async () => {
    const { rows } = await db.pool.query(
      `select gin_clean_pending_list('catalog_entries_search')::int as pages`,
    );
    return rows[0].pages;
  };
  await left();
  await seed.listing({ manifest: { name: 'Lagoon Swap' } });
  expect(await left()).toBeGreaterThan(0);
  await seed.listing({ manifest: { name: 'Lagoon Vault' } });
  await mergeSearchIndex(db.pool);
  expect([await left(), await find('lagoon')]).toEqual([0, ['Lagoon Swap', 'Lagoon Vault']]);
});

test('a match of the name comes before one of the integrator, and that before one of the rest; then use and rating', async () => {
  const listing = (name: string, manifest: object, actions = 0) =>
    seed.listing({ manifest: { name, ...manifest }, usage: { actions, uniqueVaults: 1 } });
  await listing('Summary', { summary: 'By the lagoon.' }, 1_000);
  await listing('Integrator', { integrator: 'lagoon' }, 500);
  await listing('Typo lagon', {}, 100);
  await listing('Old Lagoon', {}, 1);
  const rated = await listing('New Lagoon', {}, 1);
  await listing('Used Lagoon', {}, 50);
  await listing('Lagoon Swap', {});
  await listing('Lagoon', {});
  await seed.attestation(rated.serviceType, `0x${'1'.repeat(64)}`, 5);
  await db.pool.query('update catalog_entries set score_sum = 5, review_count = 1 where service_type = $1', [
    rated.serviceType,
  ]);
  expect(await find('lagoon')).toEqual([
    'Lagoon',
    'Lagoon Swap',
    'Used Lagoon',
    'New Lagoon',
    'Old Lagoon',
    'Typo lagon',
    'Integrator',
    'Summary',
  ]);
});

test.each([
  ['have it as their name', () => 'Swap'],
  ['have a name that begins with it', (n: number) => `Swap ${n}`],
])('of the listings without use that %s, a few precede those that are used', async (_, toName) => {
  const used = await seed.listing({ manifest: { name: 'Lagoon Swap' } });
  await db.pool.query('update catalog_entries set rank = 1 where service_type = $1', [used.serviceType]);
  for (let n = 0; n < 20; n++) await seed.listing({ manifest: { name: toName(n) } });
  expect((await find('swap')).indexOf('Lagoon Swap')).toBe(phrasesMax);
});

test('the one listing of its name comes first in a search of that name, although it was never used', async () => {
  for (let n = 0; n < 30; n++)
    await seed.listing({ manifest: { name: n % 2 ? `Swap ${n}` : `Reef Swap ${n}` } });
  await db.pool.query('update catalog_entries set rank = 1');
  await seed.listing({ manifest: { name: 'Swap' } });
  expect((await find('swap'))[0]).toBe('Swap');
});

test('a search has 16 words at most', () => {
  expect(catalogFilter.safeParse({ q: `${'a '.repeat(15)}a` }).success).toBe(true);
  expect(catalogFilter.safeParse({ q: `${'a '.repeat(16)}a` }).success).toBe(false);
});

test('pages of a search are each entry once, in one order', async () => {
  for (let n = 0; n < 12; n++)
    await seed.listing({
      manifest: { name: n % 3 ? `Lagoon ${n % 2}` : 'Lagon', ...(n % 4 === 0 && { integrator: 'lagoon' }) },
      usage: { actions: n % 3, uniqueVaults: 1 },
    });
  const whole = await readCatalog(db.pool, { network: 'testnet', q: 'lagoon' });
  expect(whole.entries).toHaveLength(12);
  const walked: string[] = [];
  for (let cursor: string | undefined, more = true; more; ) {
    const page = await readCatalog(db.pool, { network: 'testnet', q: 'lagoon', limit: 5, cursor });
    walked.push(...page.entries.map(({ serviceType }) => serviceType));
    cursor = page.cursors.at(-1);
    more = page.hasMore;
  }
  expect(walked).toEqual(whole.entries.map(({ serviceType }) => serviceType));
});

/** Copies of the one entry, each with words of its own. */
async function fill(count: number): Promise<void> {
  const { rows } = await db.pool.query<{ list: string }>(
    `select string_agg(column_name, ', ') as list from information_schema.columns
      where table_name = 'catalog_entries' and is_generated = 'NEVER'`,
  );
  await db.pool.query(
    `insert into catalog_entries (${rows[0]!.list}) select ${rows[0]!.list} from (
      select (jsonb_populate_record(e, jsonb_build_object('service_type', e.service_type || n,
        'name', 'Name ' || md5(n::text), 'search_text', lower(concat_ws(e'\\n', 'Name ' || md5(n::text), '',
          'Swaps ' || md5((n + 1)::text) || ' coins.', e.service_type || n))))).*
      from catalog_entries e cross join generate_series(1, $1) n) copies`,
    [count],
  );
}

/** Returns the plan of a search as it ran, without the reading of the entries that it found. */
async function planSearch(query: Omit<CatalogQuery, 'network'>): Promise<string[]> {
  await mergeSearchIndex(db.pool);
  await db.pool.query('analyze catalog_entries');
  const plan: string[] = [];
  const client = await db.pool.connect();
  const explaining = {
    async query(query: QueryConfig | string) {
      if (typeof query === 'string') return await client.query(query);
      const text = `explain (analyze, timing off, costs off) ${query.text}`;
      const { rows } = await client.query({ text, values: query.values ?? [] });
      plan.push(...rows.map((row) => row['QUERY PLAN']));
      // The next statement depends on the words that the catalog has.
      return await client.query(query);
    },
  };
  try {
    // Few rows are read in full whatever indexes there are.
    await client.query('begin');
    await client.query('set local enable_seqscan = off');
    await readCatalog(explaining as unknown as Queryable, { network: 'testnet', ...query });
  } finally {
    await client.query('rollback');
    client.release();
  }
  expect(plan.filter((line) => line.includes('Seq Scan on catalog_entries'))).toEqual([]);
  return plan;
}

test('the index of trigrams finds a word and its typos among many entries', async () => {
  await seed.listing({ manifest: { name: 'Lagoon Swap' } });
  await fill(5_000);
  const plan = await planSearch({ q: 'lagon' });
  const byIndex = plan.filter((line) => line.includes('Bitmap Index Scan on catalog_entries_search '));
  expect(byIndex.length).toBeGreaterThanOrEqual(2);
  expect(await find('lagon')).toEqual(['Lagoon Swap']);
});

test.each(['lagoon', 'lagono'])(
  'a search of shown entries reads none of those that are not: %s',
  async (q) => {
    await seed.listing({ manifest: { name: 'Lagoon' } });
    await fill(3_000);
    await seed.listing({ manifest: { name: 'Lagoon Swap' } });
    // A stranger's listings: all have the word, and none is shown.
    await db.pool.query(
      `update catalog_entries set publisher_verified = false, search_text = 'lagoon ' || search_text where name like 'Name %'`,
    );
    // Any index of shown entries alone may be used.
    const scans = (await planSearch({ q }))
      .join('\n')
      .split('->')
      .filter((node) => /Scan .*(on|using) catalog_entries.*actual/.test(node));
    expect(scans.length).toBeGreaterThan(0);
    expect(scans.filter((node) => !/rows=[0-2](\.00)? /.test(node))).toEqual([]);
    expect(scans.filter((node) => /Rows Removed by .*: ([3-9]|\d\d)/.test(node))).toEqual([]);
    expect(await find(q)).toEqual(['Lagoon', 'Lagoon Swap']);
  },
);

test.each([
  ['lagoon', ['Lagoon', 'Lagoon Swap']],
  ['lagono lagoon', ['Lagoon', 'Lagoon Swap']],
])('a search of all entries is answered by the indexes of both: %s', async (q, expected) => {
  await seed.listing({ manifest: { name: 'Lagoon' } });
  await fill(4_000);
  await db.pool.query(`update catalog_entries set publisher_verified = false where name ~ '^Name [0-7]'`);
  await seed.listing({ manifest: { name: 'Lagoon Swap' }, row: { publisherCheck: 'unverified' } });
  const plan = await planSearch({ q, includeUnverified: true });
  for (const index of ['catalog_entries_search ', 'catalog_entries_search_hidden '])
    expect(plan.some((line) => line.includes(`Scan on ${index}`))).toBe(true);
  const { entries } = await readCatalog(db.pool, { network: 'testnet', q, includeUnverified: true });
  expect(entries.map(({ manifest }) => manifest.name)).toEqual(expected);
});

test('a word that many entries contain as it is written is searched without typos', async () => {
  await seed.listing({ manifest: { name: 'Lagoon' } });
  await fill(typoEntriesMax);
  await seed.listing({ manifest: { name: 'Swapz', summary: 'Of its kind.' } });
  const found = async () =>
    (await readCatalog(db.pool, { network: 'testnet', q: 'swaps', sort: 'name', limit: 1 })).total;
  expect(await found()).toBe(typoEntriesMax + 1);
  await db.pool.query(`delete from catalog_entries where name = 'Lagoon'`);
  expect(await found()).toBe(typoEntriesMax + 1);
});

test('of the words of a search, the two that the fewest entries contain may have a typo', async () => {
  await seed.listing({ manifest: { name: 'Alpha Bravo Charlie Delta' } });
  expect(await find('alpha bravo chralie delta')).toHaveLength(1);
  expect(await find('alhpa bravo charlie detla')).toHaveLength(1);
  expect(await find('alhpa brvao charlie detla')).toEqual([]);
});

test('without the index, words are found by their beginning alone', async () => {
  await db.pool.query('drop index catalog_entries_search');
  // The answer belongs to the process, which other tests may share.
  vi.resetModules();
  onTestFinished(() => void vi.resetModules());
  const fresh = await import('./list.ts');
  const search = await import('./search.ts');
  expect(await search.hasSearchIndex(db.pool)).toBe(false);
  const found = async (q: string) =>
    (await fresh.readCatalog(db.pool, { network: 'testnet', q })).entries.map(
      ({ manifest }) => manifest.name,
    );
  await seed.listing({ manifest: { name: 'Lagoon', summary: 'Swaps (100%) coins.' } });
  await seed.listing({ manifest: { name: 'Reef', summary: 'By the lagoon.' } });
  expect(await found('lagoon')).toEqual(['Lagoon', 'Reef']);
  expect(await found('lag swa')).toEqual(['Lagoon']);
  expect(await found('(100%)')).toEqual(['Lagoon']);
  expect(await found('adaptor')).toHaveLength(2);
  for (const q of ['agoon', 'lagon', 'l.g', '\\']) expect(await found(q)).toEqual([]);
});
