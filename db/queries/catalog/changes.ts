import type { Pool } from 'pg';
import { z } from 'zod';
import { inSnapshot } from '../../transaction.ts';
import { cursorText, decodeCursor, encodeCursor } from '../page.ts';
import type { CatalogEntry } from './entry.ts';
import { readFirstEntries } from './first-page.ts';
import { pageEntriesMax, stateOf } from './list.ts';

/** Where one change stands: its revision, then its listing. */
const changePosition = z.tuple([z.int().min(0), cursorText, cursorText]);

/** What became of an entry by its last revision: shown as `entry`, or removed. */
interface CatalogChange {
  revision: number;
  serviceType: string;
  publisher: string;
  /** Undefined: the catalog no longer shows it. */
  entry: CatalogEntry | undefined;
}

interface CatalogChanges {
  /** The network's revision in the snapshot that the changes were read from. */
  version: number;
  /** In the order of revisions, each listing once. */
  changes: CatalogChange[];
  hasMore: boolean;
}

interface ChangesQuery {
  network: string;
  /** Changes after this revision. */
  since: number;
  includeUnverified: boolean;
  /** Of `changeCursor`: goes on within a revision. */
  cursor?: string | undefined;
}

export const changeCursor = ({ revision, serviceType, publisher }: CatalogChange): string =>
  encodeCursor([revision, serviceType, publisher]);

interface ChangeRow {
  catalog_version: number;
  revision: number | null;
  service_type: string;
  publisher: string;
  shown: boolean;
}

/**
 * Reads one page of what changed in the catalog after a revision, up to `bytesMax` bytes of manifests.
 * @throws ProblemError `bad_cursor`
 */
export async function readChanges(
  pool: Pool,
  query: ChangesQuery,
  bytesMax: number,
): Promise<CatalogChanges> {
  const { network, since, includeUnverified, cursor } = query;
  const [revision, ...after] =
    cursor === undefined ? [since + 1, '', ''] : decodeCursor(cursor, changePosition);
  return await inSnapshot(pool, async (client) => {
    const { rows } = await client.query<ChangeRow>({
      name: 'list-catalog-changes',
      text: `
select catalog_version, c.*
from ${stateOf('$1')} state
left join (
  select * from (
    (select ${columns}, (shown or $5) as shown from catalog_entries ${page})
    union all
    (select ${columns}, false from catalog_removals ${page})) both_kinds
  order by revision, service_type collate "C", publisher collate "C" limit ${pageEntriesMax} + 1
) c on true
order by c.revision, c.service_type collate "C", c.publisher collate "C"`,
      values: [network, revision, ...after, includeUnverified],
    });
    const found = rows.filter((row) => row.revision !== null);
    const listed = found.slice(0, pageEntriesMax).map((row) => ({
      revision: row.revision!,
      serviceType: row.service_type,
      publisher: row.publisher,
      shown: row.shown,
    }));
    const shown = listed.filter((change) => change.shown);
    const entries = shown.length === 0 ? [] : await readFirstEntries(client, network, shown, bytesMax);
    const changes: CatalogChange[] = [];
    let read = 0;
    for (const { shown, ...change } of listed) {
      if (shown && read === entries.length) break;
      changes.push({ ...change, entry: shown ? entries[read++] : undefined });
    }
    return { version: rows[0]!.catalog_version, changes, hasMore: changes.length < found.length };
  });
}

const columns = 'revision, service_type, publisher';
const page = `where network = $1 and revision >= $2
  and (revision, service_type collate "C", publisher collate "C") > ($2, $3, $4)
  order by revision, service_type collate "C", publisher collate "C" limit ${pageEntriesMax} + 1`;
