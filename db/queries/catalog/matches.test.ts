import fc from 'fast-check';
import type { QueryConfig } from 'pg';
import { beforeAll, expect, test } from 'vitest';
import { useTestDatabase } from '../../../test/support/database.ts';
import { readModelBuilder } from '../../../test/support/read-model.ts';
import type { Queryable } from '../queryable.ts';
import { idColumns } from './columns.ts';
import { readPage } from './list.ts';
import { searchedMax, sortedMax } from './matches.ts';
import { totalMax } from './page-statement.ts';
import { type CatalogQuery, type CatalogSort, catalogSorts } from './query.ts';
import { mergeSearchIndex, phrasesMax } from './search.ts';
import { sorts } from './sorts.ts';
import { buildAddWordsSql, typoEntriesMax } from './typos.ts';

const db = useTestDatabase();
const entries = 12_500;
/** Words of names, which many entries share. */
const common = ['Swap', 'Vault', 'Lagoon', 'Lagoons', 'Reef', 'Harbour', 'Swapper', 'Market'];
const rare = ['Collateral', 'Collaterals', 'Lantern', 'Oracle', 'Unlantern', 'Meadow'];
const integrators = ['acme', 'lagoon', 'lantern', 'vaulted'];

const pick = (list: readonly string[], salt: string) =>
  `(array[${list.map((word) => `'${word}'`).join(', ')}])[1 + abs(hashtext('${salt}' || n)) % ${list.length}]`;

/** Catalog whose words, uses and ratings are spread over the entries: many share a word, few share two rare ones. */
beforeAll(async () => {
  await readModelBuilder(db).listing();
  const { rows } = await db.pool.query<{ list: string }>(
    `select string_agg(column_name, ', ') as list from information_schema.columns
      where table_name = 'catalog_entries' and is_generated = 'NEVER'`,
  );
  const { list } = rows[0]!;
  await db.pool.query(`
    with made as (
      select n, concat_ws(' ', ${pick(common, 'a')}, case when n % 3 = 0 then ${pick(common, 'b')} end,
        case when n % 40 = 0 then ${pick(rare, 'c')} end, case when n % 10 > 0 then 'Market' end) as name,
        case when n % 5 = 0 then ${pick(integrators, 'd')} end as integrator,
        concat_ws(' ', 'adaptor', ${pick(common, 'e')}, case when n % 7 = 0 then ${pick(rare, 'f')} end) as summary
      from generate_series(1, ${entries}) n)
    insert into catalog_entries (${list}) select ${list
      .split(', ')
      .map((column) => `copies.${column}`)
      .join(', ')} from made cross join lateral (
      select (jsonb_populate_record(e, jsonb_build_object('service_type', e.service_type || n, 'name', made.name,
        'integrator', made.integrator, 'search_text', lower(concat_ws(e'\\n', made.name, coalesce(made.integrator, ''), summary)),
        'rank', case when n % 3 = 0 then hashtext('r' || n) % 50 + 50 else 0 end, 'actions', abs(hashtext('u' || n)) % 9,
        'score_sum', n % 4 * 5, 'review_count', n % 4, 'deprecated', n % 50 = 0,
        'category', case when n % 60 = 0 then 'Rare' else 'Common' end))).*
      from catalog_entries e) copies`);
  await db.pool.query('update catalog_state set shown = (select count(*) from catalog_entries where shown)');
  await db.pool.query(
    buildAddWordsSql(`(select search_text from catalog_entries where network = $1) stored`),
    ['testnet'],
  );
  await mergeSearchIndex(db.pool);
  await db.pool.query('vacuum analyze catalog_entries');
});

const quote = (text: string) => `'${text.replaceAll("'", "''")}'`;

/** The pattern of all beginnings of words that are one typo away, as a single one. */
function buildPattern(word: string): string {
  const forms = [...word].flatMap((letter, at) => {
    const [before, after] = [word.slice(0, at), word.slice(at + 1)];
    const next = word[at + 1];
    return [
      `${before}(\\w?|\\w${letter})${after}`,
      ...(next === undefined ? [] : [`${before}${next}${letter}${word.slice(at + 2)}`]),
    ];
  });
  return `\\m(${forms.join('|')}|${word}\\w)`;
}

/** SQL of the definition of a search: it reads and sorts all entries. */
async function define(words: readonly string[]): Promise<{ where: string; keys: string[] }> {
  const counts = await Promise.all(
    words.map(async (word) => {
      const { rows } = await db.pool.query<{ count: number }>(
        `select count(*)::int as count from catalog_entries where shown and strpos(search_text, $1) > 0`,
        [word],
      );
      return { word, count: rows[0]!.count };
    }),
  );
  const mistyped = counts
    .filter(({ word, count }) => word.length >= 5 && count <= typoEntriesMax)
    .sort((a, b) => a.count - b.count)
    .slice(0, 2)
    .map(({ word }) => word);
  const parts = words.map((word) => {
    const has = (text: string) => `strpos(${text}, ${quote(word)}) > 0`;
    const near = (text: string) =>
      mistyped.includes(word) ? `${text} ~ ${quote(buildPattern(word))}` : 'false';
    const [name, integrator] = ['lower(name)', `lower(coalesce(integrator, ''))`];
    return {
      where: `(${has('search_text')} or ${near('search_text')})`,
      match: `case when ${has(name)} then 6 when ${near(name)} then 5 when ${has(integrator)} then 4
        when ${near(integrator)} then 3 when ${has('search_text')} then 2 else 1 end`,
    };
  });
  const where = parts.map((part) => part.where).join(' and ');
  const phrase = quote(words.join(' '));
  const whole = `case when lower(name) = ${phrase} then 2 when starts_with(lower(name), ${phrase}) then 1 else 0 end`;
  const merit = `case when deprecated then 1
    else -(rank::float8 * 1e6 + ln(1 + actions::float8) + coalesce(score_sum::float8 / nullif(review_count, 0), 0) / 5) end`;
  const nth = `row_number() over (order by ${whole} desc, ${merit}, ${idColumns.join(', ')})`;
  const first = `case when ${nth} <= ${phrasesMax} then ${whole} else 0 end`;
  return { where, keys: [`-(${parts.map((part) => part.match).join(' + ')} + ${first})`, merit] };
}

async function readAll(query: Omit<CatalogQuery, 'network'>): Promise<string[]> {
  const words = query.q?.toLowerCase().split(' ') ?? [];
  const search = words.length > 0 ? await define(words) : undefined;
  const sort = sorts[query.sort ?? 'rank'];
  const keys = search && query.sort === undefined ? search.keys : sort.keys.map(({ sql }) => sql);
  const direction = sort.descending && keys !== search?.keys ? 'desc' : 'asc';
  const { rows } = await db.pool.query<{ serviceType: string }>(`
    select service_type as "serviceType" from catalog_entries
    where network = 'testnet' and shown ${query.category ? `and category = ${quote(query.category)}` : ''} ${search ? `and ${search.where}` : ''}
    order by ${[...keys, ...idColumns].map((key) => `${key} ${direction}`).join(', ')}`);
  return rows.map(({ serviceType }) => serviceType);
}

/** Words as they are, cut, and with a typo. */
const word = fc
  .tuple(
    fc.constantFrom(...common, ...rare, ...integrators, 'adaptor'),
    fc.integer({ min: 0, max: 9 }),
    fc.nat(3),
  )
  .map(([text, at, kind]) => {
    const [before, after] = [text.slice(0, at), text.slice(at + 1)];
    return [text, text.slice(0, at + 2), `${before}x${after}`, `${after[0] ?? ''}${before}`][kind]! || text;
  });
const query = fc.record({
  q: fc.option(
    fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
    { nil: undefined },
  ),
  category: fc.option(fc.constantFrom('Common', 'Rare', 'None'), { nil: undefined }),
  sort: fc.option(fc.constantFrom<CatalogSort>(...catalogSorts), { nil: undefined, freq: 1 }),
  limit: fc.integer({ min: 1, max: 400 }),
});

async function compareWithDefinition({ limit, ...given }: Omit<CatalogQuery, 'network'> & { limit: number }) {
  const expected = await readAll(given);
  for (let from = 0, cursor: string | undefined; from < 3 * limit; from += limit) {
    const page = await readPage(db.pool, { network: 'testnet', ...given, limit, cursor });
    expect(page.entries.map(({ serviceType }) => serviceType)).toEqual(expected.slice(from, from + limit));
    expect([page.total, page.hasMore]).toEqual([
      Math.min(expected.length, given.q === undefined ? totalMax : searchedMax),
      expected.length > from + limit,
    ]);
    if (!page.hasMore) break;
    cursor = page.cursors.at(-1);
  }
  return expected.length;
}

test.each([
  ['a word of all texts and no name', { q: 'adaptor' }],
  ['a word of many names', { q: 'market' }],
  ['a word of many names and one of all texts', { q: 'market adaptor' }],
  ['a mistyped word that stands for many', { q: 'markte' }],
  ['a word of all texts, by name', { q: 'adaptor', sort: 'name' as const }],
])('the pages of many entries are those of the definition: %s', async (_, given) => {
  expect(await compareWithDefinition({ ...given, limit: 900 })).toBeGreaterThan(sortedMax);
});

test('a search has the pages, in the order, that its definition has over all entries', async () => {
  await fc.assert(
    fc.asyncProperty(query, async (given) => {
      await compareWithDefinition(given);
    }),
    { numRuns: 12 },
  );
});

test('of a mistyped word that is near every entry, a bounded number of entries is read', async () => {
  interface Plan {
    'Relation Name'?: string;
    'Actual Rows': number;
    'Actual Loops': number;
    'Rows Removed by Filter'?: number;
    'Rows Removed by Index Recheck'?: number;
    Plans?: Plan[];
  }
  const scans: number[] = [];
  const visit = (plan: Plan) => {
    const rows =
      plan['Actual Rows'] +
      (plan['Rows Removed by Filter'] ?? 0) +
      (plan['Rows Removed by Index Recheck'] ?? 0);
    if (plan['Relation Name'] === 'catalog_entries') scans.push(rows * plan['Actual Loops']);
    plan.Plans?.forEach(visit);
  };
  const explaining = {
    async query({ text, values = [] }: QueryConfig) {
      const { rows } = await db.pool.query(`explain (analyze, timing off, format json) ${text}`, values);
      visit(rows[0]['QUERY PLAN'][0].Plan);
      return await db.pool.query(text, values);
    },
  };
  const query = { network: 'testnet', q: 'adaptorb adaptorc', limit: 50 };
  const { total, entries: found } = await readPage(explaining as unknown as Queryable, query);
  expect([total, found.length]).toEqual([searchedMax, 50]);
  expect(scans.reduce((sum, rows) => sum + rows)).toBeLessThan(5 * searchedMax);
});
