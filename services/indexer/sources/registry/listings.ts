import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import type { NamedManifest } from '../../manifests/announce.ts';

/** A listing that has new versions. */
export interface TouchedListing {
  serviceType: string;
  publisher: string;
  /** What it named until now; null where it is new to `listings`. */
  former: NamedManifest | null;
}

/** The listings with versions at or after checkpoint `from`. */
export async function touchedListings(
  client: ClientBase,
  network: Network,
  from: number,
): Promise<TouchedListing[]> {
  // Not a named statement: a plan made once for any `from` would read the whole history at each new event.
  const { rows } = await client.query<TouchedListing>(
    `select v.service_type as "serviceType", v.publisher, 
        case when l.manifest_hash is not null
          then json_build_object('hash', l.manifest_hash, 'uri', l.manifest_uri) end as former
      from (select distinct service_type, publisher from listing_versions
        where network = $1 and checkpoint >= $2) v
      left join listings l
        on l.network = $1 and l.service_type = v.service_type and l.publisher = v.publisher`,
    [network, from],
  );
  return rows;
}

/** Whether there are attestations at or after checkpoint `from`. */
export async function hasAttestations(client: ClientBase, network: Network, from: number): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>({
    name: 'has-attestations',
    text: 'select exists (select from attestations where network = $1 and checkpoint >= $2) as found',
    values: [network, from],
  });
  return rows[0]!.found;
}

const placed = (where: string, order: 'asc' | 'desc') => `cross join lateral (
    select * from listing_versions v
    where v.network = $1 and v.service_type = k.service_type and v.publisher = k.publisher ${where}
    order by v.checkpoint ${order}, v.tx_index ${order}, v.event_index ${order} limit 1)`;

/**
 * Brings these listings to what their versions add up to; those with content at or after checkpoint `from` are
 * due to be checked. What was only ever unlisted is no listing.
 * @returns the manifests they name now
 */
export async function refreshListings(
  client: ClientBase,
  network: Network,
  touched: TouchedListing[],
  from: number,
): Promise<NamedManifest[]> {
  const { rows } = await client.query<NamedManifest>({
    name: 'refresh-listings',
    // A listing that moved to another package is no longer what was checked. Who holds the UpgradeCap may
    // have changed too, but until that is known again the former answer stands.
    text: `insert into listings (network, service_type, publisher, raw_service_type, name_error, package_id,
        manifest_uri, manifest_hash, version, listed, registered_at, registered_checkpoint,
        registered_tx_index, registered_event_index, updated_at, next_check_at)
      select $1, k.service_type, k.publisher, coalesce(content.raw_service_type, k.service_type),
        content.name_error, content.package_id, content.manifest_uri, content.manifest_hash, content.version,
        last.listed, first.timestamp, first.checkpoint, first.tx_index, first.event_index, last.timestamp,
        case when content.checkpoint >= $4 and content.name_error is null then now() end
      from unnest($2::text[], $3::text[]) as k (service_type, publisher)
      ${placed('', 'desc')} last
      ${placed('and v.listed', 'desc')} content
      ${placed('and v.listed', 'asc')} first
      on conflict (network, service_type, publisher) do update set
        raw_service_type = excluded.raw_service_type, package_id = excluded.package_id,
        manifest_uri = excluded.manifest_uri, manifest_hash = excluded.manifest_hash,
        version = excluded.version, listed = excluded.listed, updated_at = excluded.updated_at,
        manifest_error = null, name = null, name_skeleton = null,
        check_attempts = case when excluded.next_check_at is null then listings.check_attempts else 0 end,
        next_check_at = coalesce(excluded.next_check_at, listings.next_check_at),
        publisher_check = case when listings.package_id = excluded.package_id
          then listings.publisher_check else 'pending' end,
        witness_check = case when listings.package_id = excluded.package_id
          then listings.witness_check else 'pending' end,
        witness_warnings = case when listings.package_id = excluded.package_id
          then listings.witness_warnings else '[]' end,
        op_misfits = case when listings.package_id = excluded.package_id
          then listings.op_misfits else '[]' end
      returning manifest_hash as hash, manifest_uri as uri`,
    values: [
      network,
      touched.map(({ serviceType }) => serviceType),
      touched.map(({ publisher }) => publisher),
      from,
    ],
  });
  return rows;
}
