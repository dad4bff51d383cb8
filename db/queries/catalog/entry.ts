import {
  findOpCoins,
  findOpFaults,
  type ListedManifest,
  type ManifestWarning,
  type OpCoins,
  type OpMisfit,
  type PublishedManifest,
  withMisfits,
} from '@adaptor-marketplace/adaptor/manifest';
import { displayText, nameSkeleton } from '@adaptor-marketplace/adaptor/names';
import { type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import type { Queryable, Statement } from '../queryable.ts';
import { shownManifest } from '../shown-manifest.ts';
import { type AlikeName, alikeMax, type CatalogEntry } from './entry-schema.ts';

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

/**
 * An adaptor without its manifest, which is read by its hash when it is requested, and with what the check of its ops
 * found: the misfits of its package, and the coins that fixed objects settle.
 */
export type ListedEntry = Omit<CatalogEntry, 'manifest' | 'notExecutable' | 'opCoins' | 'publishedFields'> & {
  misfits: OpMisfit[];
  settledCoins: OpCoins[];
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

/** Columns that are fields of an entry as they are. */
const fields = readColumns(
  tables.catalogEntries,
  [
    'serviceType',
    'packageId',
    'publisher',
    'publisherVerified',
    'manifestUri',
    'manifestHash',
    'version',
    'warnings',
    'publisherName',
    'packageName',
    'sourceVerdict',
    'canaryState',
  ] as const satisfies readonly (keyof ListedEntry)[],
  {
    publisherEverVerified: 'everVerified',
    updatedAtMs: 'updatedAt',
    firstListedAtMs: 'registeredAt',
    canarySinceMs: 'canarySince',
    misfits: 'opMisfits',
    settledCoins: 'opCoins',
  },
);

/** Columns that `toListed` makes the other fields of. */
const parts = readColumns(tables.catalogEntries, [
  'name',
  'domain',
  'domainSeenAt',
  'actions',
  'uniqueVaults',
  'lastActionAt',
  'owners',
  'newOwners',
  'reviewCount',
  'scoreSum',
  'verifiedCount',
  'verifiedSum',
  'lastReviewAt',
  'pendingVersion',
  'pendingPackageId',
  'pendingManifestUri',
  'pendingState',
] as const);

/** A row of `entryColumns`, as PostgreSQL returns it. The indexer stores no manifest of another shape. */
export interface EntryRow extends Row<typeof fields>, Row<typeof parts> {
  manifest: ListedManifest;
  /** The manifest as published; null if it is shown so. */
  published: PublishedManifest | null;
  manifestWarnings: ManifestWarning[];
  alikeNames: AlikeName[];
}

/** Select list of an entry, from row `e` of `catalog_entries`. `entryJoins` has the joins that it needs. */
export const entryColumns = (e: string, manifest: ManifestColumn): string =>
  `${fields.select(e)}, ${parts.select(e)}, ${manifest} as manifest,
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
  const { misfits, settledCoins, ...listed } = toListed(row);
  const notExecutable = withMisfits(hash, findOpFaults(hash, manifest.ops), misfits);
  return {
    ...listed,
    manifest,
    notExecutable,
    opCoins: findOpCoins(hash, settledCoins, notExecutable),
    ...(row.published && { publishedFields: findPublishedFields(row.published, row.manifestWarnings) }),
  };
}

function findPublishedFields(published: PublishedManifest, warnings: ManifestWarning[]): PublishedManifest {
  const keys = new Set(warnings.map(({ path }) => path.split('.')[0]!));
  return Object.fromEntries([...keys].map((key) => [key, published[key]]));
}

export function toListed(row: Omit<EntryRow, 'manifest' | 'published'>): ListedEntry {
  return {
    ...fields.toItem(row),
    displayName: displayText(row.name),
    manifestVerified: true,
    source: 'registry',
    usage: {
      actions: row.actions,
      uniqueVaults: row.uniqueVaults,
      lastActionMs: row.lastActionAt?.getTime() ?? null,
    },
    publisherDomain:
      row.domainSeenAt === null ? null : { domain: row.domain!, lastSeenMs: row.domainSeenAt.getTime() },
    owners: row.owners,
    newOwners: row.newOwners,
    reviews: {
      count: row.reviewCount,
      avg: average(row.scoreSum, row.reviewCount),
      verifiedCount: row.verifiedCount,
      verifiedAvg: average(row.verifiedSum, row.verifiedCount),
      lastMs: row.lastReviewAt?.getTime() ?? null,
    },
    ...(row.manifestWarnings.length > 0 && { manifestWarnings: row.manifestWarnings }),
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

/** Two decimals, rounded as PostgreSQL rounds a `numeric`: the quotient of integers is exact where it ends in a half. */
const average = (sum: number, count: number) => (count === 0 ? null : Math.round((sum * 100) / count) / 100);
