import type { Queryable, Statement } from '../queryable.ts';
import {
  type CatalogEntry,
  type EntryRow,
  eligible,
  entriesOf,
  type ListedEntry,
  reviews,
  toEntry,
  toListed,
} from './entry.ts';
import { type CatalogQuery, cursorToPosition, positionToCursor } from './query.ts';

export interface CatalogPage<Entry = CatalogEntry> {
  /** `catalog_state.version` of the snapshot that the entries were read from. */
  version: number;
  /** How many entries match, over all pages. */
  total: number;
  entries: Entry[];
  /** Cursor of each entry, in the same order: the page after it. */
  cursors: string[];
  hasMore: boolean;
}

interface PageRow extends EntryRow {
  catalog_version: number;
  total: number;
  remaining: number;
  major: string;
  minor: string;
  text_key: string;
}

/** Every word of $7 occurs in the given text. Plain search, so nothing in it acts as a pattern. */
const allWordsIn = (text: string) =>
  `not exists (select from unnest($7::text[]) word where strpos(lower(${text}), lower(word)) = 0)`;

/** Ties end at the id; bytes compare alike on every server. */
const order = `major, minor, text_key, service_type collate "C", publisher collate "C"`;

/**
 * All sorts in one statement: two numbers and a text, ascending, then the id, so that equal keys page
 * without loss. Only keys are sorted; what entries show is read for the page alone, reviews of the others only
 * where they decide the order. The catalog state is read in the same snapshot.
 */
const listCatalog = (name: string, manifest: 'm.body' | 'null::jsonb'): Statement => ({
  name,
  text: `
with ${eligible('l.network = $1')},
matching as (
  select e.*, m.body as manifest, m.body->>'name' as name
  from eligible e
  join manifests m on m.hash = e.manifest_hash
  where (e.shown or $2::boolean)
    and ($3::text is null or m.body->>'category' = $3)
    and ($4::text[] is null or m.body->'supportedCoins' ?| $4)
    and ($5::text is null or e.publisher = $5)
    and ($6::text is null or m.body->>'integrator' = $6)
    and ($17::text is null or e.name_skeleton = $17)
    and ($7::text[] is null or ${allWordsIn(
      `concat_ws(' ', m.body->>'name', m.body->>'summary', m.body->>'integrator', e.service_type)`,
    )})
),
keyed as (
  select e.network, e.service_type, e.publisher, e.manifest_hash, e.updated_at,
    case $9::text
      when 'relevance' then case
        when lower(name) = lower($8::text) then 0
        when starts_with(lower(name), lower($8)) then 1
        when ${allWordsIn('name')} then 2
        when ${allWordsIn(`concat_ws(' ', name, manifest->>'integrator')`)} then 3
        when ${allWordsIn(`concat_ws(' ', name, manifest->>'integrator', manifest->>'summary')`)} then 4
        else 5 end
      when 'usage' then -coalesce(u.actions, 0)
      when 'rating' then -coalesce(r.review_avg, 0)
      when 'updated' then -extract(epoch from e.updated_at)
      else 0 end::numeric as major,
    case $9
      when 'relevance' then -coalesce(u.actions, 0)
      when 'usage' then -coalesce(u.unique_vaults, 0)
      when 'rating' then -r.review_count
      else 0 end::numeric as minor,
    case $9 when 'name' then lower(name) else '' end collate "C" as text_key
  from matching e
  left join service_usage u on u.network = e.network and u.service_type = e.service_type
  cross join lateral ${reviews('e', `$9 = 'rating'`)} r
),
following as (
  select * from keyed
  where $11::numeric is null or (${order}) > ($11, $12::numeric, $13::text, $14::text, $15::text)
),
page as (select * from following order by ${order} limit $10::int),
shown as (
  select entries.*, sum(bytes) over (order by ${order}) - bytes as before
  from (${entriesOf('page', manifest)}) entries
  cross join lateral (select coalesce(octet_length(manifest::text), 0) as bytes) size
)
select catalog_version, (select count(*) from keyed) as total, (select count(*) from following) as remaining,
  shown.*
from (select coalesce((select version from catalog_state where network = $1), 0) as catalog_version) state
left join shown on before < $16
order by ${order}`,
});

const withManifests = listCatalog('list-catalog', 'm.body');
const withoutManifests = listCatalog('list-listed-entries', 'null::jsonb');

/**
 * Where a page ends whatever its limit, in entries and in bytes of manifests: one may have 256 KiB, and a stranger
 * may register thousands. Each page has at least one entry.
 */
const pageEntriesMax = 1_000;
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
  return toPage(query, await readRows(db, withManifests, query, bytesMax), toEntry);
}

/**
 * The same without manifests, so that no page ends at their bytes.
 * @throws ProblemError `bad_cursor` when the cursor is not of this query
 */
export async function readListed(db: Queryable, query: CatalogQuery): Promise<CatalogPage<ListedEntry>> {
  return toPage(query, await readRows(db, withoutManifests, query, pageBytesMax), toListed);
}

async function readRows(
  db: Queryable,
  statement: Statement,
  query: CatalogQuery,
  bytesMax: number,
): Promise<PageRow[]> {
  const after = cursorToPosition(query);
  const words = query.q?.split(/\s+/).filter((word) => word !== '') ?? [];
  const needle = words.length > 0 ? words.join(' ') : null;
  const { rows } = await db.query<PageRow>({
    ...statement,
    values: [
      query.network,
      query.includeUnverified ?? false,
      query.category ?? null,
      query.coin ? [...query.coin, '*'] : null,
      query.publisher ?? null,
      query.integrator ?? null,
      needle === null ? null : words,
      needle,
      query.sort ?? (needle === null ? 'usage' : 'relevance'),
      Math.min(query.limit ?? pageEntriesMax, pageEntriesMax),
      after?.major ?? null,
      after?.minor ?? null,
      after?.text ?? null,
      after?.serviceType ?? null,
      after?.publisher ?? null,
      bytesMax,
      query.alike ?? null,
    ],
  });
  return rows;
}

function toPage<Entry>(
  query: CatalogQuery,
  rows: PageRow[],
  toItem: (row: PageRow) => Entry,
): CatalogPage<Entry> {
  const [first] = rows;
  // The catalog state alone comes back as one row without an entry.
  const found = first === undefined || first.service_type === null ? [] : rows;
  return {
    version: first?.catalog_version ?? 0,
    total: first?.total ?? 0,
    entries: found.map(toItem),
    cursors: found.map((row) => positionToCursor(query, positionOf(row))),
    hasMore: found.length < (first?.remaining ?? 0),
  };
}

function positionOf(row: PageRow) {
  return {
    major: row.major,
    minor: row.minor,
    text: row.text_key,
    serviceType: row.service_type,
    publisher: row.publisher,
  };
}
