import { boolean, index, integer, jsonb, pgTable, primaryKey, sql, text } from '../orm/drizzle.ts';
import { instant } from './columns.ts';

/** The packages whose witness a listing was checked against, with the state of their certificates. */
export const certifiedPackages = pgTable(
  'certified_packages',
  {
    network: text('network').notNull(),
    packageId: text('package_id').notNull(),
    /** Publisher of the listing that first named the package: reads of due packages take turns between publishers. */
    publisher: text('publisher').notNull(),
    /** `pending`, `computed` for all callable functions, or `unread` if some have no certificate. */
    state: text('state').notNull().default('pending'),
    /** The reason of `unread`, or the error of the last attempt of `pending`. */
    reason: text('reason'),
    /** Version of the analysis that gave the state. Null while it is pending. */
    analysis: integer('analysis'),
    /** Version of the sentences. Null while it is pending. */
    wording: integer('wording'),
    computedAt: instant('computed_at'),
    /** Ids of the packages that its certified functions can reach, those of the framework and its own included. */
    reaches: text('reaches').array().notNull().default([]),
    /** Attempts for the current versions of the analysis and of the sentences. */
    checkAttempts: integer('check_attempts').notNull().default(0),
    /** Null once these versions have run. */
    nextCheckAt: instant('next_check_at').defaultNow(),
    /** `true` if that time has come: packages become ready in pages, so that those to come are not read with them. */
    checkReady: boolean('check_ready').notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.packageId] }),
    index('certified_packages_by_analysis')
      .on(table.network, table.analysis, table.wording)
      .where(sql`next_check_at is null`),
    index('certified_packages_next_checks')
      .on(table.network, table.nextCheckAt)
      .where(sql`next_check_at is not null and not check_ready`),
    index('certified_packages_of_publisher')
      .on(table.network, sql`least(check_attempts, 1)`, table.publisher, table.packageId)
      .where(sql`next_check_at is not null and check_ready`),
    // Finds out if certified code can reach a package.
    index('certified_packages_by_reach').using('gin', table.reaches),
  ],
);

/** The certificates of a package's callable functions, of one version of the analysis. */
export const certificates = pgTable(
  'certificates',
  {
    network: text('network').notNull(),
    packageId: text('package_id').notNull(),
    module: text('module').notNull(),
    function: text('function').notNull(),
    /** Lower-case hex sha256 of the certificate's canonical JSON. */
    hash: text('hash').notNull(),
    /** At most 1 MiB of canonical JSON. */
    certificate: jsonb('certificate').notNull(),
    /** Types of the function's parameters in Move's syntax, at most 16 KiB of JSON: they are read without the certificate. */
    parameters: jsonb('parameters')
      .$type<string[]>()
      .generatedAlwaysAs(
        sql`case when length((certificate -> 'parameters')::text) <= 16384 then certificate -> 'parameters' end`,
      ),
    /** Size of the certificate as canonical JSON, in bytes. */
    bytes: integer('bytes').notNull(),
    /** Its first sentences, at most 64 KiB. They are made once, because a certificate is large and pages show them often. */
    brief: jsonb('brief').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.packageId, table.module, table.function] })],
);

/**
 * Versions of listings that the catalog showed, each with what its code can do that the version shown before could not. A
 * version that was never shown has no row, so that no publisher can hide an update behind it.
 */
export const claimChanges = pgTable(
  'claim_changes',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    publisher: text('publisher').notNull(),
    version: integer('version').notNull(),
    /** `first` if no version was shown before, else `pending` or `computed`. */
    state: text('state').$type<'first' | 'pending' | 'computed'>().notNull().default('pending'),
    /** The reason why the last attempt of `pending` was too early. */
    reason: text('reason'),
    /** Package whose analysis `pending` waits for: the end of the analysis makes the comparison due. */
    waitsFor: text('waits_for'),
    /** The last version that was shown before it. Null unless computed. */
    formerVersion: integer('former_version'),
    /** `true` if the version may do more. Null unless computed. */
    widens: boolean('widens'),
    /** Version of the analysis whose claims were compared. Null unless computed. */
    analysis: integer('analysis'),
    /** The functions that differ, with sentences: see `db/queries/claim-changes.ts`. At most 128 KiB of JSON. */
    functions: jsonb('functions').notNull().default([]),
    /** `true` if the ops call more functions than were compared. */
    hasMoreFunctions: boolean('has_more_functions').notNull().default(false),
    computedAt: instant('computed_at'),
    checkAttempts: integer('check_attempts').notNull().default(0),
    /** Null once it is computed. */
    nextCheckAt: instant('next_check_at').defaultNow(),
    /** `true` if that time has come: comparisons become ready in pages, so that those to come are not read with them. */
    checkReady: boolean('check_ready').notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.serviceType, table.publisher, table.version] }),
    index('claim_changes_next_checks')
      .on(table.network, table.nextCheckAt)
      .where(sql`next_check_at is not null and not check_ready`),
    index('claim_changes_waiting').on(table.network, table.waitsFor).where(sql`waits_for is not null`),
    index('claim_changes_of_publisher')
      .on(table.network, sql`least(check_attempts, 1)`, table.publisher, table.serviceType, table.version)
      .where(sql`next_check_at is not null and check_ready`),
  ],
);
