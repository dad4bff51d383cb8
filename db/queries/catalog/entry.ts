import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect';
import {
  findOpFaults,
  type IndexedOpFault,
  type ListedManifest,
  type ManifestWarning,
  type OpMisfit,
  type PublishedManifest,
  withMisfits,
} from '@adaptor-marketplace/adaptor/manifest';
import { nameSkeleton } from '@adaptor-marketplace/adaptor/names';
import { type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import type { Queryable, Statement } from '../queryable.ts';
import { shownManifest } from '../shown-manifest.ts';

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
    ) order by a.registered_checkpoint, a.registered_tx_index, a.registered_event_index), '[]') as "alikeNames"
  from ${alikeEntries(e)} a
)`;

const findAlikeNames: Statement = {
  name: 'find-alike-names',
  text: `
select n."alikeNames"
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
  const { rows } = await db.query<Pick<EntryRow, 'alikeNames'>>({
    ...findAlikeNames,
    values: [network, serviceType, nameSkeleton(name)],
  });
  return rows[0]?.alikeNames ?? [];
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
  /** Places where `manifest` differs from the published one. Absent if there are none. */
  manifestWarnings?: ManifestWarning[] | undefined;
  /** Values as published of the top-level fields that differ. With them in place, `manifest` has the hash. */
  publishedFields?: PublishedManifest | undefined;
  /** The manifest's ops that cannot be executed, by their position in it. */
  notExecutable: IndexedOpFault[];
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
export type ListedEntry = Omit<CatalogEntry, 'manifest' | 'notExecutable' | 'publishedFields'> & {
  misfits: OpMisfit[];
};

/** A listed entry with the head of its manifest as JSON; null if the head was not read. */
export type EntryWithHead = ListedEntry & { head: string | null };

/** Optional data to read with the entries. */
export interface EntryExtras {
  /** Fields of their manifests, of `headKeys`. */
  fields: readonly string[];
  /** The entries with similar names. */
  alikeNames: boolean;
}

const columns = readColumns(tables.catalogEntries, [
  'network',
  'serviceType',
  'publisher',
  'packageId',
  'publisherVerified',
  'manifestUri',
  'manifestHash',
  'version',
  'updatedAt',
  'registeredAt',
  'actions',
  'uniqueVaults',
  'lastActionAt',
  'reviewCount',
  'scoreSum',
  'verifiedCount',
  'verifiedSum',
  'lastReviewAt',
  'warnings',
  'opMisfits',
  'pendingVersion',
  'pendingPackageId',
  'pendingManifestUri',
  'pendingState',
]);

/** A row of `entryColumns`, as PostgreSQL returns it. The indexer stores no manifest of another shape. */
export interface EntryRow extends Row<typeof columns> {
  manifest: ListedManifest;
  /** The manifest as published; null if it is shown so. */
  published: PublishedManifest | null;
  manifestWarnings: ManifestWarning[];
  alikeNames: AlikeName[];
}

/** Select list of an entry, from row `e` of `catalog_entries`. `entryJoins` has the joins that it needs. */
export const entryColumns = (e: string, manifest: ManifestColumn): string =>
  `${columns.select(e)}, ${manifest} as manifest,
    ${manifest === shownManifest ? 'case when m.shown is not null then m.body end' : manifest} as published,
    m.warnings as "manifestWarnings", n."alikeNames"`;
/** @param withAlike `true` to read the entries with similar names, at one index lookup for each entry */
export const entryJoins = (e: string, withAlike = true): string =>
  `join manifests m on m.hash = ${e}.manifest_hash cross join lateral ${withAlike ? alikeNames(e) : noNames} n`;
const noNames = `(select '[]'::jsonb as "alikeNames")`;

/** SQL for the manifest as it is shown, or null if it is not read. */
export type ManifestColumn = typeof shownManifest | 'null::jsonb';

/**
 * Returns `true` if agents may run the entry: its publisher is verified and has not announced another package. Until
 * the newer version is verified, it is unknown if the publisher withdraws this one.
 */
export const isRunnable = (entry: CatalogEntry | undefined): entry is CatalogEntry =>
  entry?.publisherVerified === true &&
  (entry.pending === null || entry.pending.packageId === entry.packageId);

export function toEntry(row: EntryRow): CatalogEntry {
  const { manifest, manifestHash: hash } = row;
  const { misfits, ...listed } = toListed(row);
  const notExecutable = withMisfits(hash, findOpFaults(hash, manifest.ops), misfits);
  return {
    ...listed,
    manifest,
    notExecutable,
    ...(row.published && { publishedFields: findPublishedFields(row.published, row.manifestWarnings) }),
  };
}

function findPublishedFields(published: PublishedManifest, warnings: ManifestWarning[]): PublishedManifest {
  const keys = new Set(warnings.map(({ path }) => path.split('.')[0]!));
  return Object.fromEntries([...keys].map((key) => [key, published[key]]));
}

export function toListed(row: Omit<EntryRow, 'manifest' | 'published'>): ListedEntry {
  return {
    serviceType: row.serviceType,
    packageId: row.packageId,
    publisher: row.publisher,
    publisherVerified: row.publisherVerified,
    manifestUri: row.manifestUri,
    manifestHash: row.manifestHash,
    version: row.version,
    updatedAtMs: row.updatedAt.getTime(),
    manifestVerified: true,
    source: 'registry',
    usage: {
      actions: row.actions,
      uniqueVaults: row.uniqueVaults,
      lastActionMs: row.lastActionAt?.getTime() ?? null,
    },
    reviews: {
      count: row.reviewCount,
      avg: average(row.scoreSum, row.reviewCount),
      verifiedCount: row.verifiedCount,
      verifiedAvg: average(row.verifiedSum, row.verifiedCount),
      lastMs: row.lastReviewAt?.getTime() ?? null,
    },
    warnings: row.warnings,
    ...(row.manifestWarnings.length > 0 && { manifestWarnings: row.manifestWarnings }),
    misfits: row.opMisfits,
    firstListedAtMs: row.registeredAt.getTime(),
    alikeNames: row.alikeNames,
    pending:
      row.pendingVersion === null
        ? null
        : {
            version: row.pendingVersion,
            packageId: row.pendingPackageId!,
            manifestUri: row.pendingManifestUri!,
            state: row.pendingState!,
          },
  };
}

const average = (sum: number, count: number) => (count === 0 ? null : Math.round((sum / count) * 100) / 100);
