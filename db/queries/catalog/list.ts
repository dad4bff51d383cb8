import { readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { LazyPage } from '../page.ts';
import type { Queryable } from '../queryable.ts';
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
import { searchedMax } from './matches.ts';
import { type BindParameter, buildPageStatement, type Columns, isBoundedSearch } from './page-statement.ts';
import { type CatalogQuery, hasFilter, positionToCursor } from './query.ts';
import { hasSearchIndex, splitWords } from './search.ts';
import { surveyWords } from './typos.ts';

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

/**
 * Maximum size of a page in bytes of manifests. One manifest may have 256 KiB, and anyone may register thousands. Each page
 * has at least one entry.
 */
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
    (await db.query<PageRow>(buildPageStatement(query, { words, survey, areMany }, buildColumns))).rows;
  const areMany =
    onlyWord !== undefined &&
    survey !== undefined &&
    (survey.counts.get(onlyWord) ?? 0) > searchedMax &&
    isBoundedSearch(query, survey);
  const rows = await read(areMany);
  return rows[0]?.isUnread ? await read(true) : rows;
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
