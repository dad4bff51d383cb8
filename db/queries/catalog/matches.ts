import { id } from './columns.ts';
import { merit, phrasesMax, type Search } from './search.ts';

/**
 * Most entries that are read and then sorted. Of more, an index of the order is read until the page is full: that many
 * entries are found soon.
 */
export const sortedMax = 1_000;
/** Entries of an index that are read for each of a page. */
const readPerEntry = 40;

/** Part of a sorted list: SQL, in which the sort keys of an entry are `key_0`, `key_1` and so on. */
interface Part {
  /** Conditions of the entries of a list without filters, on columns of `catalog_entries`. */
  scope: readonly string[];
  /** These, and the filters. */
  conditions: readonly string[];
  /** Sort keys, in the order of an index. */
  keys: readonly string[];
  /** Conditions on keys and id: the entries between the cursors. */
  between: string;
  /** Keys and id, with their directions. */
  order: string;
  /** SQL for the number of entries to read. */
  limit: string;
}

/** Common table expressions of which the last, `matched`, has the keys of the entries of a page. */
interface MatchedSql {
  with: string;
  /** SQL for the number of matching entries, over all pages. */
  total: string;
}

const columns = 'service_type, publisher';
const nameKeys = (keys: readonly string[]) => keys.map((key, n) => `${key} as key_${n}`).join(', ');
const where = (...conditions: readonly string[]) => `where ${conditions.join(' and ')}`;

/** SQL for the first entries that meet the conditions, in any order: all of them if they are few. */
const buildFew = (name: string, fields: string, conditions: string) => `
${name} as materialized (
  select ${columns}${fields} from catalog_entries ${conditions} limit ${sortedMax} + 1
)`;

const isFew = (name: string) => `(select count(*) from ${name}) <= ${sortedMax}`;
const isFull = (name: string, limit: string) => `((select count(*) from ${name}) > ${limit})`;
const isMany = (name: string) => `(select count(*) from ${name}) > ${sortedMax}`;

/** SQL that counts entries up to `max`; those of `few` are counted already. */
const buildTotal = (
  conditions: readonly string[],
  max: number,
) => `case when ${isFew('few')} then (select count(*) from few)
    else (select count(*) from (select from catalog_entries ${where(...conditions)} limit ${max}) counted) end`;

/** SQL for the entries of a filter. Few are sorted; of many, the index of the order is read. */
export function buildFilteredSql(part: Part, totalMax: number): MatchedSql {
  const { scope, conditions, keys, between, order, limit } = part;
  const keyNames = keys.map((_, n) => `key_${n}`).join(', ');
  // The order of an index is written as the index has it.
  const named = (text: string) => keys.reduce((sql, key, n) => sql.replaceAll(`key_${n}`, key), text);
  return {
    with: `${buildFew('few', `, ${nameKeys(keys)}`, where(...conditions))},
head as materialized (
  select ${columns}, ${nameKeys(keys)} from (
    select * from catalog_entries ${where(...scope, isMany('few'))} ${named(between)}
    order by ${named(order)} limit ${readPerEntry} * (${limit} + 1)) head
  ${where(...conditions)} order by ${named(order)} limit ${limit} + 1
),
matched as (
  (select ${columns}, ${keyNames} from few where ${isFew('few')} ${between} order by ${order} limit ${limit} + 1)
  union all
  (select * from head where ${isFull('head', limit)})
  union all
  (select ${columns}, ${nameKeys(keys)} from catalog_entries
    ${where(...conditions, isMany('few'), `not ${isFull('head', limit)}`)} ${named(between)}
    order by ${named(order)} limit ${limit} + 1)
)`,
    total: buildTotal(conditions, totalMax),
  };
}

const rankedFields = ', name, integrator, search_text, deprecated, rank, actions, score_sum, review_count';

/** Returns SQL for a page of entries, with the sort keys of a search: how well they match, and their merit. */
function createRanking(search: Search, { between, order, limit }: Omit<Part, 'keys'>) {
  const { match, whole } = search.rank();
  return (from: string, gate: string) => `
  (select ${columns}, key_0, key_1 from (
    select ${columns}, (-(match + case when nth <= ${phrasesMax} then whole else 0 end))::numeric as key_0, merit as key_1
    from (
      select ${columns}, match, whole, merit, row_number() over (order by whole desc, merit, ${id.join(', ')}) as nth
      from (select ${columns}, ${match} as match, ${whole} as whole, ${merit} as merit from ${from}) matching
    ) numbered
  ) ranked where ${gate} ${between}
  order by ${order} limit ${limit} + 1)`;
}

/** The beginning of a page of a search: its cursor, or nothing. */
interface Start {
  /** The first sort key: the match, negative. */
  key: number;
  /** SQL for a condition of the entries behind it, of those that match as well. */
  beyond: string;
}

/**
 * SQL for the entries of a search, the best match first. Few are read and sorted. Of many, those whose names or integrators
 * match are sorted if they are few. Of many of these too, a part of the index of merit is read for those that have all words in
 * the name; all are sorted only if these do not fill the page. Behind all of them, the index is read for the rest.
 * @param start undefined for the first page
 */
export function buildSearchedSql(
  search: Search,
  part: Omit<Part, 'keys'>,
  totalMax: number,
  start: Start | undefined,
): MatchedSql {
  const { order, limit } = part;
  const { prominent, plainMatch, named, namedMatch } = search.findNames();
  const conditions = [...part.conditions, ...search.conditions];
  const ranked = createRanking(search, part);
  const bound = (match: number) =>
    start === undefined || start.key < -match ? [] : start.key > -match ? ['false'] : [start.beyond];
  const byMerit = `order by ${merit}, ${id.join(', ')}`;
  /** SQL for entries that match equally well, by their merit. */
  const pick = (match: number, from: string, ...given: string[]) => `
  (select ${columns}, (-${match})::numeric as key_0, ${merit} as key_1
  from ${from} ${where(...conditions, ...given, ...bound(match))} ${byMerit} limit ${limit} + 1)`;
  /** SQL for a bounded number of entries, those of the highest merit. */
  const buildHead = (match: number, ...gates: string[]) => `(
    select * from catalog_entries ${where(...part.scope, ...gates, ...bound(match))}
    ${byMerit} limit ${readPerEntry} * (${limit} + 1)) head`;
  /** Entries behind the prominent ones need none of them. */
  const isBehind = start?.key === -plainMatch;
  const buildProminent = () => {
    const { begins, whole } = search.findPhrases();
    return `
${buildFew('prominent', rankedFields, where(...conditions, prominent, isMany('few')))},
phrases as materialized (
  select ${columns}, ${namedMatch} + ${whole} as match, ${merit} as merit
  from catalog_entries ${where(...conditions, begins, isMany('prominent'))}
  order by 3 desc, 4, ${id.join(', ')} limit ${phrasesMax}
),
named as materialized (
  (select * from (select ${columns}, (-match)::numeric as key_0, merit as key_1 from phrases) first where true ${part.between})
  union all
  ${pick(namedMatch, buildHead(namedMatch, isMany('prominent')), named, `(${columns}) not in (select ${columns} from phrases)`)}
),`;
  };
  return {
    with: `${buildFew('few', rankedFields, where(...conditions))},${isBehind ? '' : buildProminent()}
best as materialized (
  ${ranked('few', isFew('few'))}${
    isBehind
      ? ''
      : `
  union all
  ${ranked('prominent', `${isMany('few')} and ${isFew('prominent')}`)}
  union all
  (select * from named where ${isFull('named', limit)} order by ${order} limit ${limit} + 1)
  union all
  ${ranked(buildAll(...conditions, prominent, isMany('prominent'), `not ${isFull('named', limit)}`), 'true')}`
  }
),
plain as materialized (
  ${pick(plainMatch, buildHead(plainMatch, isMany('few'), `not ${isFull('best', limit)}`), `not ${prominent}`)}
),
matched as (
  select * from best
  union all
  (select * from plain where ${isFull('plain', limit)})
  union all
  ${pick(plainMatch, 'catalog_entries', `not ${prominent}`, isMany('few'), `not ${isFull('best', limit)}`, `not ${isFull('plain', limit)}`)}
)`,
    total: buildTotal(conditions, totalMax),
  };
}

/** SQL for the entries of a search, the best match first, of which all are sorted: for pages that are read backward. */
export function buildSortedSearchSql(search: Search, part: Omit<Part, 'keys'>, totalMax: number): MatchedSql {
  const conditions = [...part.conditions, ...search.conditions];
  const ranked = createRanking(search, part);
  return {
    with: `${buildFew('few', rankedFields, where(...conditions))},
matched as (
  ${ranked('few', isFew('few'))}
  union all
  ${ranked(buildAll(...conditions, isMany('few')), 'true')}
)`,
    total: buildTotal(conditions, totalMax),
  };
}

const buildAll = (...conditions: string[]) => `(select * from catalog_entries ${where(...conditions)}) met`;
