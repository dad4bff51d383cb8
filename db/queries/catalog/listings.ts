import type { ClientBase } from 'pg';
import { readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { copyRows } from '../copy.ts';
import type { ManifestRef } from '../manifests.ts';
import { type EventPosition, eventPosition, type Queryable, toColumns } from '../queryable.ts';
import { endOfChain } from '../sources.ts';
import type { ListingKey } from './maintain.ts';

/** A registration, an update or an unlisting. */
export interface NewVersion {
  at: EventPosition;
  /** The canonical form if there is one, else as registered. */
  serviceType: string;
  nameError: string | undefined;
  publisher: string;
  /** Undefined: the number of the last stored version, or 0. */
  version: number | undefined;
  /** Content of the event; undefined for an unlisting. */
  content: { serviceType: string; packageId: string; manifestUri: string; manifestHash: string } | undefined;
}

const versionColumns = [
  'network',
  ...eventPosition,
  'serviceType',
  'rawServiceType',
  'nameError',
  'publisher',
  'version',
  'listed',
  'packageId',
  'manifestUri',
  'manifestHash',
  'timestamp',
] as const;

export async function appendVersions(
  client: ClientBase,
  network: string,
  versions: readonly NewVersion[],
): Promise<void> {
  if (versions.length === 0) return;
  const open = versions.filter(({ version }) => version === undefined);
  const stored = await readLastVersions(client, network, open);
  await copyRows(
    client,
    tables.listingVersions,
    versionColumns,
    versions.map(({ at, serviceType, nameError, publisher, version, content }) => [
      network,
      at.checkpoint,
      at.txIndex,
      at.eventIndex,
      serviceType,
      content && content.serviceType !== serviceType ? content.serviceType : null,
      nameError ?? null,
      publisher,
      version ?? stored.get(`${publisher} ${serviceType}`) ?? 0,
      content !== undefined,
      content?.packageId ?? null,
      content?.manifestUri ?? null,
      content?.manifestHash ?? null,
      new Date(at.timestampMs),
    ]),
  );
}

/** Reads the last stored version of each listing, by publisher and service type. */
async function readLastVersions(client: ClientBase, network: string, keys: readonly NewVersion[]) {
  if (keys.length === 0) return new Map<string, number>();
  const { rows } = await client.query<{ key: string; version: number }>({
    name: 'last-versions',
    text: `select w.publisher || ' ' || w.service_type as key, last.version
      from unnest($2::text[], $3::text[]) as w (service_type, publisher)
      cross join lateral (select v.version from listing_versions v
        where v.network = $1 and v.service_type = w.service_type and v.publisher = w.publisher
        order by v.checkpoint desc, v.tx_index desc, v.event_index desc limit 1) last`,
    values: [network, ...toColumns(keys, 'serviceType', 'publisher')],
  });
  return new Map(rows.map(({ key, version }) => [key, version]));
}

export interface NewAttestation {
  at: EventPosition;
  serviceType: string;
  attester: string;
  score: number;
  commentUri: string;
}

const attestationColumns = [
  'network',
  ...eventPosition,
  'serviceType',
  'attester',
  'score',
  'commentUri',
  'timestamp',
] as const;

export async function appendAttestations(
  client: ClientBase,
  network: string,
  attestations: readonly NewAttestation[],
): Promise<void> {
  if (attestations.length === 0) return;
  await copyRows(
    client,
    tables.attestations,
    attestationColumns,
    attestations.map(({ at, serviceType, attester, score, commentUri }) => [
      network,
      at.checkpoint,
      at.txIndex,
      at.eventIndex,
      serviceType,
      attester,
      score,
      commentUri,
      new Date(at.timestampMs),
    ]),
  );
}

/** Returns `true` if there are attestations at or after checkpoint `from`, and before `before`. */
export async function hasAttestations(
  client: ClientBase,
  network: string,
  from: number,
  before: number,
): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>({
    name: 'has-attestations',
    text: `select exists (
        select from attestations where network = $1 and checkpoint >= $2 and checkpoint < $3) as found`,
    values: [network, from, before],
  });
  return rows[0]!.found;
}

const keyColumns = readColumns(tables.listings, ['serviceType', 'publisher']);

/** A listing that has new versions. */
interface TouchedListing extends ListingKey {
  /** The manifest that it named until now; null if it is new to `listings`. */
  former: ManifestRef | null;
}

/**
 * Reads the listings with versions at or after checkpoint `from`, and before `before`, that have no content after those: a
 * long history settles each listing with its last content.
 */
export async function readTouchedListings(
  client: ClientBase,
  network: string,
  from: number,
  before = endOfChain,
): Promise<TouchedListing[]> {
  // Not a named statement: a plan cached for any `from` would read the whole history at each new event.
  const { rows } = await client.query<TouchedListing>(
    `select ${keyColumns.select('v')},
        case when l.manifest_hash is not null
          then json_build_object('hash', l.manifest_hash, 'uri', l.manifest_uri) end as former
      from (select distinct service_type, publisher from listing_versions
        where network = $1 and checkpoint >= $2 and checkpoint < $3) v
      left join listings l
        on l.network = $1 and l.service_type = v.service_type and l.publisher = v.publisher
      where not exists (
        select from listing_versions later
        where later.network = $1 and later.service_type = v.service_type and later.publisher = v.publisher
          and later.checkpoint >= $3 and later.listed)`,
    [network, from, before],
  );
  return rows;
}

/** SQL for one version of listing `k`: the first or the last of the matching ones. */
const oneVersion = (where: string, order: 'asc' | 'desc') => `cross join lateral (
    select * from listing_versions v
    where v.network = $1 and v.service_type = k.service_type and v.publisher = k.publisher ${where}
    order by v.checkpoint ${order}, v.tx_index ${order}, v.event_index ${order} limit 1)`;

/**
 * Updates these listings from their versions. They must be judged again. Those with content at or after checkpoint
 * `from` become due for a check. A service type that was only ever unlisted gets no row.
 * @returns the manifests that they name now
 */
export async function refreshListings(
  client: ClientBase,
  network: string,
  touched: readonly TouchedListing[],
  from: number,
): Promise<ManifestRef[]> {
  const { rows } = await client.query<ManifestRef>({
    name: 'refresh-listings',
    // A listing that moved to another package loses the results of its checks. The owner of the UpgradeCap may
    // have changed too, but until that is checked the former answer stays. A doubt about it stays too: a former owner
    // could otherwise keep the answer by an update a minute.
    text: `insert into listings (network, service_type, publisher, raw_service_type, name_error, package_id,
        manifest_uri, manifest_hash, version, listed, registered_at, registered_checkpoint,
        registered_tx_index, registered_event_index, updated_at, next_check_at, judgement_due)
      select $1, k.service_type, k.publisher, coalesce(content.raw_service_type, k.service_type),
        content.name_error, content.package_id, content.manifest_uri, content.manifest_hash, content.version,
        last.listed, first.timestamp, first.checkpoint, first.tx_index, first.event_index, last.timestamp,
        case when content.checkpoint >= $4 and content.name_error is null then now() end, true
      from unnest($2::text[], $3::text[]) as k (service_type, publisher)
      ${oneVersion('', 'desc')} last
      ${oneVersion('and v.listed', 'desc')} content
      ${oneVersion('and v.listed', 'asc')} first
      on conflict (network, service_type, publisher) do update set
        raw_service_type = excluded.raw_service_type, package_id = excluded.package_id,
        manifest_uri = excluded.manifest_uri, manifest_hash = excluded.manifest_hash,
        version = excluded.version, listed = excluded.listed, updated_at = excluded.updated_at,
        manifest_error = null, name = null, name_skeleton = null, judgement_due = true,
        check_ready = listings.check_ready or excluded.next_check_at is not null,
        manifest_tried = listings.manifest_tried and excluded.next_check_at is null,
        check_attempts = case when excluded.next_check_at is null
          or listings.package_id = excluded.package_id and listings.publisher_check = 'verified'
            and listings.next_check_at is not null
          then listings.check_attempts else 0 end,
        next_check_at = coalesce(excluded.next_check_at, listings.next_check_at),
        publisher_check = case when listings.package_id = excluded.package_id
          then listings.publisher_check else 'pending' end,
        witness_check = case when listings.package_id = excluded.package_id
          then listings.witness_check else 'pending' end,
        witness_warnings = case when listings.package_id = excluded.package_id
          then listings.witness_warnings else '[]' end,
        op_misfits = case when listings.package_id = excluded.package_id
          then listings.op_misfits else '[]' end,
        op_coins = case when listings.package_id = excluded.package_id
          then listings.op_coins else '[]' end
      returning manifest_hash as hash, manifest_uri as uri`,
    values: [network, ...toColumns(touched, 'serviceType', 'publisher'), from],
  });
  return rows;
}

/**
 * Reads the version of a publisher's current listing of a service type, up to the indexed checkpoint. Undefined if
 * there is none.
 */
export async function readLiveVersion(
  db: Queryable,
  listing: { network: string; serviceType: string; publisher: string },
): Promise<number | undefined> {
  const { network, serviceType, publisher } = listing;
  const { rows } = await db.query<{ version: number }>({
    name: 'find-live-version',
    text: 'select version from listings where network = $1 and service_type = $2 and publisher = $3 and listed',
    values: [network, serviceType, publisher],
  });
  return rows[0]?.version;
}
