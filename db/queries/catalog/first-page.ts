import type { Queryable } from '../queryable.ts';
import {
  alikeRevisions,
  type CatalogEntry,
  type EntryRow,
  entryColumns,
  entryJoins,
  toEntry,
} from './entry.ts';
import { countOf, id, pageEntriesMax, sorts, stateOf } from './list.ts';
import { positionToCursor } from './query.ts';

/** An entry of the first page, and all that its JSON depends on: equal keys mean equal entries. */
export interface PageKey {
  serviceType: string;
  publisher: string;
  revision: number;
  /** Which entries are shown beside it for their names, and their revisions; null without any. */
  alike: string | null;
}

/** What the catalog shows first where nothing is asked for, without the entries themselves. */
export interface FirstPage {
  /** The network's revision in the snapshot that the page was read from. */
  version: number;
  /** How many entries the catalog shows, over all pages; `totalMax` where more. */
  total: number;
  keys: PageKey[];
  hasMore: boolean;
  /** Cursor of the key at an index: the page after it. */
  cursorAt(index: number): string;
}

interface KeyRow {
  catalog_version: number;
  total: number;
  service_type: string | null;
  publisher: string;
  revision: number;
  sort_keys: string[];
  alike: string | null;
}

const sortKeys = sorts.usage.keys.map(({ sql }) => sql);
const order = [...sortKeys, ...id].join(', ');

/** Reads the keys of `readCatalog` without filter, sort and limit, in its order: no manifest, and little of each entry. */
export async function readFirstPage(db: Queryable, network: string): Promise<FirstPage> {
  const { rows } = await db.query<KeyRow>({
    name: 'read-first-page',
    text: `
with page as (
  select network, service_type, publisher, revision, name_skeleton,
    array[${sortKeys.map((sql) => `${sql}::text`).join(', ')}] as sort_keys,
    row_number() over (order by ${order}) as nth
  from catalog_entries where network = $1 and shown
  order by ${order} limit ${pageEntriesMax} + 1
)
select catalog_version, ${countOf('network = $1 and shown')} as total,
  page.service_type, page.publisher, page.revision, page.sort_keys, n.alike
from ${stateOf('$1')} state
left join page on true
left join lateral ${alikeRevisions('page')} n on true
order by page.nth`,
    values: [network],
  });
  // The catalog's state alone comes back as one row without an entry.
  const found = rows.filter((row) => row.service_type !== null);
  return {
    version: rows[0]!.catalog_version,
    total: rows[0]!.total,
    keys: found.slice(0, pageEntriesMax).map((row) => ({
      serviceType: row.service_type!,
      publisher: row.publisher,
      revision: row.revision,
      alike: row.alike,
    })),
    hasMore: found.length > pageEntriesMax,
    cursorAt(index) {
      const { sort_keys: keys, service_type: serviceType, publisher } = found[index]!;
      return positionToCursor({ network }, { keys, serviceType: serviceType!, publisher });
    },
  };
}

/**
 * Reads the first of these entries: as many as have `bytesMax` bytes of manifests together, at least one. Undefined where
 * the catalog has none.
 */
export async function readFirstEntries(
  db: Queryable,
  network: string,
  keys: readonly Pick<PageKey, 'serviceType' | 'publisher'>[],
  bytesMax: number,
): Promise<(CatalogEntry | undefined)[]> {
  const { rows } = await db.query<EntryRow & { nth: number; found: number }>({
    name: 'read-first-entries',
    text: `
select * from (
  select key.nth::int, ${entryColumns('e', 'm.body')}, (count(*) over ())::int as found,
    sum(octet_length(m.body::text)) over (order by key.nth) - octet_length(m.body::text) as before
  from unnest($2::text[], $3::text[]) with ordinality as key (service_type, publisher, nth)
  join catalog_entries e
    on e.network = $1 and e.service_type = key.service_type and e.publisher = key.publisher
  ${entryJoins('e')}
) sized
where before < $4
order by nth`,
    values: [network, keys.map((key) => key.serviceType), keys.map((key) => key.publisher), bytesMax],
  });
  const last = rows.at(-1);
  const entries = new Map(rows.map((row) => [row.nth, row]));
  const read = last && rows.length < last.found ? last.nth : keys.length;
  return keys.slice(0, read).map((_, at) => {
    const row = entries.get(at + 1);
    return row && toEntry(row);
  });
}
