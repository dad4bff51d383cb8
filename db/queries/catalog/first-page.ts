import { type Item, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import type { Queryable } from '../queryable.ts';
import { idColumns } from './columns.ts';
import { alikeRevisions } from './entry.ts';
import { pageEntriesMax, totalMax } from './page-statement.ts';
import { positionToCursor } from './query.ts';
import { sorts } from './sorts.ts';

/** Key of an entry of the first page, with all that its JSON depends on: equal keys mean equal entries. */
export interface PageKey {
  serviceType: string;
  publisher: string;
  revision: number;
  /** Keys and revisions of the entries with similar names that are shown beside it; null if there are none. */
  alike: string | null;
}

/** First page of the catalog without any filter, sort or limit. It has the keys of the entries only. */
export interface FirstPage {
  /** The network's revision in the snapshot that the page was read from. */
  version: number;
  /** Age of that revision's transaction, in milliseconds. */
  ageMs: number;
  /** Number of entries that the catalog shows, over all pages; at most `totalMax`. */
  total: number;
  keys: PageKey[];
  hasMore: boolean;
  /** Cursor of the key at an index: the page after it. */
  cursorAt(index: number): string;
}

const rankedColumns = readColumns(tables.catalogEntries, ['serviceType', 'publisher', 'revision'], {
  skeleton: 'nameSkeleton',
});

/** An entry on the page, or one that moves up when others leave. */
interface RankedEntry extends PageKey, Item<typeof rankedColumns> {
  sortKeys: readonly string[];
}

type State = Pick<FirstPage, 'version' | 'ageMs' | 'total'>;

const sortKeys = sorts.rank.keys.map(({ sql }) => sql);
const order = [...sortKeys, ...idColumns].join(', ');
const rankedFields = `network, service_type, publisher, revision, name_skeleton,
    array[${sortKeys.map((sql) => `${sql}::text`).join(', ')}] as sort_keys`;
const selectRanked = (row: string) => `${rankedColumns.select(row)}, ${row}.sort_keys as "sortKeys", n.alike`;

const toRanked = (row: RankedEntry): RankedEntry => ({
  ...rankedColumns.toItem(row),
  alike: row.alike,
  sortKeys: row.sortKeys,
});

/** Number of cached entries beyond the page. As many can leave the page before the whole page is read again. */
const spareMax = 200;
const cachedMax = pageEntriesMax + 1 + spareMax;
/** Maximum number of changes that are applied one by one. After more changes, the whole page is read again. */
const changesMax = 200;

/**
 * Reader of the first page of a network's catalog: `readPage` without filter, sort and limit, in its order. It
 * caches the page, and applies changes at a cost that depends only on their number.
 */
export class FirstPageReader {
  readonly #network: string;
  #version = -1;
  /** The first entries of the catalog, in order. */
  #entries: RankedEntry[] = [];
  /** `true` if there are more entries after the last cached one. */
  #hasMore = false;

  constructor(network: string) {
    this.#network = network;
  }

  /** @param db must see one state of the database. After a failure, the whole page is read at the next call. */
  async read(db: Queryable): Promise<FirstPage> {
    const from = this.#version;
    this.#version = -1;
    const state = (from >= 0 && (await this.#readChanges(db, from))) || (await this.#readAll(db));
    this.#version = state.version;
    const found = this.#entries.slice(0, pageEntriesMax + 1);
    return {
      version: state.version,
      ageMs: state.ageMs,
      total: state.total,
      keys: found.slice(0, pageEntriesMax),
      hasMore: found.length > pageEntriesMax,
      cursorAt: (index) => {
        const { sortKeys: keys, serviceType, publisher } = found[index]!;
        return positionToCursor({ network: this.#network }, { keys, serviceType, publisher });
      },
    };
  }

  async #readAll(db: Queryable): Promise<State> {
    const { rows } = await db.query<State & (RankedEntry | { serviceType: null })>({
      name: 'read-first-page',
      text: `
with page as (
  select ${rankedFields}, row_number() over (order by ${order}) as nth
  from catalog_entries where network = $1 and shown
  order by ${order} limit ${cachedMax} + 1
)
select ${stateColumns}, ${selectRanked('page')}
from ${networkState}
left join page on true
left join lateral ${alikeRevisions('page')} n on true
order by page.nth`,
      values: [this.#network],
    });
    // An empty catalog returns one row, with its state and without an entry.
    const entries = rows.flatMap((row) => (row.serviceType === null ? [] : toRanked(row)));
    this.#hasMore = entries.length > cachedMax;
    this.#entries = entries.slice(0, cachedMax);
    return rows[0]!;
  }

  /** Applies the changes after `since`. Returns undefined if the whole page must be read again. */
  async #readChanges(db: Queryable, since: number): Promise<State | undefined> {
    const { rows } = await db.query<
      State & { isSkipped: boolean } & (RankedEntry | { serviceType: null }) & { shown: boolean }
    >({
      name: 'read-first-page-changes',
      text: `
with changed as (
  (select ${rankedFields}, shown from catalog_entries where network = $1 and revision > $2 limit ${changesMax} + 1)
  union all
  (select network, service_type, publisher, revision, null, null, false
    from catalog_removals where network = $1 and revision > $2 limit ${changesMax} + 1)
)
select ${stateColumns}, coalesce(state.skipped @> $2::bigint, false) as "isSkipped",
  ${selectRanked('changed')}, changed.shown
from ${networkState}
left join changed on true
left join lateral ${alikeRevisions('changed')} n on changed.shown`,
      values: [this.#network, since],
    });
    const [state] = rows;
    if (!state || state.version < since || state.isSkipped || rows.length > changesMax) return undefined;
    const changed = rows.filter((row) => row.serviceType !== null);
    const shown = changed.filter((row) => row.shown).map(toRanked);
    const changedKeys = new Set(changed.map(buildKey));
    const last = this.#entries.at(-1);
    const unchanged = this.#entries.filter((entry) => !changedKeys.has(buildKey(entry)));
    // An entry after the last cached one is not added: the unchanged ones there are unknown, and may come before it.
    const added = shown.filter((entry) => !this.#hasMore || (last && compare(entry, last) <= 0));
    const entries = [...unchanged, ...added].sort(compare);
    if (this.#hasMore && entries.length <= pageEntriesMax) return undefined;
    if (entries.length > cachedMax) this.#hasMore = true;
    this.#entries = entries.slice(0, cachedMax);
    await this.#readAlike(db, changed, shown);
    return state;
  }

  /** Reads the similar names again for the entries that changed, and for those whose names now look like theirs. */
  async #readAlike(db: Queryable, changed: readonly PageKey[], shown: readonly RankedEntry[]): Promise<void> {
    const types = new Set(changed.map(({ serviceType }) => serviceType));
    const read = new Set(shown.map(buildKey));
    const skeletons = new Set(shown.flatMap(({ skeleton }) => skeleton ?? []));
    const outdated = this.#entries.filter(
      (entry) =>
        !read.has(buildKey(entry)) &&
        ((entry.skeleton !== null && skeletons.has(entry.skeleton)) ||
          entry.alike?.split(',').some((other) => types.has(other.split(' ', 1)[0]!))),
    );
    if (outdated.length === 0) return;
    const { rows } = await db.query<Pick<PageKey, 'serviceType' | 'alike'>>({
      name: 'read-first-page-alike',
      text: `select e.service_type as "serviceType", n.alike
        from catalog_entries e left join lateral ${alikeRevisions('e')} n on true
        where e.network = $1 and e.service_type = any ($2::text[]) and e.shown`,
      values: [this.#network, outdated.map(({ serviceType }) => serviceType)],
    });
    const alike = new Map(rows.map((row) => [row.serviceType, row.alike]));
    for (const entry of outdated) {
      this.#entries[this.#entries.indexOf(entry)] = { ...entry, alike: alike.get(entry.serviceType) ?? null };
    }
  }
}

const networkState = `(select 1) one left join catalog_state state on state.network = $1`;
const stateColumns = `coalesce(state.version, 0) as version, least(coalesce(state.shown, 0), ${totalMax}) as total,
  coalesce((extract(epoch from clock_timestamp() - state.changed_at) * 1000)::float8, 0) as "ageMs"`;

const buildKey = ({ serviceType, publisher }: PageKey) => `${serviceType} ${publisher}`;

/** The order of the page. Ids are ASCII, which sorts here as its bytes do. */
function compare(a: RankedEntry, b: RankedEntry): number {
  for (const [at, key] of a.sortKeys.entries()) {
    const difference = Number(key) - Number(b.sortKeys[at]);
    if (difference !== 0) return difference;
  }
  if (a.serviceType !== b.serviceType) return a.serviceType < b.serviceType ? -1 : 1;
  return a.publisher < b.publisher ? -1 : a.publisher > b.publisher ? 1 : 0;
}
