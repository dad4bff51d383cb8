import { idColumns } from './columns.ts';
import { merit, phrasesMax, type Search } from './search.ts';

/**
 * Most matches of names that are read and then sorted: for one word, and for several. Few names have several words, so the
 * index of merit seldom has a page of them.
 */
const prominentMax = { oneWord: 1_000, severalWords: 5_000 };
/** Maximum number of entries of a filter that are sorted. If there are more, an index of the order soon fills a page. */
export const filteredMax = 1_000;
/** Maximum number of shown entries of a catalog whose searches sort all of their matches. */
export const sortedMax = 10_000;
/** Maximum number of matches of a search of a larger catalog that are sorted and counted. */
export const searchedMax = 1_000;
/** Entries of an index that are read for each of a page: a word of 2 % of the names fills it. */
const readPerEntry = 60;

/** Part of a sorted list: SQL, in which the sort keys of an entry are `key_0`, `key_1` and so on. */
interface Part {
  /** Conditions of the entries of a list without filters, on columns of `catalog_entries`. */
  scope: readonly string[];
  /** These, the filters and the words. */
  conditions: readonly string[];
  /** Sort keys. */
  keys: readonly string[];
  /** Conditions on keys and id: the entries between the cursors. */
  between: string;
  /** Keys and id, with their directions. */
  order: string;
  /** SQL for the number of entries to read. */
  limit: string;
}

const columns = 'service_type, publisher';
const nameKeys = (keys: readonly string[]) => keys.map((key, n) => `${key} as key_${n}`).join(', ');
const where = (...conditions: readonly string[]) => `where ${conditions.join(' and ')}`;
const isFull = (name: string, limit: string) => `((select count(*) from ${name}) > ${limit})`;

/** SQL for the number of entries in `found`. */
export const foundCount = '(select count(*) from found)';

/** SQL for the row ids of the first entries that meet the conditions, in any order: one more than are sorted, if there are. */
export const buildFoundSql = (conditions: readonly string[]) => `
found as materialized (select ctid from catalog_entries ${where(...conditions)} limit ${filteredMax} + 1)`;

/** SQL for a condition of the entries in `found`; none if they are too many to sort. */
export const isFound = `ctid = any (array(select ctid from found where ${foundCount} <= ${filteredMax}))`;

/** Columns of sort keys. */
const sorted =
  'name, integrator, deprecated, rank, actions, recent_actions, trend, unique_vaults, score_sum, review_count, updated_at';

/** Columns of entries that are sorted later: their ids, and what a search or a list sorts by. */
const buildSortedColumns = ({ readsText }: Pick<Search, 'readsText'>) =>
  `${columns}, ${sorted}${readsText ? ', search_text' : ''}`;

/** SQL for the ids of entries with the given sort keys. */
export const buildKeyedSql = (keys: readonly string[], from: string) => `
  select ${columns}, ${nameKeys(keys)} from ${from}`;

/**
 * SQL for all entries of a search with their sort keys, as `matched`.
 * @param rank SQL for the ids of entries with their sort keys
 */
export const buildMatchedSql = (conditions: readonly string[], rank: (from: string) => string) => `
matched as materialized (${rank(`catalog_entries ${where(...conditions)}`)}
)`;

/** The same, but no entries if more than `searchedMax` match: `found` has one more then. */
export const buildFewMatchedSql = (
  conditions: readonly string[],
  rank: (from: string) => string,
  search: Search,
) => `
found as materialized (
  select ${buildSortedColumns(search)}
  from catalog_entries ${where(...conditions)} limit ${searchedMax} + 1
),
matched as materialized (${rank(`found where ${foundCount} <= ${searchedMax}`)}
)`;

/** SQL for the first of many entries, as `matched`. The index of the order is read. */
export function buildFirstSql({ scope, conditions, keys, between, order, limit }: Part): string {
  // The order of an index is written as the index has it.
  const named = (text: string) => keys.reduce((sql, key, n) => sql.replaceAll(`key_${n}`, key), text);
  return `
head as materialized (
  select ${columns}, ${nameKeys(keys)} from (
    select * from catalog_entries ${where(...scope)} ${named(between)}
    order by ${named(order)} limit ${readPerEntry} * (${limit} + 1)) head
  ${where(...conditions)} order by ${named(order)} limit ${limit} + 1
),
matched as (
  (select * from head where ${isFull('head', limit)})
  union all
  (select ${columns}, ${nameKeys(keys)} from catalog_entries
    ${where(...conditions, `not ${isFull('head', limit)}`)} ${named(between)}
    order by ${named(order)} limit ${limit} + 1)
)`;
}

/** The beginning of a page of a search: its cursor, or nothing. */
interface Start {
  /** The first sort key: the match, negative. */
  key: number;
  /** SQL for a condition of the entries behind it, of those that match as well. */
  isAfter: string;
}

/**
 * SQL for the first of many entries of a search, the best match first, as `matched`. Those whose names or integrators match
 * are sorted if they are few. Of many of these, a part of the index of merit is read for those that have all words in the
 * name; all are sorted only if these do not fill the page. Behind all of them, the index is read for the rest.
 * @param start undefined for the first page
 */
export function buildBestSql(search: Search, part: Omit<Part, 'keys'>, start: Start | undefined): string {
  const { scope, conditions, between, order, limit } = part;
  const { prominent, plainMatch, named, namedMatch } = search.findNames();
  const sortedNamesMax = search.conditions.length > 1 ? prominentMax.severalWords : prominentMax.oneWord;
  const bound = (match: number) =>
    start === undefined || start.key < -match ? [] : start.key > -match ? ['false'] : [start.isAfter];
  const byMerit = `order by ${merit}, ${idColumns.join(', ')}`;
  /** SQL for entries that match equally well, by their merit. */
  const pick = (match: number, from: string, ...given: string[]) => `
  (select ${columns}, (-${match})::numeric as key_0, ${merit} as key_1
  from ${from} ${where(...conditions, ...given, ...bound(match))} ${byMerit} limit ${limit} + 1)`;
  /** SQL for a bounded number of entries, those of the highest merit. */
  const buildHead = (match: number, ...gates: string[]) => `(
    select * from catalog_entries ${where(...scope, ...gates, ...bound(match))}
    ${byMerit} limit ${readPerEntry} * (${limit} + 1)) head`;
  const buildProminent = () => {
    const { begins, whole } = search.findPhrases();
    const rank = (from: string) => `
  (select * from (${search.rank(from)}) ranked where true ${between} order by ${order} limit ${limit} + 1)`;
    const isMany = `(select count(*) from prominent) > ${sortedNamesMax}`;
    return `
prominent as materialized (
  select ${buildSortedColumns(search)}
  from catalog_entries ${where(...conditions, prominent)} limit ${sortedNamesMax} + 1
),
phrases as materialized (
  select ${columns}, (-(${namedMatch} + ${whole}))::numeric as key_0, ${merit} as key_1
  from catalog_entries ${where(...conditions, begins, isMany)}
  order by key_0, key_1, ${idColumns.join(', ')} limit ${phrasesMax}
),
named as materialized (
  (select * from phrases where true ${between})
  union all
  ${pick(namedMatch, buildHead(namedMatch, isMany), named, `(${columns}) not in (select ${columns} from phrases)`)}
),
best as materialized (
  ${rank(`prominent where not ${isMany}`)}
  union all
  (select * from named where ${isFull('named', limit)} order by ${order} limit ${limit} + 1)
  union all
  ${rank(`catalog_entries ${where(...conditions, prominent, isMany, `not ${isFull('named', limit)}`)}`)}
),`;
  };
  // Entries behind the prominent ones need none of them.
  const isBehind = start?.key === -plainMatch;
  const isPageFull = isBehind ? [] : [`not ${isFull('best', limit)}`];
  return `${isBehind ? '' : buildProminent()}
plain as materialized (
  ${pick(plainMatch, buildHead(plainMatch, ...isPageFull), `not ${prominent}`)}
),
matched as (
  ${isBehind ? '' : 'select * from best union all'}
  (select * from plain where ${isFull('plain', limit)})
  union all
  ${pick(plainMatch, 'catalog_entries', `not ${prominent}`, ...isPageFull, `not ${isFull('plain', limit)}`)}
)`;
}
