import type { Queryable, Statement } from '../queryable.ts';
import {
  type CatalogEntry,
  type EntryRow,
  eligible,
  entriesOf,
  type ListedEntry,
  toEntry,
  toListed,
} from './entry.ts';

/** Names one entry. Without a publisher: the one that the catalog shows by default for the service type. */
export interface EntryKey {
  network: string;
  serviceType: string;
  publisher?: string | undefined;
}

const findEntries = (name: string, manifest: 'm.body' | 'null::jsonb'): Statement => ({
  name,
  text: `
with asked as (
  select * from unnest($1::text[], $2::text[], $3::text[]) with ordinality
    as asked (network, service_type, publisher, position)
),
${eligible('(l.network, l.service_type) in (select network, service_type from asked)')},
found as (
  select e.*, asked.position::int
  from asked
  join eligible e on e.network = asked.network and e.service_type = asked.service_type
    and (e.publisher = asked.publisher or (asked.publisher is null and e.shown))
)
${entriesOf('found', manifest)}`,
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
  const { rows } = await db.query<EntryRow & { position: number }>({
    ...statement,
    values: [
      keys.map((key) => key.network),
      keys.map((key) => key.serviceType),
      keys.map((key) => key.publisher ?? null),
    ],
  });
  const found = new Map(rows.map((row) => [row.position, row]));
  return keys.map((_, at) => found.get(at + 1));
}
