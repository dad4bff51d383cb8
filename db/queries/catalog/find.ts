import { columnTypes } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { type KeyedList, keyColumns, type Paging } from '../lists.ts';
import { keyRow, keyRows, orderByKeys, type Queryable, type Statement, toColumns } from '../queryable.ts';
import { shownManifest } from '../shown-manifest.ts';
import {
  type EntryExtras,
  type EntryRow,
  type EntryWithHead,
  entryColumns,
  entryJoins,
  type ListedEntry,
  type ManifestColumn,
  toEntry,
  toListed,
} from './entry.ts';
import type { CatalogEntry } from './entry-schema.ts';
import { buildHeadSql } from './manifests.ts';

/** Key of one entry. Without a publisher: the entry that the catalog shows by default for the service type. */
interface EntryKey {
  network: string;
  serviceType: string;
  publisher?: string | undefined;
}

interface FindOptions {
  manifest: ManifestColumn;
  alikeNames?: boolean;
  columns?: string;
  joins?: string;
}

type FindStatements = Record<'many' | 'one', Statement>;

const buildStatements = (
  name: string,
  { manifest, alikeNames = true, columns = '', joins = '' }: FindOptions,
): FindStatements => {
  const textFor = (keys: string) => `
select key.nth::int, ${entryColumns('e', manifest)}${columns}
from ${keys}
join catalog_entries e on e.network = key.network and e.service_type = key.service_type
  and (e.publisher = key.publisher or (key.publisher is null and e.shown))
${entryJoins('e', alikeNames)}${joins}`;
  const key = columnTypes(tables.catalogEntries, 'network', 'serviceType', 'publisher');
  return {
    many: { name, text: textFor(keyRows(key)) },
    one: { name: `${name}-of-one`, text: textFor(keyRow(key)) },
  };
};

/** Maximum size of a head, in bytes, that is read with its entry. */
const headBytesMax = 4_000;

const withFields = {
  manifest: 'null::jsonb',
  columns: `, case when octet_length(h.head) <= ${headBytesMax} then h.head end as head`,
  joins: ` cross join lateral (select ${buildHeadSql('$4::text[]')}::text as head offset 0) h`,
} as const;
const entryStatements = buildStatements('find-entries', { manifest: shownManifest });
const listedStatements = buildStatements('find-listed-entries', withFields);
const bareStatements = buildStatements('find-bare-entries', { ...withFields, alikeNames: false });

/**
 * Reads many entries in one round trip, in the order of the keys; undefined for a key without an entry. A key with a
 * publisher also finds an entry that the catalog does not show by default.
 */
export async function readEntries(
  db: Queryable,
  keys: readonly EntryKey[],
): Promise<(CatalogEntry | undefined)[]> {
  return (await readRows(db, entryStatements, keys)).map((row) => row && toEntry(row));
}

/** Reads many entries without manifests, but with the requested optional data: fields as JSON if they are small. */
export async function readListedEntries(
  db: Queryable,
  keys: readonly EntryKey[],
  { fields, alikeNames }: EntryExtras,
): Promise<(EntryWithHead | undefined)[]> {
  const rows = await readRows(db, alikeNames ? listedStatements : bareStatements, keys, fields);
  return rows.map((row) => row && { ...toListed(row), head: row.head });
}

type FoundRow = EntryRow & { nth: number; head: string | null };

async function readRows(
  db: Queryable,
  { many, one }: FindStatements,
  keys: readonly EntryKey[],
  ...more: unknown[]
): Promise<(FoundRow | undefined)[]> {
  const columns = toColumns(keys, 'network', 'serviceType', 'publisher');
  const { rows } = await db.query<FoundRow>(
    keys.length === 1
      ? { ...one, values: [...columns.map(([value]) => value), ...more] }
      : { ...many, values: [...columns, ...more] },
  );
  return orderByKeys(keys, rows, (row) => row);
}

interface IntegratorEntriesKey extends Paging {
  network: string;
  integrator: string;
}

/**
 * The shown entries that name an integrator, the most used first, without manifests. Anyone can name any integrator, so
 * only the entries of the page are joined to what they show.
 */
export const integratorEntryList: KeyedList<IntegratorEntriesKey, EntryRow, ListedEntry> = {
  name: 'entries-of-integrator',
  key: keyColumns(tables.catalogEntries, 'network', 'integrator'),
  from: 'catalog_entries e',
  where: 'e.network = key.network and e.integrator collate "C" = key.integrator and e.shown',
  select: 'e.*',
  rest: entryJoins('at'),
  columns: entryColumns('at', 'null::jsonb'),
  order: [
    ['e.actions', 'bigint'],
    ['e.service_type', 'text'],
    ['e.publisher', 'text'],
  ],
  descending: true,
  toItem: toListed,
};

/**
 * Reads the first of these entries, up to and including the one with which their manifests reach `bytesMax` bytes;
 * undefined for a key without an entry.
 */
export async function readFirstEntries(
  db: Queryable,
  network: string,
  keys: readonly Required<Pick<EntryKey, 'serviceType' | 'publisher'>>[],
  bytesMax: number,
): Promise<(CatalogEntry | undefined)[]> {
  const { rows } = await db.query<EntryRow & { nth: number; found: number }>({
    name: 'read-first-entries',
    text: `
select * from (
  select key.nth::int, ${entryColumns('e', shownManifest)}, (count(*) over ())::int as found,
    sum(size.bytes) over (order by key.nth) - size.bytes as before
  from unnest($2::text[], $3::text[]) with ordinality as key (service_type, publisher, nth)
  join catalog_entries e
    on e.network = $1 and e.service_type = key.service_type and e.publisher = key.publisher
  ${entryJoins('e')}
  cross join lateral (
    select octet_length(m.body::text) + coalesce(octet_length(m.shown::text), 0) as bytes offset 0) size
) sized
where before < $4
order by nth`,
    values: [network, ...toColumns(keys, 'serviceType', 'publisher'), bytesMax],
  });
  const last = rows.at(-1);
  const entries = new Map(rows.map((row) => [row.nth, row]));
  const read = last && rows.length < last.found ? last.nth : keys.length;
  return keys.slice(0, read).map((_, at) => {
    const row = entries.get(at + 1);
    return row && toEntry(row);
  });
}
