import type { Queryable, Statement } from './queryable.ts';

/** Progress of one source on its chain. */
export interface SourceState {
  network: string;
  name: string;
  chainId: string;
  hasCursor: boolean;
  /** Highest checkpoint covered in full; null before the first. */
  checkpoint: number | null;
  checkpointAtMs: number | null;
  chainTip: number | null;
  eventCount: number;
  undecodedCount: number;
  lastError: string | null;
  lastErrorAtMs: number | null;
  /** Time at which the source stopped for good. Null while it runs or is being retried. */
  stoppedAtMs: number | null;
  /** Time at which the indexer was first started without the source. Null while it is followed. */
  removedAtMs: number | null;
  /** `true` after the checks have handled everything that its history brought. */
  judged: boolean;
}

export interface IndexState {
  sources: SourceState[];
  /** Catalog version by network; a network without changes is absent. */
  catalogVersions: Map<string, number>;
}

interface SourceRow {
  network: string;
  name: string;
  chain_id: string;
  has_cursor: boolean;
  checkpoint: number;
  checkpoint_at: Date | null;
  chain_tip: number | null;
  event_count: number;
  undecoded_count: number;
  last_error: string | null;
  last_error_at: Date | null;
  stopped_at: Date | null;
  removed_at: Date | null;
  judged: boolean;
}

const readState: Statement = {
  name: 'read-index-state',
  text: `
select
  (select coalesce(json_object_agg(network, version), '{}') from catalog_state) as versions,
  s.network, s.name, s.chain_id, s.cursor is not null as has_cursor, s.checkpoint, s.checkpoint_at,
  s.chain_tip, s.event_count, s.undecoded_count, s.last_error, s.last_error_at,
  s.stopped_at, s.removed_at, s.unjudged_since is null as judged
from (select) always left join sources s on true
order by s.network, s.name`,
};

/** Reads every source and every catalog version in one round trip. */
export async function readIndexState(db: Queryable): Promise<IndexState> {
  const { rows } = await db.query<SourceRow & { versions: Record<string, number> }>({ ...readState });
  const versions = rows[0]?.versions ?? {};
  return {
    // Without any source, the versions still come back, in a row without a source.
    sources: rows.filter((row) => row.network !== null).map(toSource),
    catalogVersions: new Map(Object.entries(versions)),
  };
}

function toSource(row: SourceRow): SourceState {
  return {
    network: row.network,
    name: row.name,
    chainId: row.chain_id,
    hasCursor: row.has_cursor,
    checkpoint: row.checkpoint < 0 ? null : row.checkpoint,
    checkpointAtMs: row.checkpoint_at?.getTime() ?? null,
    chainTip: row.chain_tip,
    eventCount: row.event_count,
    undecodedCount: row.undecoded_count,
    lastError: row.last_error,
    lastErrorAtMs: row.last_error_at?.getTime() ?? null,
    stoppedAtMs: row.stopped_at?.getTime() ?? null,
    removedAtMs: row.removed_at?.getTime() ?? null,
    judged: row.judged,
  };
}

/** Listings by state and network. Operators use it to find why an adaptor is missing. */
export interface ListingCounts {
  listed: number;
  unlisted: number;
  badNames: number;
  manifestErrors: number;
  publisherChecks: Record<string, number>;
  witnessChecks: Record<string, number>;
  manifests: Record<string, number>;
}

const countListings: Statement = {
  name: 'count-listings',
  text: `
select network, 'listed' as kind, listed::text as state, count(*) from listings group by 1, 3
union all select network, 'badNames', '', count(*) from listings where name_error is not null group by 1
union all select network, 'manifestErrors', '', count(*) from listings where manifest_error is not null group by 1
union all select network, 'publisherChecks', publisher_check, count(*) from listings group by 1, 3
union all select network, 'witnessChecks', witness_check, count(*) from listings group by 1, 3
union all select network, 'manifests', status, count(*) from manifest_fetches group by 1, 3`,
};

/** Counts every network's listings and manifests in one round trip. */
export async function readListingCounts(db: Queryable): Promise<Map<string, ListingCounts>> {
  const { rows } = await db.query<{ network: string; kind: string; state: string; count: number }>({
    ...countListings,
  });
  return new Map(
    [...Map.groupBy(rows, (row) => row.network)].map(([network, own]) => {
      const states = (kind: string) =>
        Object.fromEntries(own.filter((row) => row.kind === kind).map((row) => [row.state, row.count]));
      return [
        network,
        {
          listed: states('listed').true ?? 0,
          unlisted: states('listed').false ?? 0,
          badNames: states('badNames')[''] ?? 0,
          manifestErrors: states('manifestErrors')[''] ?? 0,
          publisherChecks: states('publisherChecks'),
          witnessChecks: states('witnessChecks'),
          manifests: states('manifests'),
        },
      ];
    }),
  );
}
