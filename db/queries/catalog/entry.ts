import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect';
import {
  type ListedManifest,
  type OpFaultAt,
  type OpMisfit,
  opFaultsOf,
  withMisfits,
} from '@adaptor-marketplace/adaptor/manifest';
import { nameSkeleton } from '@adaptor-marketplace/adaptor/names';
import type { Queryable, Statement } from '../queryable.ts';

/** An entry whose name looks like another's. */
export interface AlikeName {
  serviceType: string;
  publisher: string;
  name: string;
  /** Milliseconds since the epoch: the first registration by this publisher. */
  firstListedAtMs: number;
  usage: { actions: number; uniqueVaults: number; lastActionMs: number | null };
}

/** Most entries that are shown. The earliest cannot be pushed out by later ones, of which anyone can make many. */
export const alikeMax = 5;

/**
 * The entries whose names look like that of listing `l`, as JSON. The conditions are those of the index
 * `listings_alike`, which has them in this order: an entry costs one look into it, and one row for each in the answer.
 */
const alikeNames = (l: string) => `(
  select coalesce(jsonb_agg(jsonb_build_object(
    'serviceType', a.service_type, 'publisher', a.publisher, 'name', a.name,
    'firstListedAtMs', (extract(epoch from a.registered_at) * 1000)::bigint,
    'usage', jsonb_build_object('actions', coalesce(u.actions, 0), 'uniqueVaults', coalesce(u.unique_vaults, 0),
      'lastActionMs', (extract(epoch from u.last_action_at) * 1000)::bigint)
    ) order by a.registered_checkpoint, a.registered_tx_index, a.registered_event_index), '[]') as alike_names
  from (
    select o.* from listings o
    where o.network = ${l}.network and o.name_skeleton = ${l}.name_skeleton
      and o.service_type <> ${l}.service_type and o.listed and o.name_error is null
      and o.manifest_error is null and o.witness_check = 'valid' and o.publisher_check = 'verified'
    order by o.registered_checkpoint, o.registered_tx_index, o.registered_event_index
    limit ${alikeMax}
  ) a
  left join service_usage u on u.network = a.network and u.service_type = a.service_type
)`;

const findAlikeNames: Statement = {
  name: 'find-alike-names',
  text: `
select n.alike_names
from (select $1::text as network, $2::text as service_type, $3::text as name_skeleton) l
cross join lateral ${alikeNames('l')} n`,
};

/** The entries of other service types, by verified publishers, whose names look like this one: `alikeMax` first listed. */
export async function readAlikeNames(
  db: Queryable,
  { network, serviceType, name }: { network: string; serviceType: string; name: string },
): Promise<AlikeName[]> {
  const { rows } = await db.query<{ alike_names: AlikeName[] }>({
    ...findAlikeNames,
    values: [network, serviceType, nameSkeleton(name)],
  });
  return rows[0]?.alike_names ?? [];
}

/** One adaptor as the catalog shows it, over REST and GraphQL alike. Times are milliseconds since the epoch. */
export interface CatalogEntry {
  serviceType: string;
  packageId: string;
  publisher: string;
  /** The publisher published the package or owns its UpgradeCap. */
  publisherVerified: boolean;
  manifestUri: string;
  /** Lower-case hex sha256 of the manifest's canonical JSON. */
  manifestHash: string;
  version: number;
  updatedAtMs: number;
  manifest: ListedManifest;
  /** The manifest's ops that cannot be executed, by their position in it. */
  notExecutable: OpFaultAt[];
  /** Always true: an entry whose manifest is not verified is not in the catalog. */
  manifestVerified: true;
  source: 'registry';
  usage: { actions: number; uniqueVaults: number; lastActionMs: number | null };
  /** Averages are of scores 1 to 5, rounded to two decimals; null where nothing was counted. */
  reviews: {
    count: number;
    avg: number | null;
    verifiedCount: number;
    verifiedAvg: number | null;
    lastMs: number | null;
  };
  /** What the package's bytecode says against granting to the service; empty where nothing does. */
  warnings: WitnessWarning[];
  /** First registration by this publisher. */
  firstListedAtMs: number;
  /** Entries of other service types, by verified publishers, whose names look like this one: `alikeMax` first listed. */
  alikeNames: AlikeName[];
}

/** An adaptor without its manifest, which is read by its hash where it is asked for, with what its package adds. */
export type ListedEntry = Omit<CatalogEntry, 'manifest' | 'notExecutable'> & { misfits: OpMisfit[] };

/** The columns of `entriesOf`, as PostgreSQL answers them. The indexer keeps no manifest of another shape. */
export interface EntryRow {
  network: string;
  service_type: string;
  package_id: string;
  publisher: string;
  publisher_verified: boolean;
  manifest_uri: string;
  manifest_hash: string;
  version: number;
  updated_at: Date;
  manifest: ListedManifest;
  actions: number;
  unique_vaults: number;
  last_action_at: Date | null;
  review_count: number;
  review_avg: string | null;
  last_review_at: Date | null;
  verified_count: number;
  verified_avg: string | null;
  /** Of the witness, and of the ops of one of its manifests. */
  warnings: WitnessWarning[];
  op_misfits: OpMisfit[];
  registered_at: Date;
  alike_names: AlikeName[];
}

/**
 * The catalog's rule as a common table expression: `eligible` has the key of each listing that may be shown.
 *
 * `shown` picks what the catalog shows by default: of each service type the listing of a verified publisher, the
 * earliest of several. A stranger could otherwise list another's package, with a fee of their own, before its
 * publisher does, or while the publisher's manifest is unreachable.
 *
 * @param scope condition on `listings l` that limits what is read
 */
export function eligible(scope: string): string {
  return `eligible as (
  select l.network, l.service_type, l.publisher, l.manifest_hash, l.name_skeleton, l.updated_at,
    l.registered_checkpoint, l.registered_tx_index, l.registered_event_index,
    l.publisher_check = 'verified' and row_number() over (
      partition by l.network, l.service_type
      order by l.publisher_check = 'verified' desc,
        l.registered_checkpoint, l.registered_tx_index, l.registered_event_index
    ) = 1 as shown
  from listings l
  where ${scope} and l.listed and l.name_error is null and l.manifest_error is null
    and l.witness_check = 'valid' and exists (select from manifests m where m.hash = l.manifest_hash)
)`;
}

/**
 * Each attester's latest review of listing `l` after its first registration; nothing unless `condition`. It is
 * verified where the attester acted in a counted action of the service before it.
 */
export function reviews(l: string, condition = 'true'): string {
  return `(
  select count(*)::int as review_count, avg(score) as review_avg, max(timestamp) as last_review_at,
    count(s.actor)::int as verified_count, avg(score) filter (where s.actor is not null) as verified_avg
  from (
    select distinct on (a.attester) a.*
    from attestations a
    where ${condition} and a.network = ${l}.network and a.service_type = ${l}.service_type
      and (a.checkpoint, a.tx_index, a.event_index)
        > (${l}.registered_checkpoint, ${l}.registered_tx_index, ${l}.registered_event_index)
    order by a.attester, a.checkpoint desc, a.tx_index desc, a.event_index desc
  ) latest
  left join service_actors s
    on s.network = latest.network and s.service_type = latest.service_type and s.actor = latest.attester
    and (s.checkpoint, s.tx_index, s.event_index) < (latest.checkpoint, latest.tx_index, latest.event_index)
)`;
}

/**
 * All that an entry shows, for the keys in `keys`, whose own columns stay.
 * @param manifest expression of its manifest; null where only the others are wanted
 */
export function entriesOf(keys: string, manifest: 'm.body' | 'null::jsonb' = 'm.body'): string {
  return `
select key.*, l.package_id, l.publisher_check = 'verified' as publisher_verified, l.manifest_uri, l.version,
  l.witness_warnings as warnings, l.op_misfits, ${manifest} as manifest, coalesce(u.actions, 0) as actions, coalesce(u.unique_vaults, 0) as unique_vaults,
  u.last_action_at, r.review_count, r.review_avg, r.last_review_at, r.verified_count, r.verified_avg,
  l.registered_at, n.alike_names
from ${keys} key
join listings l
  on l.network = key.network and l.service_type = key.service_type and l.publisher = key.publisher
join manifests m on m.hash = key.manifest_hash
left join service_usage u on u.network = key.network and u.service_type = key.service_type
cross join lateral ${reviews('l')} r
cross join lateral ${alikeNames('l')} n`;
}

export function toEntry(row: EntryRow): CatalogEntry {
  const { manifest, manifest_hash: hash } = row;
  const { misfits, ...listed } = toListed(row);
  return { ...listed, manifest, notExecutable: withMisfits(hash, opFaultsOf(hash, manifest.ops), misfits) };
}

export function toListed(row: Omit<EntryRow, 'manifest'>): ListedEntry {
  return {
    serviceType: row.service_type,
    packageId: row.package_id,
    publisher: row.publisher,
    publisherVerified: row.publisher_verified,
    manifestUri: row.manifest_uri,
    manifestHash: row.manifest_hash,
    version: row.version,
    updatedAtMs: row.updated_at.getTime(),
    manifestVerified: true,
    source: 'registry',
    usage: {
      actions: row.actions,
      uniqueVaults: row.unique_vaults,
      lastActionMs: row.last_action_at?.getTime() ?? null,
    },
    reviews: {
      count: row.review_count,
      avg: average(row.review_avg),
      verifiedCount: row.verified_count,
      verifiedAvg: average(row.verified_avg),
      lastMs: row.last_review_at?.getTime() ?? null,
    },
    warnings: row.warnings,
    misfits: row.op_misfits,
    firstListedAtMs: row.registered_at.getTime(),
    alikeNames: row.alike_names,
  };
}

const average = (avg: string | null) => (avg === null ? null : Math.round(Number(avg) * 100) / 100);
