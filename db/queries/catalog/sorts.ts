import { type CatalogQuery, type CatalogSort, cursorToPosition, type SortKeyType } from './query.ts';
import { splitWords } from './search.ts';

/** A sort key: SQL over a row of `catalog_entries`, or the name of a column of a search. */
interface SortKey {
  sql: string;
  type: SortKeyType;
}

/** The sort keys are the columns of an index, which is read forward or backward: all keys sort in one direction. */
export interface Sort {
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

/** SQL for a sort key as text. A time is in UTC and in one format: servers write it in their own zone and style. */
export const toKeyText = (sql: string, type: SortKeyType) =>
  type === 'timestamptz'
    ? `to_char(${sql} at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS.US"+00"')`
    : `${sql}::text`;

/** Best match first: its keys are columns of a search, the match of an entry and the merit of its use and rating. */
export const bestMatch: Sort = { keys: [numeric('key_0'), { sql: 'key_1', type: 'float8' }] };

/** Chooses the sort of a query: by the best match if it has words and names no other. */
export const chooseSort = (query: CatalogQuery, words: readonly string[]): Sort =>
  words.length > 0 && query.sort === undefined ? bestMatch : sorts[query.sort ?? 'rank'];

/** @throws ProblemError `bad_cursor` if the cursor belongs to another query */
export const parseSortedCursor = (query: CatalogQuery, cursor: string | undefined, { keys }: Sort) =>
  cursorToPosition(
    query,
    cursor,
    keys.map(({ type }) => type),
  );

/** Parses a cursor of a query in its sort. @throws ProblemError `bad_cursor` if it belongs to another query */
export const parseCatalogCursor = (query: CatalogQuery, cursor: string) =>
  parseSortedCursor(query, cursor, chooseSort(query, splitWords(query.q)));
