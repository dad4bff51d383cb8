import type { Queryable, Statement } from '../queryable.ts';
import { type CatalogEntry, type EntryRow, entryColumns, ratedEntries, toEntry } from './entry.ts';
import { type CatalogQuery, cursorToPosition, positionToCursor } from './query.ts';

export interface CatalogPage {
  /** `catalog_state.version` of the snapshot that the entries were read from. */
  version: number;
  /** How many entries match, over all pages. */
  total: number;
  entries: CatalogEntry[];
  /** Cursor of each entry, in the same order: the page after it. */
  cursors: string[];
  hasMore: boolean;
}

interface PageRow extends EntryRow {
  catalog_version: number;
  total: number;
  major: string;
  minor: string;
  text_key: string;
}

/** Every word of $7 occurs in the given text. Plain search, so nothing in it acts as a pattern. */
const allWordsIn = (text: string) =>
  `not exists (select from unnest($7::text[]) word where strpos(lower(${text}), lower(word)) = 0)`;

/**
 * All sorts in one statement: two numbers and a text, ascending, then the id, so that equal keys page
 * without loss. The catalog state is read in the same snapshot.
 */
const listCatalog: Statement = {
  name: 'list_catalog',
  text: `
with ${ratedEntries('l.network = $1')},
matching as (
  select r.*, manifest->>'name' as name from rated r
  where (shown or $2::boolean)
    and ($3::text is null or manifest->>'category' = $3)
    and ($4::text[] is null or manifest->'supportedCoins' ?| $4)
    and ($5::text is null or publisher = $5)
    and ($6::text is null or manifest->>'integrator' = $6)
    and ($7::text[] is null or ${allWordsIn(
      `concat_ws(' ', manifest->>'name', manifest->>'summary', manifest->>'integrator', service_type)`,
    )})
),
keyed as (
  select m.*,
    case $9::text
      when 'relevance' then case
        when lower(name) = lower($8::text) then 0
        when starts_with(lower(name), lower($8)) then 1
        when ${allWordsIn('name')} then 2
        when ${allWordsIn(`concat_ws(' ', name, manifest->>'integrator')`)} then 3
        when ${allWordsIn(`concat_ws(' ', name, manifest->>'integrator', manifest->>'summary')`)} then 4
        else 5 end
      when 'usage' then -actions
      when 'rating' then -coalesce(review_avg, 0)
      when 'updated' then -extract(epoch from updated_at)
      else 0 end::numeric as major,
    case $9 when 'relevance' then -actions when 'usage' then -unique_vaults when 'rating' then -review_count
      else 0 end::numeric as minor,
    case $9 when 'name' then lower(name) else '' end collate "C" as text_key
  from matching m
),
page as (
  select * from keyed
  where $11::numeric is null or (major, minor, text_key, service_type collate "C", publisher collate "C")
    > ($11, $12::numeric, $13::text, $14::text, $15::text)
  order by major, minor, text_key, service_type collate "C", publisher collate "C"
  limit $10::int
)
select catalog_version, (select count(*) from matching) as total, major, minor, text_key,
  ${entryColumns}
from (select coalesce((select version from catalog_state where network = $1), 0) as catalog_version) state
left join page on true
order by major, minor, text_key, service_type collate "C", publisher collate "C"`,
};

/**
 * Reads one page of the catalog, or all of it, in one round trip.
 * @throws BadCursorError when the cursor is not of this query
 */
export async function readCatalog(db: Queryable, query: CatalogQuery): Promise<CatalogPage> {
  const after = cursorToPosition(query);
  const words = query.q?.split(/\s+/).filter((word) => word !== '') ?? [];
  const needle = words.length > 0 ? words.join(' ') : null;
  const { rows } = await db.query<PageRow>({
    ...listCatalog,
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
      query.limit === undefined ? null : query.limit + 1,
      after?.major ?? null,
      after?.minor ?? null,
      after?.text ?? null,
      after?.serviceType ?? null,
      after?.publisher ?? null,
    ],
  });
  return toPage(query, rows);
}

function toPage(query: CatalogQuery, rows: PageRow[]): CatalogPage {
  const [first] = rows;
  // The catalog state alone comes back as one row without an entry.
  const found = first === undefined || first.service_type === null ? [] : rows;
  const shown = found.slice(0, query.limit);
  return {
    version: first?.catalog_version ?? 0,
    total: first?.total ?? 0,
    entries: shown.map(toEntry),
    cursors: shown.map((row) => positionToCursor(query, positionOf(row))),
    hasMore: found.length > shown.length,
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
