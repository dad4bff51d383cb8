import type { QueryConfig } from 'pg';
import { readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { LazyPage } from '../page.ts';
import type { Queryable } from '../queryable.ts';
import { id } from './columns.ts';
import {
  type EntryExtras,
  type EntryRow,
  type EntryWithHead,
  entryColumns,
  entryJoins,
  toListed,
} from './entry.ts';
import type { CatalogEntry } from './entry-schema.ts';
import { readFirstEntries } from './find.ts';
import { buildHeadSql } from './manifests.ts';
import {
  buildBestSql,
  buildFewMatchedSql,
  buildFirstSql,
  buildFoundSql,
  buildKeyedSql,
  buildMatchedSql,
  filteredMax,
  foundCount,
  isFound,
  searchedMax,
  sortedMax,
} from './matches.ts';
import {
  type CatalogQuery,
  type CatalogSort,
  cursorToPosition,
  hasFilter,
  positionToCursor,
  type SortKeyType,
} from './query.ts';
import { hasSearchIndex, merit, type Search, splitWords, toSearch } from './search.ts';
import { sourceMatches } from './source-verdict.ts';
import { type Survey, surveyWords } from './typos.ts';

export interface CatalogPage<Entry = CatalogEntry> {
  /** The network's revision in the snapshot that the entries were read from. */
  version: number;
  /** Number of matching entries, over all pages; at most `totalMax`, and `searchedMax` for a search of a large catalog. */
  total: number;
  entries: Entry[];
  /** Cursor of each entry, in the same order: the page after it. */
  cursors: string[];
  cursorAt(index: number): string;
  hasMore: boolean;
}

/** Matching entries are counted up to here, so that no query reads a catalog of any size in full. */
export const totalMax = 10_000;

interface PageRow extends EntryRow {
  catalogVersion: number;
  total: number;
  /** `true` if the page has no entries because too many match to sort them. */
  isUnread: boolean;
  /** Number of entries of the page, plus one if there are more. */
  found: number;
  /** Sort keys as JSON text, because few callers of a page parse them. */
  sortKeys: string;
  head: string | null;
}

interface SortKey {
  sql: string;
  type: SortKeyType;
}

/** The sort keys are the columns of an index, which is read forward or backward: all keys sort in one direction. */
interface Sort {
  keys: readonly SortKey[];
  descending?: true;
}

const numeric = (sql: string): SortKey => ({ sql, type: 'numeric' });

/** An integer sort key: an index of integers cannot find the position of a `numeric`. */
const integer = (sql: string): SortKey => ({ sql, type: 'bigint' });

export const sorts: Record<CatalogSort, Sort> = {
  rank: { keys: [integer('(deprecated::int)'), numeric('(-rank)'), integer('(-actions)')] },
  trending: { keys: [integer('(deprecated::int)'), numeric('(-trend)'), integer('(-recent_actions)')] },
  recent: { keys: [integer('(-recent_actions)'), integer('(-actions)')] },
  usage: { keys: [integer('(-actions)'), integer('(-unique_vaults)')] },
  rating: {
    keys: [
      numeric('(-coalesce(score_sum::numeric / nullif(review_count, 0), 0))'),
      integer('(-review_count)'),
    ],
  },
  updated: { keys: [{ sql: 'updated_at', type: 'timestamptz' }], descending: true },
  name: { keys: [{ sql: '(lower(name) collate "C")', type: 'text' }] },
};

/** SQL for a sort key as text. Servers write a time in their own zone and style, which a cursor has neither of. */
const toKeyText = (sql: string, type: SortKeyType) =>
  type === 'timestamptz'
    ? `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+00"')`
    : `${sql}::text`;

/** Match of an entry with a search, and its use and rating. */
const bestMatch: Sort = { keys: [numeric('key_0'), { sql: 'key_1', type: 'float8' }] };

/** Chooses the sort of a query: by the best match if it has words and names no other. */
const chooseSort = (query: CatalogQuery, words: readonly string[]): Sort =>
  words.length > 0 && query.sort === undefined ? bestMatch : sorts[query.sort ?? 'rank'];

const parseSortedCursor = (query: CatalogQuery, cursor: string | undefined, { keys }: Sort) =>
  cursorToPosition(
    query,
    cursor,
    keys.map(({ type }) => type),
  );

/** Parses a cursor of a query. @throws ProblemError `bad_cursor` if it is not of this query */
export const parseCatalogCursor = (query: CatalogQuery, cursor: string) =>
  parseSortedCursor(query, cursor, chooseSort(query, splitWords(query.q)));

/** SQL that counts the entries that meet a condition, up to `totalMax`. */
const buildCountSql = (where: string): string =>
  `(select count(*) from (select from catalog_entries where ${where} limit ${totalMax}) counted)`;

/** SQL for the number of entries that are shown by default, up to `totalMax`: it is counted at each change. */
const buildShownSql = (network: string): string =>
  `least(coalesce((select shown from catalog_state where network = ${network}), 0), ${totalMax})::int`;

/** SQL for one row with a network's revision as `catalog_version`; 0 before any change. */
export const buildStateSql = (network: string): string =>
  `(select coalesce((select version from catalog_state where network = ${network}), 0) as catalog_version)`;

/**
 * Maximum size of a page for any limit, in entries and in bytes of manifests. One manifest may have 256 KiB, and anyone
 * may register thousands. Each page has at least one entry.
 */
export const pageEntriesMax = 1_000;
const pageBytesMax = 4_000_000;

export interface PageEntry {
  serviceType: string;
  publisher: string;
}

/**
 * Reads the keys of the entries of a page, without the entries themselves.
 * @throws ProblemError `bad_cursor` if the cursor is not of this query
 */
export async function readPage(db: Queryable, query: CatalogQuery): Promise<CatalogPage<PageEntry>> {
  return toPage(query, await readRows(db, query, buildKeyColumns), pageKey.toItem);
}

/**
 * Reads a page with its entries, in two statements.
 * @param bytesMax bytes of manifests at which the page ends
 * @throws ProblemError `bad_cursor` when the cursor is not of this query
 */
export async function readCatalog(
  db: Queryable,
  query: CatalogQuery,
  bytesMax = pageBytesMax,
): Promise<CatalogPage> {
  const page = await readPage(db, query);
  const read = await readFirstEntries(db, query.network, page.entries, bytesMax);
  const cursors = page.cursors.filter((_, at) => read[at] !== undefined);
  return {
    ...page,
    entries: read.filter((entry) => entry !== undefined),
    cursors,
    cursorAt: (index) => cursors[index]!,
    hasMore: page.hasMore || read.length < page.entries.length,
  };
}

/**
 * Reads a page with its entries but without manifests, so that their bytes do not limit it.
 * @param fieldBytesMax maximum size of the requested fields of all manifests; entries beyond it have none
 * @throws ProblemError `bad_cursor` if the cursor is not of this query
 */
export async function readListed(
  db: Queryable,
  query: CatalogQuery,
  extras: EntryExtras,
  fieldBytesMax: number,
): Promise<CatalogPage<EntryWithHead>> {
  const rows = await readRows(db, query, (bind) => buildListedColumns(extras, fieldBytesMax, bind));
  return toPage(query, rows, (row) => ({ ...toListed(row), head: row.head }));
}

/** Columns to read for the entries of a page, and the joins that they need. */
interface Columns {
  /** Distinguishes the columns in the name of a statement. */
  name: string;
  columns: string;
  joins: string;
}

/** Adds a parameter to a statement, and returns the SQL that refers to it. */
type BindParameter = (given: unknown, type: string) => string;

const pageKey = readColumns(tables.catalogEntries, ['serviceType', 'publisher']);
const buildKeyColumns = (): Columns => ({ name: 'keys', columns: pageKey.select('page'), joins: '' });

function buildListedColumns(
  { fields, alikeNames }: EntryExtras,
  fieldBytesMax: number,
  bind: BindParameter,
): Columns {
  const entries = { columns: entryColumns('page', 'null::jsonb'), joins: entryJoins('page', alikeNames) };
  const name = alikeNames ? 'entries-alike' : 'entries';
  if (fields.length === 0) return { name, ...entries, columns: `${entries.columns}, null::text as head` };
  const head = `${buildHeadSql(bind(fields, 'text[]'))}::text`;
  const upTo = `sum(octet_length(h.head)) over (order by page.nth) <= ${fieldBytesMax}`;
  return {
    name: `${name}-heads`,
    columns: `${entries.columns}, case when ${upTo} then h.head end as head`,
    joins: `${entries.joins} cross join lateral (select ${head} as head offset 0) h`,
  };
}

async function readRows(
  db: Queryable,
  query: CatalogQuery,
  buildColumns: (bind: BindParameter) => Columns,
): Promise<PageRow[]> {
  const words = splitWords(query.q);
  const [onlyWord] = words.length === 1 && !hasFilter(query) ? words : [];
  // A word on its own is counted as far as its search is.
  const countedMax = onlyWord === undefined ? undefined : searchedMax;
  const survey =
    words.length > 0 && (await hasSearchIndex(db))
      ? await surveyWords(db, query.network, words, countedMax)
      : undefined;
  const read = async (areMany: boolean) =>
    (await db.query<PageRow>(buildStatement(query, { words, survey }, buildColumns, areMany))).rows;
  const areMany =
    onlyWord !== undefined &&
    survey !== undefined &&
    (survey.counts.get(onlyWord) ?? 0) > searchedMax &&
    isBoundedSearch(query, survey);
  const rows = await read(areMany);
  return rows[0]?.isUnread ? await read(true) : rows;
}

/** Returns `true` if the best of many matches are found by indexes, which have shown entries alone and are read forward. */
const isBoundedSearch = (query: CatalogQuery, { shown }: Survey): boolean =>
  shown > sortedMax &&
  !query.includeUnverified &&
  (query.sort !== undefined || (!query.backward && query.before === undefined));

/** @param areMany `true` if more than `searchedMax` entries match the words */
function buildStatement(
  query: CatalogQuery,
  { words, survey }: { words: readonly string[]; survey: Survey | undefined },
  buildColumns: (bind: BindParameter) => Columns,
  areMany: boolean,
): QueryConfig {
  const values: unknown[] = [];
  const bind: BindParameter = (given, type) => `$${values.push(given)}::${type}`;
  const { name, columns: selected, joins } = buildColumns(bind);
  const network = bind(query.network, 'text');
  const search =
    words.length > 0
      ? toSearch(
          network,
          words,
          (given) => bind(given, 'text'),
          query.includeUnverified ?? false,
          survey?.typos,
        )
      : undefined;
  const sort = chooseSort(query, words);
  const isRanked = sort === bestMatch;
  const { keys, descending } = sort;
  const bounds = [
    { at: parseSortedCursor(query, query.cursor, sort), sign: descending ? '<' : '>' },
    { at: parseSortedCursor(query, query.before, sort), sign: descending ? '>' : '<' },
  ];
  const scope = [`network = ${network}`, query.includeUnverified ? [] : 'shown'].flat();
  // The statement has only the conditions that the query has, so that the plan of each shape uses the index of its
  // sort.
  const conditions = [
    scope,
    query.category === undefined ? [] : `category = ${bind(query.category, 'text')}`,
    query.coin === undefined ? [] : `coins && ${bind([query.coin, '*'], 'text[]')}`,
    query.publisher === undefined ? [] : `publisher = ${bind(query.publisher, 'text')}`,
    query.integrator === undefined ? [] : `integrator collate "C" = ${bind(query.integrator, 'text')}`,
    query.ids === undefined ? [] : `service_type = any (${bind(query.ids, 'text[]')})`,
    query.sourceMatches ? sourceMatches : [],
    query.canary === undefined ? [] : `canary_state = ${bind(query.canary, 'text')}`,
    query.alike === undefined ? [] : `name_skeleton = ${bind(query.alike, 'text')}`,
    search?.conditions ?? [],
  ].flat();
  const sqls = keys.map(({ sql }) => sql);
  const keySqls = search ? sqls.map((_, n) => `key_${n}`) : sqls;
  const columns = [...keySqls, ...id];
  const downwards = Boolean(descending) !== Boolean(query.backward);
  const order = columns.map((column) => (downwards ? `${column} desc` : column)).join(', ');
  const boundRows = bounds.map(({ at, sign }) => {
    if (!at) return undefined;
    const keyRow = at.keys.map((key, index) => bind(key, keys[index]!.type));
    const idRow = [bind(at.serviceType, 'text'), bind(at.publisher, 'text')];
    return { at, sign, keyRow, idRow };
  });
  const between = boundRows
    .map(
      (row) => row && `and (${columns.join(', ')}) ${row.sign} (${[...row.keyRow, ...row.idRow].join(', ')})`,
    )
    .join(' ');
  const limit = bind(Math.min(query.limit ?? pageEntriesMax, pageEntriesMax), 'int');
  const part = { scope, conditions, between, order, limit };
  const isLarge = survey !== undefined && survey.shown > sortedMax;
  const isBounded = survey !== undefined && isBoundedSearch(query, survey);
  const buildSearched = (found: Search) => {
    if (!areMany) {
      const rank = isRanked ? found.rank : (from: string) => buildKeyedSql(sqls, from);
      return isBounded ? buildFewMatchedSql(conditions, rank, found) : buildMatchedSql(conditions, rank);
    }
    if (!isRanked) return buildFirstSql({ ...part, keys: sqls });
    const [after] = boundRows;
    return buildBestSql(
      found,
      part,
      after && {
        key: Number(after.at.keys[0]),
        isAfter: `(${merit}, ${id.join(', ')}) > (${[after.keyRow[1], ...after.idRow].join(', ')})`,
      },
    );
  };
  const sortKeys = `array[${keySqls.map((key, at) => toKeyText(key, keys[at]!.type)).join(', ')}] as sort_keys`;
  const nth = `row_number() over (order by ${order}) as nth`;
  const buildPage = (...given: string[]) => `
  select *, ${sortKeys}, ${nth}
  from catalog_entries where ${given.join(' and ')}
  ${between} order by ${order} limit ${limit} + 1`;
  const where = conditions.join(' and ');
  // Pages of one search have one total, also those that are not bounded.
  const countedMax = isLarge ? searchedMax : totalMax;
  const counted = (sql: string) => `least((${sql}), ${countedMax})::int`;
  // The planner takes a rare coin for a common one, and knows no relation of verdicts and states to other filters. It would
  // read the index of the order to its end.
  const isCountedFirst = query.coin !== undefined || query.sourceMatches || query.canary !== undefined;
  const source = search
    ? {
        with: `${buildSearched(search)},
page as (
  select e.*, first.sort_keys, first.nth
  from (
    select service_type, publisher, ${sortKeys}, ${nth}
    from (select * from matched where true ${between} order by ${order} limit ${limit} + 1) best
  ) first
  join catalog_entries e
    on e.network = ${network} and e.service_type = first.service_type and e.publisher = first.publisher
)`,
        total: areMany ? `${searchedMax}` : counted(isBounded ? foundCount : 'select count(*) from matched'),
      }
    : isCountedFirst
      ? {
          with: `${buildFoundSql(conditions)},
page as (
  select * from (${buildPage(...conditions, `${foundCount} > ${filteredMax}`)}) many
  union all
  select * from (${buildPage(isFound)}) few
)`,
          // An index has what is counted, but not the row ids of the entries.
          total: `case when ${foundCount} > ${filteredMax} then ${buildCountSql(where)} else ${foundCount} end`,
        }
      : {
          with: `page as (${buildPage(where)})`,
          total:
            query.includeUnverified || conditions.length > scope.length
              ? buildCountSql(where)
              : buildShownSql(network),
        };
  // Shapes without a filter are few, and are requested most often. Each name costs every connection memory.
  const shape = [
    name,
    query.sort ?? 'rank',
    query.includeUnverified ? 'all' : 'shown',
    ...[query.backward ? 'backward' : [], query.uncounted ? 'uncounted' : []],
    ...bounds.map(({ at }, end) => (at ? ['after', 'before'][end]! : [])),
  ];
  return {
    ...(conditions.length === scope.length && { name: `list-catalog-${shape.flat().join('-')}` }),
    text: `
with ${source.with},
listed as (
  select ${selected}, to_json(page.sort_keys)::text as "sortKeys", page.nth from page ${joins} where page.nth <= ${limit}
)
select catalog_version as "catalogVersion", ${query.uncounted ? 'null::int' : source.total} as total,
  ${search && isBounded && !areMany ? `${foundCount} > ${searchedMax}` : 'false'} as "isUnread",
  (select count(*) from page) as found, listed.*
from ${buildStateSql(network)} state
left join listed on true
order by nth`,
    values,
  };
}

function toPage<Entry>(
  query: CatalogQuery,
  rows: PageRow[],
  toItem: (row: PageRow) => Entry,
): CatalogPage<Entry> {
  const [first] = rows;
  // The catalog's state alone comes back as one row without an entry.
  const found = first === undefined || first.serviceType === null ? [] : rows;
  // The rows stay as they are: an execution that is repeated reads them again.
  const shown = query.backward ? found.toReversed() : found;
  const encodeRowCursor = ({ sortKeys: keys, serviceType, publisher }: PageRow) =>
    positionToCursor(query, { keys: JSON.parse(keys), serviceType, publisher });
  const { catalogVersion: version = 0, total = 0, found: count = 0 } = first ?? {};
  const page = new LazyPage(shown.map(toItem), shown.length < count, (at) => encodeRowCursor(shown[at]!));
  return Object.assign(page, { version, total, entries: page.items });
}
