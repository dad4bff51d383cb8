import type { Database } from '../../../db/client.ts';

type Row = Record<string, unknown>;

/** The read model, as far as it follows from the chain alone. */
export interface Tables {
  events: Row[];
  listings: Row[];
  versions: Row[];
  attestations: Row[];
  manifests: Row[];
}

const place = 'json_build_array(checkpoint, tx_index, event_index)';
const ms = (column: string) => `(extract(epoch from ${column}) * 1000)::bigint`;

/** In an order of its own, so that two of them compare with `toEqual`. */
export function sortedTables(tables: Tables): Tables {
  const keyed = (row: Row) => JSON.stringify(row, Object.keys(row).sort());
  const sorted = (rows: Row[]) =>
    rows
      .map((row) => ({ row, key: keyed(row) }))
      .sort((a, b) => (a.key < b.key ? -1 : 1))
      .map(({ row }) => row);
  return {
    events: sorted(tables.events),
    listings: sorted(tables.listings),
    versions: sorted(tables.versions),
    attestations: sorted(tables.attestations),
    manifests: sorted(tables.manifests),
  };
}

export async function readTables({ pool }: Database): Promise<Tables> {
  const rows = async (sql: string) => (await pool.query<Row>(sql)).rows;
  return sortedTables({
    events: await rows(`select ${place} as place, tx_digest || ':' || event_index as id, name, sender,
      ${ms('timestamp')} as "timestampMs", encode(contents, 'hex') as bytes, data from events`),
    listings: await rows(`select service_type as "serviceType", publisher, name_error as "nameError",
      package_id as "packageId", manifest_uri as "manifestUri", manifest_hash as "manifestHash", version, listed,
      ${ms('registered_at')} as "registeredMs", ${ms('updated_at')} as "updatedMs",
      json_build_array(registered_checkpoint, registered_tx_index, registered_event_index) as registered
      from listings`),
    versions: await rows(`select ${place} as place, service_type as "serviceType", publisher, version, listed,
      package_id as "packageId", manifest_uri as "manifestUri", manifest_hash as "manifestHash"
      from listing_versions`),
    attestations: await rows(`select ${place} as place, service_type as "serviceType", attester, score,
      comment_uri as "commentUri" from attestations`),
    manifests: await rows('select hash as "manifestHash", uri as "manifestUri" from manifest_fetches'),
  });
}
