import type { Queryable } from '../queryable.ts';
import {
  type CatalogEntry,
  type EntryRow,
  entryColumns,
  entryJoins,
  type ListedEntry,
  type ManifestColumn,
  toEntry,
  toListed,
} from './entry.ts';
import {
  type CatalogQuery,
  type CatalogSort,
  cursorToPosition,
  positionToCursor,
  type SortKeyType,
} from './query.ts';
import { hasSearchIndex, toSearch, wordsOf } from './search.ts';

export interface CatalogPage<Entry = CatalogEntry> {
  /** The network's revision in the snapshot that the entries were read from. */
  version: number;
  /** How many entries match, over all pages; `totalMax` where more do. */
  total: number;
  entries: Entry[];
  /** Cursor of each entry, in the same order: the page after it. */
  cursors: string[];
  hasMore: boolean;
}

/** Matching entries are counted up to here, so that no query reads a catalog of any size in full. */
export const totalMax = 10_000;

interface PageRow extends EntryRow {
  catalog_version: number;
  total: number;
  /** Entries of the page before it was cut at its bytes, and one more where the list goes on. */
  found: number;
  sort_keys: string[];
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
export const sorts: Record<CatalogSort, Sort> = {
  usage: { keys: [numeric('(-actions)'), numeric('(-unique_vaults)')] },
  rating: {
    keys: [
      numeric('(-coalesce(score_sum::numeric / nullif(review_count, 0), 0))'),
      numeric('(-review_count)'),
    ],
  },
  updated: { keys: [{ sql: 'updated_at', type: 'timestamptz' }], descending: true },
  name: { keys: [{ sql: '(lower(name) collate "C")', type: 'text' }] },
};
/** How many entries meet a condition, counted up to `totalMax`. */
export const countOf = (where: string): string =>
  `(select count(*) from (select from catalog_entries where ${where} limit ${totalMax}) counted)`;
/** One row with a network's revision as `catalog_version`; 0 before any change. */
export const stateOf = (network: string): string =>
  `(select coalesce((select version from catalog_state where network = ${network}), 0) as catalog_version)`;

/** Ties end at the id; bytes compare alike on every server. */
export const id = ['service_type collate "C"', 'publisher collate "C"'];

/**
 * Where a page ends whatever its limit, in entries and in bytes of manifests: one may have 256 KiB, and a stranger
 * may register thousands. Each page has at least one entry.
 */
export const pageEntriesMax = 1_000;
const pageBytesMax = 4_000_000;

/**
 * Reads one page of the catalog in one round trip.
 * @param bytesMax bytes of manifests at which the page ends
 * @throws ProblemError `bad_cursor` when the cursor is not of this query
 */
export async function readCatalog(
  db: Queryable,
  query: CatalogQuery,
  bytesMax = pageBytesMax,
): Promise<CatalogPage> {
  return toPage(query, await readRows(db, 'm.body', query, bytesMax), toEntry);
}

/**
 * The same without manifests, so that no page ends at their bytes.
 * @throws ProblemError `bad_cursor` when the cursor is not of this query
 */
export async function readListed(db: Queryable, query: CatalogQuery): Promise<CatalogPage<ListedEntry>> {
  return toPage(query, await readRows(db, 'null::jsonb', query, pageBytesMax), toListed);
}

async function readRows(
  db: Queryable,
  manifest: ManifestColumn,
  query: CatalogQuery,
  bytesMax: number,
): Promise<PageRow[]> {
  const values: unknown[] = [];
  const value = (given: unknown, type: string) => `$${values.push(given)}::${type}`;
  const network = value(query.network, 'text');
  const words = wordsOf(query.q);
  const search =
    words.length > 0 ? toSearch(words, (given) => value(given, 'text'), await hasSearchIndex(db)) : undefined;
  const { keys, descending }: Sort =
    search && query.sort === undefined ? { keys: search.rank().map(numeric) } : sorts[query.sort ?? 'usage'];
  const at = cursorToPosition(
    query,
    keys.map(({ type }) => type),
  );
  // Only the conditions that the query has, so that the plan of each shape uses the index of its sort.
  const conditions = [
    `network = ${network}`,
    query.includeUnverified ? [] : 'shown',
    query.category === undefined ? [] : `category = ${value(query.category, 'text')}`,
    query.coin === undefined ? [] : `coins && ${value([...query.coin, '*'], 'text[]')}`,
    query.publisher === undefined ? [] : `publisher = ${value(query.publisher, 'text')}`,
    query.integrator === undefined ? [] : `integrator = ${value(query.integrator, 'text')}`,
    query.ids === undefined ? [] : `service_type = any (${value(query.ids, 'text[]')})`,
    query.alike === undefined ? [] : `name_skeleton = ${value(query.alike, 'text')}`,
    search?.conditions ?? [],
  ].flat();
  const columns = [...keys.map(({ sql }) => sql), ...id];
  const where = conditions.join(' and ');
  const order = columns.map((column) => (descending ? `${column} desc` : column)).join(', ');
  const after = at && [
    ...at.keys.map((key, index) => value(key, keys[index]!.type)),
    value(at.serviceType, 'text'),
    value(at.publisher, 'text'),
  ];
  const limit = value(Math.min(query.limit ?? pageEntriesMax, pageEntriesMax), 'int');
  const { rows } = await db.query<PageRow>({
    text: `
with page as (
  select *, array[${keys.map(({ sql }) => `${sql}::text`).join(', ')}] as sort_keys,
    row_number() over (order by ${order}) as nth
  from catalog_entries where ${where}
  ${after ? `and (${columns.join(', ')}) ${descending ? '<' : '>'} (${after.join(', ')})` : ''}
  order by ${order} limit ${limit} + 1
),
sized as (
  select ${entryColumns('page', manifest)}, page.sort_keys, page.nth,
    sum(size.bytes) over (order by page.nth) - size.bytes as before
  from page ${entryJoins('page')}
  cross join lateral (select coalesce(octet_length(${manifest}::text), 0) as bytes) size
  where page.nth <= ${limit}
)
select catalog_version, ${countOf(where)} as total,
  (select count(*) from page) as found, sized.*
from ${stateOf(network)} state
left join sized on before < ${value(bytesMax, 'int')}
order by nth`,
    values,
  });
  return rows;
}

function toPage<Entry>(
  query: CatalogQuery,
  rows: PageRow[],
  toItem: (row: PageRow) => Entry,
): CatalogPage<Entry> {
  const [first] = rows;
  // The catalog's state alone comes back as one row without an entry.
  const found = first === undefined || first.service_type === null ? [] : rows;
  return {
    version: first?.catalog_version ?? 0,
    total: first?.total ?? 0,
    entries: found.map(toItem),
    cursors: found.map(({ sort_keys: keys, service_type: serviceType, publisher }) =>
      positionToCursor(query, { keys, serviceType, publisher }),
    ),
    hasMore: found.length < (first?.found ?? 0),
  };
}
