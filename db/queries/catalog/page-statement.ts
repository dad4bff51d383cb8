import type { QueryConfig } from 'pg';
import { idColumns } from './columns.ts';
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
import type { CatalogPosition, CatalogQuery } from './query.ts';
import { buildSearch, merit, type Search } from './search.ts';
import { bestMatch, chooseSort, parseSortedCursor, type Sort, toKeyText } from './sorts.ts';
import { sourceMatches } from './source-verdict.ts';
import type { Survey } from './typos.ts';

/** Matching entries are counted up to here, so that no query reads a catalog of any size in full. */
export const totalMax = 10_000;

/** Maximum number of entries of a page for any limit. */
export const pageEntriesMax = 1_000;

/** Adds a parameter to a statement, and returns the SQL that refers to it. */
export type BindParameter = (given: unknown, type: string) => string;

/** Columns to read for the entries of a page, and the joins that they need. */
export interface Columns {
  /** Distinguishes the columns in the name of a statement. */
  name: string;
  columns: string;
  joins: string;
}

/** The words of a query, and how many entries have them. */
interface SearchedWords {
  words: readonly string[];
  /** Undefined without words, or without an index for them. */
  survey: Survey | undefined;
  /** `true` if more than `searchedMax` entries match. */
  areMany: boolean;
}

/** SQL for one row with a network's revision as `catalog_version`; 0 before any change. */
export const buildStateSql = (network: string): string =>
  `(select coalesce((select version from catalog_state where network = ${network}), 0) as catalog_version)`;

/** Returns `true` if the best of many matches are found by indexes, which have shown entries alone and are read forward. */
export const isBoundedSearch = (query: CatalogQuery, { shown }: Survey): boolean =>
  shown > sortedMax &&
  !query.includeUnverified &&
  (query.sort !== undefined || (!query.backward && query.before === undefined));

/**
 * Builds the statement of a page: the catalog's revision, the number of matching entries, and the entries in their order.
 * @throws ProblemError `bad_cursor` if a cursor is not of this query
 */
export function buildPageStatement(
  query: CatalogQuery,
  searched: SearchedWords,
  buildColumns: (bind: BindParameter) => Columns,
): QueryConfig {
  const values: unknown[] = [];
  const bind: BindParameter = (given, type) => `$${values.push(given)}::${type}`;
  const { name, columns, joins } = buildColumns(bind);
  const network = bind(query.network, 'text');
  const search = bindSearch(query, searched, network, bind);
  const list = buildList(query, chooseSort(query, searched.words), { network, search, bind });
  const source = search ? buildSearchedPage(query, searched, search, list) : buildListedPage(query, list);
  return {
    ...(!list.isFiltered && { name: nameStatement(query, name) }),
    text: `
with ${source.with},
listed as (
  select ${columns}, to_json(page.sort_keys)::text as "sortKeys", page.nth from page ${joins} where page.nth <= ${list.limit}
)
select catalog_version as "catalogVersion", ${query.uncounted ? 'null::int' : source.total} as total,
  ${source.isUnread} as "isUnread",
  (select count(*) from page) as found, listed.*
from ${buildStateSql(network)} state
left join listed on true
order by nth`,
    values,
  };
}

/** Names a statement without a filter: there are few, and they are requested most often. Each name costs every connection memory. */
const nameStatement = (query: CatalogQuery, columns: string): string =>
  [
    'list-catalog',
    columns,
    query.sort ?? 'rank',
    query.includeUnverified ? 'all' : 'shown',
    query.backward ? 'backward' : [],
    query.uncounted ? 'uncounted' : [],
    query.cursor === undefined ? [] : 'after',
    query.before === undefined ? [] : 'before',
  ]
    .flat()
    .join('-');

function bindSearch(
  query: CatalogQuery,
  { words, survey }: SearchedWords,
  network: string,
  bind: BindParameter,
): Search | undefined {
  if (words.length === 0) return undefined;
  const bindText = (given: unknown) => bind(given, 'text');
  return buildSearch(network, words, bindText, query.includeUnverified ?? false, survey?.typos);
}

/** SQL for the entries of a query and their order. */
interface List {
  network: string;
  /** Conditions of the entries of a list without filters. */
  scope: readonly string[];
  /** These, the filters and the words. */
  conditions: readonly string[];
  /** `true` if there are conditions beside the scope. */
  isFiltered: boolean;
  sort: Sort;
  /** Position of `cursor` with its bound parameters. */
  after: BoundPosition | undefined;
  /** Conditions on keys and id: the entries between the cursors. */
  between: string;
  /** Keys and id, with their directions. */
  order: string;
  /** SQL for the number of entries to read. */
  limit: string;
  /** Columns `sort_keys` and `nth` of an entry of the page. */
  place: string;
}

interface BoundPosition {
  at: CatalogPosition;
  keys: readonly string[];
  ids: readonly string[];
}

function buildList(
  query: CatalogQuery,
  sort: Sort,
  { network, search, bind }: { network: string; search: Search | undefined; bind: BindParameter },
): List {
  const { keys, descending = false } = sort;
  const [after, before] = [query.cursor, query.before].map((cursor) =>
    parseSortedCursor(query, cursor, sort),
  );
  const scope = [`network = ${network}`, query.includeUnverified ? [] : 'shown'].flat();
  const conditions = [...scope, ...bindFilters(query, bind), ...(search?.conditions ?? [])];
  const keySqls = search ? keys.map((_, n) => `key_${n}`) : keys.map(({ sql }) => sql);
  const columns = [...keySqls, ...idColumns];
  const order = columns.map((column) => (descending !== Boolean(query.backward) ? `${column} desc` : column));
  const bindPosition = (at: CatalogPosition | undefined): BoundPosition | undefined =>
    at && {
      at,
      keys: at.keys.map((key, n) => bind(key, keys[n]!.type)),
      ids: [bind(at.serviceType, 'text'), bind(at.publisher, 'text')],
    };
  const buildBound = (position: BoundPosition | undefined, sign: '<' | '>') =>
    position ? `and (${columns.join(', ')}) ${sign} (${[...position.keys, ...position.ids].join(', ')})` : '';
  const [boundAfter, boundBefore] = [bindPosition(after), bindPosition(before)];
  const sortKeys = keySqls.map((key, n) => toKeyText(key, keys[n]!.type)).join(', ');
  return {
    network,
    scope,
    conditions,
    isFiltered: conditions.length > scope.length,
    sort,
    after: boundAfter,
    between: `${buildBound(boundAfter, descending ? '<' : '>')} ${buildBound(boundBefore, descending ? '>' : '<')}`,
    order: order.join(', '),
    limit: bind(Math.min(query.limit ?? pageEntriesMax, pageEntriesMax), 'int'),
    place: `array[${sortKeys}] as sort_keys, row_number() over (order by ${order.join(', ')}) as nth`,
  };
}

/** Returns a condition for each filter that the query has, so that the plan of each shape uses the index of its sort. */
const bindFilters = (query: CatalogQuery, bind: BindParameter): string[] =>
  [
    query.category === undefined ? [] : `category = ${bind(query.category, 'text')}`,
    query.coin === undefined ? [] : `coins && ${bind([query.coin, '*'], 'text[]')}`,
    query.publisher === undefined ? [] : `publisher = ${bind(query.publisher, 'text')}`,
    query.integrator === undefined ? [] : `integrator collate "C" = ${bind(query.integrator, 'text')}`,
    query.ids === undefined ? [] : `service_type = any (${bind(query.ids, 'text[]')})`,
    query.sourceMatches ? sourceMatches : [],
    query.canary === undefined ? [] : `canary_state = ${bind(query.canary, 'text')}`,
    query.alike === undefined ? [] : `name_skeleton = ${bind(query.alike, 'text')}`,
  ].flat();

/** SQL for the entries of a page. */
interface PageSource {
  /** Common table expressions, of which `page` has the entries, and one more if there are more. */
  with: string;
  /** Number of matching entries over all pages. */
  total: string;
  /** Condition under which the page has no entries because too many match to sort them. */
  isUnread: string;
}

const buildSlice = ({ between, order, limit, place }: List, ...conditions: readonly string[]): string => `
  select *, ${place}
  from catalog_entries where ${conditions.join(' and ')}
  ${between} order by ${order} limit ${limit} + 1`;

/** Builds the page of a query without words. */
function buildListedPage(query: CatalogQuery, list: List): PageSource {
  const { conditions, network, isFiltered } = list;
  const count = buildCountSql(conditions);
  // The planner takes a rare coin for a common one, and knows no relation of verdicts and states to other filters. It would
  // read the index of the order to its end.
  const isCountedFirst = query.coin !== undefined || query.sourceMatches || query.canary !== undefined;
  if (!isCountedFirst) {
    return {
      with: `page as (${buildSlice(list, ...conditions)})`,
      total: query.includeUnverified || isFiltered ? count : buildShownSql(network),
      isUnread: 'false',
    };
  }
  return {
    with: `${buildFoundSql(conditions)},
page as (
  select * from (${buildSlice(list, ...conditions, `${foundCount} > ${filteredMax}`)}) many
  union all
  select * from (${buildSlice(list, isFound)}) few
)`,
    // An index has what is counted, but not the row ids of the entries.
    total: `case when ${foundCount} > ${filteredMax} then ${count} else ${foundCount} end`,
    isUnread: 'false',
  };
}

/** SQL that counts the entries that meet the conditions, up to `totalMax`. */
const buildCountSql = (conditions: readonly string[]): string =>
  `(select count(*) from (select from catalog_entries where ${conditions.join(' and ')} limit ${totalMax}) counted)`;

/** SQL for the number of entries that are shown by default, up to `totalMax`: it is counted at each change. */
const buildShownSql = (network: string): string =>
  `least(coalesce((select shown from catalog_state where network = ${network}), 0), ${totalMax})::int`;

/** Builds the page of a query with words. */
function buildSearchedPage(
  query: CatalogQuery,
  { survey, areMany }: SearchedWords,
  search: Search,
  list: List,
): PageSource {
  const { network, between, order, limit, place } = list;
  const isBounded = survey !== undefined && isBoundedSearch(query, survey);
  // Pages of one search have one total, also those that are not bounded.
  const countedMax = survey !== undefined && survey.shown > sortedMax ? searchedMax : totalMax;
  const count = isBounded ? foundCount : 'select count(*) from matched';
  const matched = areMany ? buildManyMatches(search, list) : buildMatches(search, list, isBounded);
  return {
    with: `${matched},
page as (
  select e.*, first.sort_keys, first.nth
  from (
    select service_type, publisher, ${place}
    from (select * from matched where true ${between} order by ${order} limit ${limit} + 1) best
  ) first
  join catalog_entries e
    on e.network = ${network} and e.service_type = first.service_type and e.publisher = first.publisher
)`,
    total: areMany ? `${searchedMax}` : `least((${count}), ${countedMax})::int`,
    isUnread: isBounded && !areMany ? `${foundCount} > ${searchedMax}` : 'false',
  };
}

/** SQL for all matches with their sort keys. */
function buildMatches(search: Search, { conditions, sort }: List, isBounded: boolean): string {
  const keys = sort.keys.map(({ sql }) => sql);
  const rank = sort === bestMatch ? search.rank : (from: string) => buildKeyedSql(keys, from);
  return isBounded ? buildFewMatchedSql(conditions, rank, search) : buildMatchedSql(conditions, rank);
}

/** SQL for the first of many matches, which indexes find. */
function buildManyMatches(search: Search, list: List): string {
  const { scope, conditions, sort, between, order, limit, after } = list;
  const part = { scope, conditions, between, order, limit };
  if (sort !== bestMatch) return buildFirstSql({ ...part, keys: sort.keys.map(({ sql }) => sql) });
  return buildBestSql(
    search,
    part,
    after && {
      key: Number(after.at.keys[0]),
      isAfter: `(${merit}, ${idColumns.join(', ')}) > (${[after.keys[1], ...after.ids].join(', ')})`,
    },
  );
}
