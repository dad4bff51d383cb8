import { type Item, type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import type { DueItems } from '../due.ts';
import type { Queryable } from '../queryable.ts';
import { readInTurns, type Turns } from '../turns.ts';

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
    due: 'next_check_at',
    ready: 'check_ready',
    priorities: ['least(check_attempts, 1) = 0', 'least(check_attempts, 1) = 1'],
    groups: [{ group: 'package_id', order: 'repository, commit, path' }],
    select: selectFetch,
  });
}

const isFetch = (row: string) => `${row}.network = $1 and ${row}.package_id = $2 and ${row}.repository = $3
      and ${row}.commit = $4 and ${row}.path = $5 and ${row}.next_check_at is not null`;

const toKey = (network: string, { packageId, repository, commit, path }: SourceFetch) => [
  ...[network, packageId, repository, commit, path],
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

const namedColumns = readColumns(
  tables.namedSources,
  ['repository', 'commit', 'path', 'offer', 'lastError', 'nextCheckAt'],
  { checkedAtMs: 'checkedAt' },
);

/** A commit that a manifest names, and what became of it. */
export type NamedSource = Item<typeof namedColumns>;

/** Reads the newest source that a manifest of a verified publisher names for a package. */
export async function readNamedSource(
  db: Queryable,
  { network, packageId }: { network: string; packageId: string },
): Promise<NamedSource | undefined> {
  const { rows } = await db.query<Row<typeof namedColumns>>({
    name: 'named-source',
    text: `select ${namedColumns.select('n')} from named_sources n
      where n.network = $1 and n.package_id = $2 order by n.named_at desc limit 1`,
    values: [network, packageId],
  });
  return rows[0] && namedColumns.toItem(rows[0]);
}
