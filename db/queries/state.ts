import { type Item, type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import type { Queryable, Statement } from './queryable.ts';

const sourceColumns = readColumns(
  tables.sources,
  ['network', 'name', 'chainId', 'chainTip', 'eventCount', 'undecodedCount', 'lastError'],
  {
    checkpointAtMs: 'checkpointAt',
    lastErrorAtMs: 'lastErrorAt',
    stoppedAtMs: 'stoppedAt',
    removedAtMs: 'removedAt',
    followedSinceMs: 'followedSince',
  },
);

/** Progress of one source on its chain. */
export interface SourceState extends Item<typeof sourceColumns> {
  hasCursor: boolean;
  /** Url of the node, archive or bucket that the last progress came from. */
  provider: string | null;
  /** Highest checkpoint covered in full; null before the first. */
  checkpoint: number | null;
  /** `true` after the checks have handled everything that its history brought. */
  judged: boolean;
  /** Estimated seconds until it has caught up. Null once it has, while no rate is known, and if it is not running. */
  secondsLeft: number | null;
}

type SourceRow = Row<typeof sourceColumns> &
  Pick<SourceState, 'hasCursor' | 'provider' | 'checkpoint' | 'judged' | 'secondsLeft'>;

export interface IndexState {
  sources: SourceState[];
  /** Catalog version by network; a network without changes is absent. */
  catalogVersions: Map<string, number>;
  /** First revision by network that the last failover of the database skipped; without one, a network is absent. */
  skippedFrom: Map<string, number>;
}

const readState: Statement = {
  name: 'read-index-state',
  text: `
select
  (select coalesce(json_object_agg(network, version), '{}') from catalog_state) as versions,
  (select coalesce(json_object_agg(network, (select max(lower(one)) from unnest(skipped) one))
    filter (where not isempty(skipped)), '{}') from catalog_state) as skipped,
  ${sourceColumns.select('s')}, s.cursor is not null as "hasCursor",
  s.cursor_provider as provider,
  case when s.checkpoint >= 0 then s.checkpoint end as checkpoint, s.unjudged_since is null as judged,
  case when s.stopped_at is null and s.removed_at is null then s.seconds_left end as "secondsLeft"
from (select) always left join sources s on true
order by s.network, s.name`,
};

/** Reads every source and every catalog version in one round trip. */
export async function readIndexState(db: Queryable): Promise<IndexState> {
  const { rows } = await db.query<
    SourceRow & { versions: Record<string, number>; skipped: Record<string, number> }
  >({ ...readState });
  const versions = rows[0]?.versions ?? {};
  return {
    // Without any source, the versions still come back, in a row without a source.
    sources: rows.filter((row) => row.network !== null).map(toSource),
    catalogVersions: new Map(Object.entries(versions)),
    skippedFrom: new Map(Object.entries(rows[0]?.skipped ?? {})),
  };
}

function toSource(row: SourceRow): SourceState {
  const { hasCursor, provider, checkpoint, judged, secondsLeft } = row;
  return { ...sourceColumns.toItem(row), hasCursor, provider, checkpoint, judged, secondsLeft };
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
    [...Map.groupBy(rows, (row) => row.network)].map(([network, networkRows]) => {
      const states = (kind: string) =>
        Object.fromEntries(
          networkRows.filter((row) => row.kind === kind).map((row) => [row.state, row.count]),
        );
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
