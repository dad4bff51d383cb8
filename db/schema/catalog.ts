import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect';
import type { OpCoins, OpMisfit, PublisherProfile } from '@adaptor-marketplace/adaptor/manifest';
import type { Verdict } from '@adaptor-marketplace/move-bytecode/compare';
import type { CanaryState } from '../../lib/canaries/judge.ts';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  numeric,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
} from '../orm/drizzle.ts';
import { bigintMultirange, checkpointNumber, inOrderBy, instant } from './columns.ts';

/**
 * One number per network that grows in every transaction that changes what the catalog shows: the revision. It is the
 * source of ETags, and of the notification (`catalog`, payload: the network). Writers of the catalog lock its row, so
 * revisions become visible in their order.
 */
export const catalogState = pgTable('catalog_state', {
  network: text('network').primaryKey(),
  version: bigint('version', { mode: 'number' }).notNull().default(0),
  /** Number of entries that are shown by default. */
  shown: bigint('shown', { mode: 'number' }).notNull().default(0),
  changedAt: instant('changed_at').notNull().defaultNow(),
  /**
   * Database of the last change, as `<server>/<database>/<timeline>`. A replica that is promoted begins another timeline, and a
   * dump is restored into another database.
   */
  databaseId: text('database_id'),
  /** Revisions that no entry has: readers may have seen them before a failover or a restore lost them. */
  skipped: bigintMultirange('skipped').notNull().default('{}'),
});

/**
 * Entries that the catalog can show: one row for each listing with a verified manifest and a valid witness, at its last
 * verified version. Every filter, sort and search of entries uses a column here.
 */
export const catalogEntries = pgTable(
  'catalog_entries',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    publisher: text('publisher').notNull(),
    packageId: text('package_id').notNull(),
    manifestUri: text('manifest_uri').notNull(),
    /** Lower-case hex sha256; the body is in `manifests`. */
    manifestHash: text('manifest_hash').notNull(),
    version: integer('version').notNull(),
    updatedAt: instant('updated_at').notNull(),
    publisherVerified: boolean('publisher_verified').notNull(),
    /**
     * `true` if the publisher is or was verified, for the first 20 of the service type. Use and reviews belong to the
     * service type: these entries have them, and the others have none, so that a stranger cannot borrow those of
     * another publisher's listing.
     */
    everVerified: boolean('ever_verified').notNull().default(false),
    warnings: jsonb('warnings').$type<WitnessWarning[]>().notNull(),
    opMisfits: jsonb('op_misfits').$type<OpMisfit[]>().notNull(),
    opCoins: jsonb('op_coins').$type<OpCoins[]>().notNull().default([]),
    /** First registration by this publisher. */
    registeredAt: instant('registered_at').notNull(),
    registeredCheckpoint: checkpointNumber('registered_checkpoint').notNull(),
    registeredTxIndex: integer('registered_tx_index').notNull(),
    registeredEventIndex: integer('registered_event_index').notNull(),
    name: text('name').notNull(),
    /** Skeleton of the name (`nameSkeleton`): similar names have the same one. Null until it was computed. */
    nameSkeleton: text('name_skeleton'),
    category: text('category').notNull(),
    integrator: text('integrator'),
    /** Coin types as the chain spells them, each once; `*` for any coin. */
    coins: text('coins').array().notNull(),
    /** Objects that its operations name, each once. */
    objectIds: text('object_ids').array().notNull().default([]),
    /** Profile of the publisher, as the manifest has it. */
    profile: jsonb('profile').$type<PublisherProfile>(),
    /** Domain of the profile. */
    domain: text('domain'),
    /** Time at which the file of the domain last named the publisher; null if it does not. */
    domainSeenAt: instant('domain_seen_at'),
    /** SuiNS name of the publisher. */
    publisherName: text('publisher_name'),
    /** MVR name of the package. */
    packageName: text('package_name'),
    /** Best verdict of the source that was offered for the package. Null without one. */
    sourceVerdict: text('source_verdict').$type<Verdict | 'not_built'>(),
    /** State of its ops in simulations. Null if none is simulated. */
    canaryState: text('canary_state').$type<CanaryState>(),
    /** Time since which it has that state. */
    canarySince: instant('canary_since'),
    /** Lower case: name, integrator, summary, service type, and the names of the publisher and the package, one per line. */
    searchText: text('search_text').notNull(),
    /** `true` if the manifest names the reason of a deprecation. The entry ranks behind all others. */
    deprecated: boolean('deprecated').notNull().default(false),
    /** `true` if the entry stands for its service type: the earliest one of a verified publisher, else the earliest one. */
    front: boolean('front').notNull().default(false),
    /**
     * `true` if the entry is shown by default. A verified publisher is required: otherwise a stranger could list
     * another's package, with a fee of their own, before its publisher.
     */
    shown: boolean('shown').notNull().generatedAlwaysAs(sql`front and publisher_verified`),
    actions: bigint('actions', { mode: 'number' }).notNull().default(0),
    /** Actions of the last 30 days (UTC), today included, as the cards of the site show them. */
    recentActions: bigint('recent_actions', { mode: 'number' }).notNull().default(0),
    /** Growth of the owners that use the service (docs/ranking.md), at least 0. */
    trend: numeric('trend', { precision: 12, scale: 3 }).notNull().default('0'),
    uniqueVaults: integer('unique_vaults').notNull().default(0),
    lastActionAt: instant('last_action_at'),
    reviewCount: integer('review_count').notNull().default(0),
    scoreSum: bigint('score_sum', { mode: 'number' }).notNull().default(0),
    verifiedCount: integer('verified_count').notNull().default(0),
    verifiedSum: bigint('verified_sum', { mode: 'number' }).notNull().default(0),
    lastReviewAt: instant('last_review_at'),
    /** Rank of the service (docs/ranking.md): the default order of the catalog. */
    rank: numeric('rank', { precision: 30, scale: 3 }).notNull().default('0'),
    /** Distinct owners of the wallets that used the service; `newOwners` of them are new. */
    owners: integer('owners').notNull().default(0),
    newOwners: integer('new_owners').notNull().default(0),
    /** Number of a newer version that is not checked yet; null without one. */
    pendingVersion: integer('pending_version'),
    pendingPackageId: text('pending_package_id'),
    pendingManifestUri: text('pending_manifest_uri'),
    pendingManifestHash: text('pending_manifest_hash'),
    /** `pending`: to be fetched and checked. `unreachable`: its manifest could not be fetched. */
    pendingState: text('pending_state').$type<'pending' | 'unreachable'>(),
    /** Time at which the entry leaves the catalog because the manifest of its newer version is unreachable. */
    leavesAt: instant('leaves_at'),
    /** The network's revision when the entry last changed. */
    revision: bigint('revision', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.serviceType, table.publisher] }),
    uniqueIndex('catalog_entries_front').on(table.network, table.serviceType).where(sql`front`),
    // The first entry is the front one.
    index('catalog_entries_of_service').on(
      table.network,
      table.serviceType,
      table.publisherVerified.desc(),
      ...inOrderBy('registered', table),
    ),
    index('catalog_entries_hidden')
      .on(table.network, table.serviceType, table.publisher)
      .where(sql`not shown`),
    // Entries that another is compared with, in the order in which they are shown beside it.
    index('catalog_entries_alike')
      .on(table.network, table.nameSkeleton, ...inOrderBy('registered', table))
      .where(sql`shown`),
    index('catalog_entries_of_integrator').on(table.network, sql`integrator collate "C"`).where(sql`shown`),
    // The same for all entries. Listings of strangers do not make the indexes of shown entries longer.
    index('catalog_entries_any_alike').on(table.network, table.nameSkeleton),
    index('catalog_entries_any_of_integrator').on(table.network, sql`integrator collate "C"`),
    // The other filters. Few matches are found without reading the rest, and many matches are counted by these indexes.
    index('catalog_entries_of_category').on(table.network, table.category, table.shown),
    index('catalog_entries_of_publisher').on(table.network, table.publisher),
    index('catalog_entries_of_package').on(table.network, table.packageId),
    index('catalog_entries_of_source')
      .on(table.network, table.shown)
      .where(sql`source_verdict in ('exact', 'same_code')`),
    index('catalog_entries_of_canary')
      .on(table.network, table.canaryState, table.shown)
      .where(sql`canary_state is not null`),
    index('catalog_entries_of_domain')
      .on(table.network, table.publisher, table.domain)
      .where(sql`domain is not null`),
    index('catalog_entries_of_coin').using('gin', table.coins),
    index('catalog_entries_of_object').using('gin', table.objectIds),
    index('catalog_entries_revision').on(table.network, table.revision),
    index('catalog_entries_leaving').on(table.network, table.leavesAt).where(sql`leaves_at is not null`),
    index('catalog_entries_pending')
      .on(table.network, table.pendingManifestHash, table.pendingManifestUri)
      .where(sql`pending_manifest_hash is not null`),
    // The sorts, each in one direction, so that one row comparison finds the start of a page.
    index('catalog_entries_by_rank').on(
      table.network,
      sql`(deprecated::int)`,
      sql`(-rank)`,
      sql`(-actions)`,
      sql`service_type collate "C"`,
      sql`publisher collate "C"`,
    ),
    // Use and rating, by which a search orders what matches equally well.
    index('catalog_entries_by_merit')
      .on(
        table.network,
        sql`(case when deprecated then 1 else -(rank::float8 * 1e6 + ln(1 + actions::float8) + coalesce(score_sum::float8 / nullif(review_count, 0), 0) / 5) end)`,
        sql`service_type collate "C"`,
        sql`publisher collate "C"`,
      )
      .where(sql`shown`),
    index('catalog_entries_by_recent_usage').on(
      table.network,
      sql`(-recent_actions)`,
      sql`(-actions)`,
      sql`service_type collate "C"`,
      sql`publisher collate "C"`,
    ),
    index('catalog_entries_by_trend').on(
      table.network,
      sql`(deprecated::int)`,
      sql`(-trend)`,
      sql`(-recent_actions)`,
      sql`service_type collate "C"`,
      sql`publisher collate "C"`,
    ),
    index('catalog_entries_by_usage').on(
      table.network,
      sql`(-actions)`,
      sql`(-unique_vaults)`,
      sql`service_type collate "C"`,
      sql`publisher collate "C"`,
    ),
    index('catalog_entries_by_rating').on(
      table.network,
      sql`(-coalesce(score_sum::numeric / nullif(review_count, 0), 0))`,
      sql`(-review_count)`,
      sql`service_type collate "C"`,
      sql`publisher collate "C"`,
    ),
    index('catalog_entries_by_update').on(
      table.network,
      table.updatedAt,
      sql`service_type collate "C"`,
      sql`publisher collate "C"`,
    ),
    index('catalog_entries_by_name').on(
      table.network,
      sql`(lower(name) collate "C")`,
      sql`service_type collate "C"`,
      sql`publisher collate "C"`,
    ),
  ],
);

/**
 * Entries that left the catalog, each with the revision at which it last left, for copies that follow the revisions.
 */
export const catalogRemovals = pgTable(
  'catalog_removals',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    publisher: text('publisher').notNull(),
    revision: bigint('revision', { mode: 'number' }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.serviceType, table.publisher] }),
    index('catalog_removals_revision').on(table.network, table.revision),
  ],
);

/** Words of the entries that were ever stored, from their beginning: what a mistyped word of a search can stand for. */
export const catalogWords = pgTable(
  'catalog_words',
  {
    network: text('network').notNull(),
    word: text('word').notNull(),
    /** Grows with each new word. */
    number: bigint('number', { mode: 'number' }).notNull().generatedAlwaysAsIdentity(),
  },
  (table) => [primaryKey({ columns: [table.network, table.word] })],
);
