import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect';
import {
  findOpFaults,
  type ListedManifest,
  type OpFaultAt,
  type OpMisfit,
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

/**
 * Maximum number of entries with similar names. Later entries, of which anyone can create many, cannot push out the
 * earliest ones.
 */
export const alikeMax = 5;

/**
 * SQL for the entries whose names look like that of entry `e`. The conditions are those of the index
 * `catalog_entries_alike`, which is in this order. An entry costs one index lookup, and one row for each result.
 */
const alikeEntries = (e: string) => `(
  select o.* from catalog_entries o
  where o.network = ${e}.network and o.name_skeleton = ${e}.name_skeleton
    and o.service_type <> ${e}.service_type and o.shown
  order by o.registered_checkpoint, o.registered_tx_index, o.registered_event_index
  limit ${alikeMax}
)`;

/**
 * SQL for the keys and revisions of the entries that `alikeNames` shows beside entry `e`; null if there are none. They
 * can change without a revision of `e`.
 */
export const alikeRevisions = (e: string) =>
  `(select string_agg(a.service_type || ' ' || a.revision, ',') as alike from ${alikeEntries(e)} a)`;

/** SQL for the entries whose names look like that of entry `e`, as JSON. */
const alikeNames = (e: string) => `(
  select coalesce(jsonb_agg(jsonb_build_object(
    'serviceType', a.service_type, 'publisher', a.publisher, 'name', a.name,
    'firstListedAtMs', (extract(epoch from a.registered_at) * 1000)::bigint,
    'usage', jsonb_build_object('actions', a.actions, 'uniqueVaults', a.unique_vaults,
      'lastActionMs', (extract(epoch from a.last_action_at) * 1000)::bigint)
    ) order by a.registered_checkpoint, a.registered_tx_index, a.registered_event_index), '[]') as alike_names
  from ${alikeEntries(e)} a
)`;

const findAlikeNames: Statement = {
  name: 'find-alike-names',
  text: `
select n.alike_names
from (select $1::text as network, $2::text as service_type, $3::text as name_skeleton) e
cross join lateral ${alikeNames('e')} n`,
};

/**
 * Reads the entries with similar names: of other service types, by verified publishers, the `alikeMax` first listed.
 */
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
  /** Averages are of scores 1 to 5, rounded to two decimals. They are null without reviews. */
  reviews: {
    count: number;
    avg: number | null;
    verifiedCount: number;
    verifiedAvg: number | null;
    lastMs: number | null;
  };
  /** Security warnings about granting to the service, from the package's bytecode. Empty if there are none. */
  warnings: WitnessWarning[];
  /** First registration by this publisher. */
  firstListedAtMs: number;
  /** Entries with similar names: of other service types, by verified publishers, the `alikeMax` first listed. */
  alikeNames: AlikeName[];
  /** A newer version that is not verified yet; the entry shows the last verified one meanwhile. */
  pending: PendingVersion | null;
}

/** A registered version whose manifest is not verified yet. */
export interface PendingVersion {
  version: number;
  packageId: string;
  manifestUri: string;
  /** `pending`: to be fetched and checked. `unreachable`: its manifest could not be fetched. */
  state: 'pending' | 'unreachable';
}

/**
 * An adaptor without its manifest, which is read by its hash when it is requested, and with the misfits of its package.
 */
export type ListedEntry = Omit<CatalogEntry, 'manifest' | 'notExecutable'> & { misfits: OpMisfit[] };

/** A listed entry with the head of its manifest as JSON; null if the head was not read. */
export type EntryWithHead = ListedEntry & { head: string | null };

/** Optional data to read with the entries. */
export interface Beside {
  /** Fields of their manifests, of `headKeys`. */
  fields: readonly string[];
  /** The entries with similar names. */
  alikeNames: boolean;
}

/** A row of `entryColumns`, as PostgreSQL returns it. The indexer stores no manifest of another shape. */
export interface EntryRow {
  network: string;
  service_type: string;
  publisher: string;
  package_id: string;
  publisher_verified: boolean;
  manifest_uri: string;
  manifest_hash: string;
  version: number;
  updated_at: Date;
  registered_at: Date;
  manifest: ListedManifest;
  actions: number;
  unique_vaults: number;
  last_action_at: Date | null;
  review_count: number;
  score_sum: number;
  verified_count: number;
  verified_sum: number;
  last_review_at: Date | null;
  warnings: WitnessWarning[];
  op_misfits: OpMisfit[];
  pending_version: number | null;
  pending_package_id: string;
  pending_manifest_uri: string;
  pending_state: PendingVersion['state'];
  alike_names: AlikeName[];
}

const columns = [
  'network',
  'service_type',
  'publisher',
  'package_id',
  'publisher_verified',
  'manifest_uri',
  'manifest_hash',
  'version',
  'updated_at',
  'registered_at',
  'actions',
  'unique_vaults',
  'last_action_at',
  'review_count',
  'score_sum',
  'verified_count',
  'verified_sum',
  'last_review_at',
  'warnings',
  'op_misfits',
  'pending_version',
  'pending_package_id',
  'pending_manifest_uri',
  'pending_state',
];

/** Select list of an entry, from row `e` of `catalog_entries`. `entryJoins` has the joins that it needs. */
export const entryColumns = (e: string, manifest: ManifestColumn): string =>
  `${columns.map((column) => `${e}.${column}`).join(', ')}, ${manifest} as manifest, n.alike_names`;
/** @param withAlike `true` to read the entries with similar names, at one index lookup for each entry */
export const entryJoins = (e: string, withAlike = true): string =>
  `join manifests m on m.hash = ${e}.manifest_hash cross join lateral ${withAlike ? alikeNames(e) : noNames} n`;
const noNames = `(select '[]'::jsonb as alike_names)`;

/** SQL for the manifest's body, or null if it is not read. */
export type ManifestColumn = 'm.body' | 'null::jsonb';

/**
 * Returns `true` if agents may run the entry: its publisher is verified and has not announced another package. Until
 * the newer version is verified, it is unknown if the publisher withdraws this one.
 */
export const isRunnable = (entry: CatalogEntry | undefined): entry is CatalogEntry =>
  entry?.publisherVerified === true &&
  (entry.pending === null || entry.pending.packageId === entry.packageId);

export function toEntry(row: EntryRow): CatalogEntry {
  const { manifest, manifest_hash: hash } = row;
  const { misfits, ...listed } = toListed(row);
  return { ...listed, manifest, notExecutable: withMisfits(hash, findOpFaults(hash, manifest.ops), misfits) };
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
      avg: average(row.score_sum, row.review_count),
      verifiedCount: row.verified_count,
      verifiedAvg: average(row.verified_sum, row.verified_count),
      lastMs: row.last_review_at?.getTime() ?? null,
    },
    warnings: row.warnings,
    misfits: row.op_misfits,
    firstListedAtMs: row.registered_at.getTime(),
    alikeNames: row.alike_names,
    pending:
      row.pending_version === null
        ? null
        : {
            version: row.pending_version,
            packageId: row.pending_package_id,
            manifestUri: row.pending_manifest_uri,
            state: row.pending_state,
          },
  };
}

const average = (sum: number, count: number) => (count === 0 ? null : Math.round((sum / count) * 100) / 100);
