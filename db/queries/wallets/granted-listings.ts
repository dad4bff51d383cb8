import { columnTypes, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { nearestFirst } from '../catalog/listing.ts';
import { holdsListing } from '../catalog/maintain.ts';
import { keyRows, orderByKeys, type Queryable, toColumns } from '../queryable.ts';

/** `replaced`: a later version is listed than the one at the time of the grant. */
export const grantedStates = ['listed', 'replaced', 'unlisted', 'quarantined'] as const;

/** State of the listing of a service that a wallet granted to. */
export interface GrantedListing {
  state: (typeof grantedStates)[number];
  /** The change in words, and what the owner can do; null if it is listed as it was. */
  reason: string | null;
  /** Time of the change in milliseconds since the epoch; null if it is listed as it was. */
  sinceMs: number | null;
}

interface GrantedService {
  network: string;
  serviceType: string;
  grantedMs: number;
}

const listingColumns = readColumns(tables.listings, ['listed', 'version', 'packageId', 'updatedAt']);

interface GrantedRow {
  nth: number;
  listed: boolean;
  version: number;
  packageId: string;
  updatedAt: Date;
  /** Version and package that were listed at the time of the grant; null if none was. */
  grantedVersion: number | null;
  grantedPackage: string | null;
  quarantineReason: string | null;
  quarantinedAt: Date;
}

/**
 * Reads the state of the listings of granted services, in the order of the keys. If several publishers list a service,
 * it is that of the listing that the catalog shows, else of the nearest to it. Undefined if none ever did.
 */
export async function readGrantedListings(
  db: Queryable,
  keys: readonly GrantedService[],
): Promise<(GrantedListing | undefined)[]> {
  const { rows } = await db.query<GrantedRow>({
    name: 'read-granted-listings',
    text: `
select key.nth::int, ${listingColumns.select('l')}, granted.version as "grantedVersion",
  granted.package_id as "grantedPackage", q.reason as "quarantineReason", q.since as "quarantinedAt"
from ${keyRows({ ...columnTypes(tables.listings, 'network', 'serviceType'), granted_at: 'timestamptz' })}
cross join lateral (
  select l.* from listings l
  left join catalog_entries e
    on e.network = l.network and e.service_type = l.service_type and e.publisher = l.publisher
  where l.network = key.network and l.service_type = key.service_type
  order by ${nearestFirst} limit 1
) l
left join lateral (
  select v.version, v.package_id from listing_versions v
  where v.network = l.network and v.service_type = l.service_type and v.publisher = l.publisher
    and v.timestamp <= key.granted_at and v.listed
  order by v.checkpoint desc, v.tx_index desc, v.event_index desc limit 1
) granted on true
left join lateral (
  select q.reason, q.since from quarantines q where ${holdsListing('q', 'l')} order by q.since limit 1
) q on true`,
    values: [...toColumns(keys, 'network', 'serviceType'), keys.map(({ grantedMs }) => new Date(grantedMs))],
  });
  return orderByKeys(keys, rows, toGrantedListing);
}

function toGrantedListing(row: GrantedRow): GrantedListing {
  const { listed, version, packageId, grantedVersion, grantedPackage, quarantineReason: quarantine } = row;
  if (quarantine !== null) {
    return {
      state: 'quarantined',
      reason: `The operator of this marketplace holds the adaptor in quarantine: ${quarantine}. Revoke the grant.`,
      sinceMs: row.quarantinedAt.getTime(),
    };
  }
  const sinceMs = row.updatedAt.getTime();
  if (!listed) {
    const reason = 'The publisher has unlisted the adaptor. Revoke the grant if you no longer use it.';
    return { state: 'unlisted', reason, sinceMs };
  }
  if (grantedVersion === null || version === grantedVersion)
    return { state: 'listed', reason: null, sinceMs: null };
  const code = packageId === grantedPackage ? 'of the same package' : `of the package ${packageId}`;
  return {
    state: 'replaced',
    reason: `You granted to version ${grantedVersion}; version ${version} is listed now, ${code}. Read what changed, and revoke the grant if you do not agree.`,
    sinceMs,
  };
}
