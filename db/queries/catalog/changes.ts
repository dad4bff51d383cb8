import { z } from 'zod';
import { type Item, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { cursorText, decodeCursor, encodeCursor } from '../page.ts';
import type { Queryable } from '../queryable.ts';
import { buildStateSql, pageEntriesMax } from './page-statement.ts';

/** Position of a change: its revision, then the service type and the publisher of its listing. */
const changePosition = z.tuple([z.int().min(0), cursorText, cursorText]);

const changeColumns = readColumns(tables.catalogEntries, ['revision', 'serviceType', 'publisher', 'shown']);

/** State of an entry after its last revision. `shown` is false if the catalog no longer shows it. */
export interface CatalogChange extends Item<typeof changeColumns> {}

interface CatalogChanges {
  /** The network's revision. */
  version: number;
  /** `false` if the query names a revision that does not exist: it is too high, or a failover of the database lost it. */
  isKnown: boolean;
  /** In the order of revisions, each listing once. */
  changes: CatalogChange[];
  hasMore: boolean;
}

export interface ChangesQuery {
  network: string;
  /** Changes after this revision. */
  since: number;
  includeUnverified: boolean;
  /** Text of `formatChangePosition`. It continues within a revision. */
  cursor?: string | undefined;
}

/**
 * Reads one page of the keys of entries that changed after a revision, without the entries themselves.
 * @throws ProblemError `bad_cursor`
 */
export async function readChanges(db: Queryable, query: ChangesQuery): Promise<CatalogChanges> {
  const { network, since, includeUnverified, cursor } = query;
  const [revision, ...after] =
    cursor === undefined ? [since + 1, '', ''] : decodeCursor(cursor, changePosition);
  const { rows } = await db.query<
    { catalogVersion: number; isSkipped: boolean } & (CatalogChange | { revision: null })
  >({
    name: 'list-catalog-changes',
    text: `
select catalog_version as "catalogVersion",
  exists (select from catalog_state where network = $1 and skipped @> $6::bigint) as "isSkipped",
  ${changeColumns.select('c')}
from ${buildStateSql('$1')} state
left join (
  select * from (
    (select ${columns}, (shown or $5) as shown from catalog_entries ${page})
    union all
    (select ${columns}, false from catalog_removals ${page})) both_kinds
  order by revision, service_type collate "C", publisher collate "C" limit ${pageEntriesMax} + 1
) c on true
order by c.revision, c.service_type collate "C", c.publisher collate "C"`,
    values: [network, revision, ...after, includeUnverified, since],
  });
  const found = rows.filter((row) => row.revision !== null);
  const changes = found.slice(0, pageEntriesMax).map(changeColumns.toItem);
  const { catalogVersion: version, isSkipped } = rows[0]!;
  return {
    version,
    isKnown: since <= version && !isSkipped,
    changes,
    hasMore: changes.length < found.length,
  };
}

type ChangePosition = z.infer<typeof changePosition>;

/** @throws ProblemError `bad_cursor` */
export const parseChangePosition = (cursor: string): ChangePosition => decodeCursor(cursor, changePosition);
export const formatChangePosition = (position: ChangePosition): string => encodeCursor(position);

/** A listing that changed, without its entry. */
export interface ChangedListing {
  position: ChangePosition;
  /**
   * State in the catalog: shown by default, shown only on request, or removed. Of those on request, `left` may have been shown
   * before: their publisher was verified once.
   */
  state: 'shown' | 'left' | 'hidden' | 'removed';
}

/** Reads the listings of the catalog that changed after a position, in order, each at its last revision. */
export async function readChangedListings(
  db: Queryable,
  network: string,
  after: ChangePosition,
  limit: number,
): Promise<ChangedListing[]> {
  const part = pageUpTo('$5');
  const { rows } = await db.query<Omit<CatalogChange, 'shown'> & Pick<ChangedListing, 'state'>>({
    name: 'list-changed-listings',
    text: `
(select revision, service_type collate "C" as "serviceType", publisher collate "C" as publisher,
  case when shown then 'shown' when ever_verified then 'left' else 'hidden' end as state from catalog_entries ${part})
union all
(select revision, service_type collate "C", publisher collate "C", 'removed' from catalog_removals ${part})
order by revision, "serviceType", publisher`,
    values: [network, ...after, limit],
  });
  return rows
    .slice(0, limit)
    .map((row) => ({ position: [row.revision, row.serviceType, row.publisher], state: row.state }));
}

/** Reads the position after all changes up to now. */
export async function readLatestPosition(db: Queryable, network: string): Promise<ChangePosition> {
  const { rows } = await db.query<{ version: number }>({
    name: 'last-catalog-change',
    text: 'select version from catalog_state where network = $1',
    values: [network],
  });
  // A tilde sorts after every service type, since none begins with it.
  return [rows[0]?.version ?? 0, '~', ''];
}

const columns = 'revision, service_type, publisher';
const pageUpTo = (limit: string) => `where network = $1 and revision >= $2
  and (revision, service_type collate "C", publisher collate "C") > ($2, $3, $4)
  order by revision, service_type collate "C", publisher collate "C" limit ${limit}`;
const page = pageUpTo(`${pageEntriesMax} + 1`);
