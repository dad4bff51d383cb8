import { beforeAll, describe, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { readPlans } from '../../../test/support/plans.ts';
import { readModelBuilder } from '../../../test/support/read-model.ts';
import { readEntries } from './find.ts';
import { readPage } from './list.ts';

let seed: ReturnType<typeof readModelBuilder>;
const db = useTestDatabase();
beforeAll(() => {
  seed = readModelBuilder(db);
});

test('an index finds the listings of alike names, so that an entry costs the same however many listings there are', async () => {
  const { serviceType } = await seed.listing();
  const client = await db.pool.connect();
  try {
    // Few rows are read in full whatever indexes there are.
    await client.query('begin');
    await client.query('set local enable_seqscan = off');
    const plan = await readPlans(client, (explaining) =>
      readEntries(explaining, [{ network: 'testnet', serviceType }]),
    );
    const found = plan.findIndex((line) => line.includes('using catalog_entries_alike'));
    expect(plan[found + 1]).toMatch(/Index Cond: .*network.*name_skeleton/);
  } finally {
    await client.query('rollback');
    client.release();
  }
});

describe('of ten thousand listings, an index finds the few', () => {
  beforeAll(async () => {
    const { serviceType } = await seed.listing();
    const { rows } = await db.pool.query<{ writable: string }>(
      `select string_agg(quote_ident(column_name), ', ') as writable from information_schema.columns
       where table_name = 'catalog_entries' and is_generated = 'NEVER'`,
    );
    const [{ writable }] = rows as [{ writable: string }];
    await db.pool.query(
      `insert into catalog_entries (${writable})
       select ${writable} from (
         select (jsonb_populate_record(e, jsonb_build_object('service_type', 'type' || n, 'publisher', 'p' || n % 1000,
           'category', 'c' || n % 1000, 'coins', jsonb_build_array('coin' || n % 1000),
           'integrator', 'i' || n % 1000, 'name_skeleton', 's' || n % 1000,
           'source_verdict', case n % 1000 when 7 then 'exact' when 8 then 'differs' end,
           'canary_state', case n % 1000 when 7 then 'down' else 'up' end,
           'publisher_verified', n % 3 > 0))).*
         from catalog_entries e cross join generate_series(1, 10000) n where e.service_type = $1) copy`,
      [serviceType],
    );
    await db.pool.query('vacuum analyze catalog_entries');
  });

  test.each([
    ['of a category', { category: 'c7' }, 'catalog_entries_of_category'],
    ['of a publisher', { publisher: 'p7' }, 'catalog_entries_of_publisher'],
    ['whose package does what its source says', { sourceMatches: true }, 'catalog_entries_of_source'],
    ['whose operations fail in simulations', { canary: 'down' as const }, 'catalog_entries_of_canary'],
    ['that take a coin', { coin: 'coin7' }, 'catalog_entries_of_coin'],
    ['of service types', { ids: ['type7', 'type8'] }, 'catalog_entries_(network_service|of_service|front)'],
  ])('%s, for the page and for the count', async (_, filter, index) => {
    for (const more of [{}, { includeUnverified: true, sort: 'name' as const }]) {
      const plan = await readPlans(db.pool, (explaining) =>
        readPage(explaining, { network: 'testnet', ...filter, ...more }),
      );
      expect(plan.filter((line) => line.match(index)).length).toBeGreaterThanOrEqual(2);
      expect(plan.join('\n')).not.toContain('Seq Scan on catalog_entries');
    }
  });

  test.each([
    ['of an integrator', { integrator: 'i7' }, 'of_integrator'],
    ['with a name that looks like another', { alike: 's7' }, 'alike'],
  ])('%s, of those that are shown by default and of all', async (_, filter, index) => {
    for (const [includeUnverified, name] of [
      [false, `catalog_entries_${index}`],
      [true, `catalog_entries_any_${index}`],
    ] as const) {
      const plan = await readPlans(db.pool, (explaining) =>
        readPage(explaining, { network: 'testnet', includeUnverified, ...filter }),
      );
      expect(plan.filter((line) => line.includes(name))).toHaveLength(2);
      expect(plan.join('\n')).not.toContain('Seq Scan on catalog_entries');
    }
  });

  test.each([
    ['rank', 'catalog_entries_by_rank'],
    ['trending', 'catalog_entries_by_trend'],
    ['recent', 'catalog_entries_by_recent_usage'],
    ['usage', 'catalog_entries_by_usage'],
    ['rating', 'catalog_entries_by_rating'],
    ['updated', 'catalog_entries_by_update'],
    ['name', 'catalog_entries_by_name'],
  ] as const)(
    'of a page that is sorted by %s, at the beginning, at the end and in between',
    async (sort, index) => {
      const whole = { network: 'testnet', sort, limit: 3, uncounted: true };
      const { cursors } = await readPage(db.pool, whole);
      for (const part of [
        {},
        { backward: true },
        { cursor: cursors[1] },
        { before: cursors[1], backward: true },
      ]) {
        const plan = await readPlans(db.pool, (explaining) => readPage(explaining, { ...whole, ...part }));
        const found = plan.findIndex((line) => line.includes(index));
        expect(plan.slice(0, found).join('\n')).toContain('Limit');
        if ('cursor' in part || 'before' in part) expect(plan[found + 1]).toMatch(/Index Cond: .*ROW/);
        const page = plan.findIndex((line) => line.includes('CTE page'));
        expect(plan.slice(page, found).join('\n')).not.toContain('Sort');
        expect(plan.join('\n')).not.toContain('Seq Scan on catalog_entries');
      }
    },
  );
});
