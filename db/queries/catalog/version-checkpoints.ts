import type { ManifestRef } from '../manifests.ts';
import { type Queryable, toColumns } from '../queryable.ts';

/** The checkpoint of the event that made a listing's version. */
export interface VersionCheckpoint {
  serviceType: string;
  publisher: string;
  chainId: string;
  checkpoint: number;
}

/** SQL: the checkpoints of the versions that rows `row` have now. `from` selects the rows. */
const buildCheckpointsSql = (row: string, from: string) => `
  select ${row}.service_type as "serviceType", ${row}.publisher, s.chain_id as "chainId",
    v.checkpoint::float8 as checkpoint
  from ${from}
  join sources s on s.network = $1 and s.name = 'registry'
  cross join lateral (
    select checkpoint from listing_versions v
    where v.network = $1 and v.service_type = ${row}.service_type and v.publisher = ${row}.publisher
      and v.version = ${row}.version
    order by checkpoint desc, tx_index desc, event_index desc limit 1) v`;

/**
 * Reads the checkpoints of the versions of listings.
 * @param table `listings`: the newest versions. `catalog_entries`: those that the catalog shows
 */
export async function readVersionCheckpoints(
  db: Queryable,
  network: string,
  table: 'listings' | 'catalog_entries',
  keys: readonly { serviceType: string; publisher: string }[],
): Promise<VersionCheckpoint[]> {
  const from = `unnest($2::text[], $3::text[]) as key (service_type, publisher)
    join ${table} l on l.network = $1 and l.service_type = key.service_type and l.publisher = key.publisher`;
  const { rows } = await db.query<VersionCheckpoint>({
    name: `read-version-checkpoints-${table}`,
    text: buildCheckpointsSql('l', from),
    values: [network, ...toColumns(keys, 'serviceType', 'publisher')],
  });
  return rows;
}

/** Reads the checkpoints of the versions that name a manifest, of at most `limit` listings. */
export async function readCheckpointsByManifest(
  db: Queryable,
  network: string,
  { hash, uri }: ManifestRef,
  limit: number,
): Promise<VersionCheckpoint[]> {
  const from = `(select * from listings
      where network = $1 and manifest_hash = $2 and manifest_uri = $3 limit $4) l`;
  const { rows } = await db.query<VersionCheckpoint>({
    name: 'read-naming-checkpoints',
    text: buildCheckpointsSql('l', from),
    values: [network, hash, uri, limit],
  });
  return rows;
}
