import type { OpCoins, OpMisfit } from '@adaptor-marketplace/adaptor/manifest';
import {
  bigint,
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  smallint,
  sql,
  text,
  uniqueIndex,
} from '../orm/drizzle.ts';
import { checkpointNumber, eventPosition, inOrder, inOrderBy, instant } from './columns.ts';
import { checkIndexes, registration } from './registration.ts';

/**
 * The registry's current state: one row per (network, service type, publisher), folded from its events. The checks read
 * further facts about a listing from the chain (publisher, witness) and store them beside it.
 */
export const listings = pgTable(
  'listings',
  {
    network: text('network').notNull(),
    /** The canonical form if there is one, else as registered. */
    serviceType: text('service_type').notNull(),
    publisher: text('publisher').notNull(),
    /** Service type as registered. */
    rawServiceType: text('raw_service_type').notNull(),
    /** The reason why the service type has no canonical form; such a listing is never in the catalog. */
    nameError: text('name_error'),
    /** Name in its verified manifest; null without one. */
    name: text('name'),
    /** Skeleton of the name (`nameSkeleton`): similar names have the same one. */
    nameSkeleton: text('name_skeleton'),
    ...registration(),
    /**
     * `true` once its entry had a verified publisher, for the first 20 of the service type. It stays true after the
     * UpgradeCap is passed on. Use and reviews of the service type count from the earliest registration of such a
     * publisher.
     */
    everVerified: boolean('ever_verified').notNull().default(false),
    /** `true` once a read of due checks found that the manifest was fetched, or could not be. */
    manifestTried: boolean('manifest_tried').notNull().default(false),
    /** Ops of a verified manifest whose calls do not fit the functions of the package; empty before the first check. */
    opMisfits: jsonb('op_misfits').$type<OpMisfit[]>().notNull().default([]),
    /** Ops of a verified manifest whose coins their fixed objects settle; empty before the first check. */
    opCoins: jsonb('op_coins').$type<OpCoins[]>().notNull().default([]),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.serviceType, table.publisher] }),
    index('listings_manifest').on(table.network, table.manifestHash, table.manifestUri),
    // Finds out if a verified publisher names a manifest, however many others do.
    index('listings_verified_manifest')
      .on(table.network, table.manifestHash, table.manifestUri)
      .where(sql`listed and publisher_check = 'verified' and witness_check <> 'invalid'`),
    index('listings_unjudged')
      .on(table.network, table.manifestHash, table.manifestUri)
      .where(sql`judgement_due`),
    index('listings_of_publisher').on(table.network, table.publisher, ...inOrderBy('registered', table)),
    // For the operator: listings that the catalog does not show, regardless of how many it shows. The first index has
    // those whose manifest is not known or not theirs, the second those whose type or witness is not known to be valid.
    // The others have an entry.
    index('listings_without_manifest')
      .on(table.network, table.serviceType, table.publisher)
      .where(sql`listed and (name is null or manifest_error is not null)`),
    index('listings_without_witness')
      .on(table.network, table.serviceType, table.publisher)
      .where(sql`listed and (name_error is not null or witness_check <> 'valid')`),
    index('listings_unlisted').on(table.network, table.serviceType, table.publisher).where(sql`not listed`),
    // The first one is where the use and the reviews of the service type begin, however many strangers register it.
    index('listings_ever_verified')
      .on(
        table.network,
        table.serviceType,
        table.registeredCheckpoint,
        table.registeredTxIndex,
        table.registeredEventIndex,
      )
      .where(sql`ever_verified`),
    // Finds out if an address ever was a verified publisher, however many listings it has that never were verified.
    index('listings_of_verified_publisher').on(table.network, table.publisher).where(sql`ever_verified`),
    ...checkIndexes('listings', table, table.serviceType, [table.manifestTried]),
  ],
);

/** Every version a listing ever had, by the event that made it; a row with `listed = false` is an unlisting. */
export const listingVersions = pgTable(
  'listing_versions',
  {
    network: text('network').notNull(),
    ...eventPosition(),
    serviceType: text('service_type').notNull(),
    /** Service type as registered, if that is not canonical. */
    rawServiceType: text('raw_service_type'),
    nameError: text('name_error'),
    publisher: text('publisher').notNull(),
    version: integer('version').notNull(),
    listed: boolean('listed').notNull(),
    packageId: text('package_id'),
    manifestUri: text('manifest_uri'),
    manifestHash: text('manifest_hash'),
    timestamp: instant('timestamp').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, ...inOrder(table)] }),
    index('listing_versions_of').on(table.network, table.serviceType, table.publisher, ...inOrder(table)),
  ],
);

/** Every attestation. */
export const attestations = pgTable(
  'attestations',
  {
    network: text('network').notNull(),
    ...eventPosition(),
    serviceType: text('service_type').notNull(),
    attester: text('attester').notNull(),
    score: smallint('score').notNull(),
    commentUri: text('comment_uri').notNull(),
    timestamp: instant('timestamp').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, ...inOrder(table)] }),
    index('attestations_of').on(table.network, table.serviceType, table.attester),
    index('attestations_in_order').on(table.network, table.serviceType, ...inOrder(table)),
  ],
);

/** Each attester's latest attestation of a service. It is a review of the listings that were registered before it. */
export const reviews = pgTable(
  'reviews',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    attester: text('attester').notNull(),
    ...eventPosition(),
    score: smallint('score').notNull(),
    commentUri: text('comment_uri').notNull(),
    timestamp: instant('timestamp').notNull(),
    /** The attester acted in a counted action of the service before it. */
    verified: boolean('verified').notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.serviceType, table.attester] }),
    index('reviews_of').on(table.network, table.serviceType, ...inOrder(table)),
    // A service may have many reviews of strangers and few of users.
    index('reviews_of_users').on(table.network, table.serviceType, table.verified, ...inOrder(table)),
  ],
);

/** Texts of reviews, one for each Walrus blob that a review names. */
export const reviewTexts = pgTable(
  'review_texts',
  {
    network: text('network').notNull(),
    /** `commentUri` of the reviews. */
    uri: text('uri').notNull(),
    /** Attester of the first review that named it: the fetches take turns between attesters. */
    attester: text('attester').notNull(),
    /** Plain text of at most 4 kB, without invisible characters. Null until the blob was read, and if it is not a text. */
    body: text('body'),
    /** The reason why there is no text. */
    lastError: text('last_error'),
    checkAttempts: integer('check_attempts').notNull().default(0),
    /** Null once the blob was read, or will not be. */
    nextCheckAt: instant('next_check_at').defaultNow(),
    /** `true` if that time has come: fetches become ready in pages, so that those to come are not read with them. */
    checkReady: boolean('check_ready').notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.uri] }),
    index('review_texts_next_checks')
      .on(table.network, table.nextCheckAt)
      .where(sql`next_check_at is not null and not check_ready`),
    index('review_texts_checks_of_attester')
      .on(table.network, sql`least(check_attempts, 1)`, table.attester, table.uri)
      .where(sql`next_check_at is not null and check_ready`),
  ],
);

/** Texts of reviews that an operator hid: each is hidden in all reviews that name it. */
export const hiddenTexts = pgTable(
  'hidden_texts',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    network: text('network').notNull(),
    uri: text('uri').notNull(),
    reason: text('reason').notNull(),
    /** Name that the operator gave: the admin secret names no person. */
    operator: text('operator').notNull(),
    hiddenAt: instant('hidden_at').notNull().default(sql`date_trunc('milliseconds', clock_timestamp())`),
  },
  (table) => [uniqueIndex('hidden_texts_of_uri').on(table.network, table.uri)],
);

/** Reviews of each service with a publisher that is or was verified: the sums of those in `reviews` after `since`. */
export const serviceReviews = pgTable(
  'service_reviews',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    /**
     * Position after which reviews count. It moves back to the earliest registration by a publisher that is or was
     * verified, as the reviews before it are read.
     */
    sinceCheckpoint: checkpointNumber('since_checkpoint').notNull(),
    sinceTxIndex: integer('since_tx_index').notNull(),
    sinceEventIndex: integer('since_event_index').notNull(),
    reviewCount: integer('review_count').notNull(),
    scoreSum: bigint('score_sum', { mode: 'number' }).notNull(),
    /** Reviews by users of the service. */
    verifiedCount: integer('verified_count').notNull(),
    verifiedSum: bigint('verified_sum', { mode: 'number' }).notNull(),
    lastReviewAt: instant('last_review_at'),
  },
  (table) => [primaryKey({ columns: [table.network, table.serviceType] })],
);

/**
 * Services whose reviews are not all counted. A service may have any number of reviews from before it was verified, so a
 * transaction reads a fixed number of them, and the services take turns.
 */
export const reviewsDue = pgTable(
  'reviews_due',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    turnAt: instant('turn_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.serviceType] }),
    index('reviews_due_by_turn').on(table.network, table.turnAt, table.serviceType),
  ],
);
