import type { Queryable, Statement } from '../queryable.ts';
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

/** Names one entry. Without a publisher: the one that the catalog shows by default for the service type. */
export interface EntryKey {
  network: string;
  serviceType: string;
  publisher?: string | undefined;
}

const findEntries = (name: string, manifest: ManifestColumn): Statement => ({
  name,
  text: `
select key.nth::int, ${entryColumns('e', manifest)}
from unnest($1::text[], $2::text[], $3::text[]) with ordinality as key (network, service_type, publisher, nth)
join catalog_entries e on e.network = key.network and e.service_type = key.service_type
  and (e.publisher = key.publisher or (key.publisher is null and e.shown))
${entryJoins('e')}`,
});

const withManifests = findEntries('find-entries', 'm.body');
const withoutManifests = findEntries('find-listed-entries', 'null::jsonb');

/**
 * Reads many entries in one round trip, in the order of the keys; undefined where the catalog has none.
 * With a publisher the entry is answered also where the catalog does not show it by default.
 */
export async function readEntries(
  db: Queryable,
  keys: readonly EntryKey[],
): Promise<(CatalogEntry | undefined)[]> {
  return (await readRows(db, withManifests, keys)).map((row) => row && toEntry(row));
}

/** The same without manifests. */
export async function readListedEntries(
  db: Queryable,
  keys: readonly EntryKey[],
): Promise<(ListedEntry | undefined)[]> {
  return (await readRows(db, withoutManifests, keys)).map((row) => row && toListed(row));
}

async function readRows(
  db: Queryable,
  statement: Statement,
  keys: readonly EntryKey[],
): Promise<(EntryRow | undefined)[]> {
  const { rows } = await db.query<EntryRow & { nth: number }>({
    ...statement,
    values: [
      keys.map((key) => key.network),
      keys.map((key) => key.serviceType),
      keys.map((key) => key.publisher ?? null),
    ],
  });
  const found = new Map(rows.map((row) => [row.nth, row]));
  return keys.map((_, at) => found.get(at + 1));
}
