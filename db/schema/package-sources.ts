import {
  boolean,
  index,
  integer,
  jsonb,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
} from '../orm/drizzle.ts';
import { bytes, instant } from './columns.ts';

/** Source that was offered for a package. Each content is stored once, and deleted with the last offer that names it. */
export const offeredSources = pgTable('offered_sources', {
  /** Lower-case hex sha256 of the content: of the package's build inputs and of those of its local dependencies. */
  hash: text('hash').primaryKey(),
  /** Gzip of its JSON, see `db/queries/package-sources/content.ts`. The texts have at most 4 MiB together. */
  content: bytes('content').notNull(),
});

/** Offers of source for packages, each with the result of its verification. */
export const packageSources = pgTable(
  'package_sources',
  {
    network: text('network').notNull(),
    packageId: text('package_id').notNull(),
    /** Hash of the offered content. */
    hash: text('hash').notNull(),
    /** Hash of the package's own build inputs, as Sui's source verification service computes it. */
    sourceHash: text('source_hash').notNull(),
    /**
     * Digest of the sender's address with a secret of the installation. Null once it is verified, and for source that no
     * person sent: its build comes after all others.
     */
    sender: text('sender'),
    /** `exact`, `same_code`, `same_but_error_lines`, `differs` or `not_built`. Null until it is verified. */
    verdict: text('verdict'),
    /** Order of the verdicts: the lowest is the best. Of two that differ, the one with fewer differences is lower. */
    rank: integer('rank'),
    /** Compiler, reason, differences and dependencies. At most 256 KiB of JSON. */
    report: jsonb('report'),
    offeredAt: instant('offered_at').notNull().default(sql`clock_timestamp()`),
    verifiedAt: instant('verified_at'),
    /** The reason why the last attempt gave no verdict. */
    lastError: text('last_error'),
    checkAttempts: integer('check_attempts').notNull().default(0),
    /** Null once it is verified. */
    nextCheckAt: instant('next_check_at').defaultNow(),
    /** `true` if that time has come: builds become ready in pages, so that those to come are not read with them. */
    checkReady: boolean('check_ready').notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.packageId, table.hash] }),
    index('package_sources_by_rank').on(table.network, table.packageId, table.rank, table.offeredAt),
    index('package_sources_of_content').on(table.hash),
    uniqueIndex('package_sources_queued_by_sender').on(table.sender).where(sql`sender is not null`),
    index('package_sources_next_checks')
      .on(table.network, table.nextCheckAt)
      .where(sql`next_check_at is not null and not check_ready`),
    index('package_sources_builds_of_package')
      .on(
        table.network,
        sql`(case when sender is null then 2 else least(check_attempts, 1) end)`,
        table.packageId,
        table.hash,
      )
      .where(sql`next_check_at is not null and check_ready`),
  ],
);

/** Commits with source that manifests of verified publishers name for their packages. Each is fetched once. */
export const namedSources = pgTable(
  'named_sources',
  {
    network: text('network').notNull(),
    packageId: text('package_id').notNull(),
    /** An https url. */
    repository: text('repository').notNull(),
    /** 40 hex digits. */
    commit: text('commit').notNull(),
    /** Folder of the package. Empty for the top one. */
    path: text('path').notNull(),
    namedAt: instant('named_at').notNull().default(sql`clock_timestamp()`),
    /** Hash of the offered content that was made of it. Null until it is fetched. */
    offer: text('offer'),
    /** The reason why the last attempt failed. */
    lastError: text('last_error'),
    checkedAt: instant('checked_at'),
    checkAttempts: integer('check_attempts').notNull().default(0),
    /** Null once it is fetched, and after the last attempt. */
    nextCheckAt: instant('next_check_at').defaultNow(),
    /** `true` if that time has come: fetches become ready in pages, so that those to come are not read with them. */
    checkReady: boolean('check_ready').notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.packageId, table.repository, table.commit, table.path] }),
    index('named_sources_next_checks')
      .on(table.network, table.nextCheckAt)
      .where(sql`next_check_at is not null and not check_ready`),
    index('named_sources_fetches_of_package')
      .on(
        table.network,
        sql`least(check_attempts, 1)`,
        table.packageId,
        table.repository,
        table.commit,
        table.path,
      )
      .where(sql`next_check_at is not null and check_ready`),
  ],
);
