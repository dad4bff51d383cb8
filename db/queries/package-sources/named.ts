import { columnTypes, type Item, type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import type { DueItems } from '../due.ts';
import { keyRows, type Queryable, toColumns } from '../queryable.ts';
import { checkQueue, readInTurns, type Turns } from '../turns.ts';

const fetchColumns = readColumns(tables.namedSources, ['packageId', 'repository', 'commit', 'path']);

/** A due fetch of a commit with the source of a package. */
export interface SourceFetch extends Row<typeof fetchColumns> {
  /** Attempts, this one included. */
  attempts: number;
}

const selectFetch = `${fetchColumns.select('q')}, q.check_attempts + 1 as attempts`;

/** Reads the due fetches. A package with many commits delays no other. */
export async function readDueSourceFetches(
  db: Queryable,
  read: { network: string; limit: number; turns: Turns },
): Promise<DueItems<SourceFetch>> {
  return await readInTurns<SourceFetch>(db, read, {
    name: 'due-source-fetches',
    table: 'named_sources',
    ...checkQueue,
    groups: [{ group: 'package_id', order: 'repository, commit, path' }],
    select: selectFetch,
  });
}

const isFetch = (row: string) => `${row}.network = $1 and ${row}.package_id = $2 and ${row}.repository = $3
      and ${row}.commit = $4 and ${row}.path = $5 and ${row}.next_check_at is not null`;

const toKey = (network: string, { packageId, repository, commit, path }: SourceFetch) => [
  network,
  packageId,
  repository,
  commit,
  path,
];

/** Reads a fetch in its current state; undefined if it is no longer due. */
export async function readDueSourceFetch(
  db: Queryable,
  network: string,
  fetch: SourceFetch,
): Promise<SourceFetch | undefined> {
  const { rows } = await db.query<SourceFetch>({
    name: 'due-source-fetch',
    text: `select ${selectFetch} from named_sources q where ${isFetch('q')} and q.next_check_at <= now()`,
    values: toKey(network, fetch),
  });
  return rows[0];
}

/** Result of a fetch: the hash of the offer that was made of it, or the reason of its failure and the time until the next. */
export type SourceFetchOutcome =
  | { offer: string; reason: null; nextAfterSeconds: null }
  | { offer: null; reason: string; nextAfterSeconds: number | null };

/** Stores the result of a fetch. Without a next one it ends. */
export async function recordSourceFetch(
  db: Queryable,
  network: string,
  fetch: SourceFetch,
  { offer, reason, nextAfterSeconds }: SourceFetchOutcome,
): Promise<void> {
  await db.query({
    name: 'record-source-fetch',
    text: `update named_sources n set offer = $6, last_error = $7, check_attempts = $8, checked_at = clock_timestamp(),
        next_check_at = now() + make_interval(secs => $9::float8), check_ready = false
      where ${isFetch('n')}`,
    values: [...toKey(network, fetch), offer, reason, fetch.attempts, nextAfterSeconds],
  });
}

const namedColumns = readColumns(tables.namedSources, ['repository', 'commit', 'offer'], {
  folder: 'path',
  reason: 'lastError',
  checkedAtMs: 'checkedAt',
  nextAttemptAtMs: 'nextCheckAt',
});

export const namedStates = ['waiting', 'read', 'failed'] as const;

/** A commit that a manifest names, and what became of it. */
export interface NamedSource extends Omit<Item<typeof namedColumns>, 'folder'> {
  /** Null for the top folder. */
  path: string | null;
  state: (typeof namedStates)[number];
}

const keys = keyRows(columnTypes(tables.namedSources, 'network', 'packageId'));

/** Reads the newest source that a manifest of a verified publisher names for each package, in the order of the keys. */
export async function readNamedSources(
  db: Queryable,
  packages: readonly { network: string; packageId: string }[],
): Promise<(NamedSource | undefined)[]> {
  const { rows } = await db.query<Row<typeof namedColumns> | { repository: null }>({
    name: 'named-sources',
    text: `select newest.* from ${keys} left join lateral (
        select ${namedColumns.select('n')} from named_sources n
        where n.network = key.network and n.package_id = key.package_id order by n.named_at desc limit 1) newest on true
      order by key.nth`,
    values: toColumns(packages, 'network', 'packageId'),
  });
  return rows.map((row) => (row.repository === null ? undefined : toNamed(row)));
}

function toNamed(row: Row<typeof namedColumns>): NamedSource {
  const { folder, ...named } = namedColumns.toItem(row);
  const unread = named.nextAttemptAtMs === null ? 'failed' : 'waiting';
  return { ...named, path: folder === '' ? null : folder, state: named.offer === null ? unread : 'read' };
}
