import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect';
import type { ExtraConfigColumn } from 'drizzle-orm/pg-core';
import { boolean, index, integer, jsonb, sql, text } from '../orm/drizzle.ts';
import { checkpointNumber, instant } from './columns.ts';

type PublisherCheck = 'pending' | 'verified' | 'unverified' | 'unknown';

/**
 * Columns that service types and rule types have in common in their registries: the registration, and the results of
 * its checks on the chain.
 */
export const registration = () => ({
  packageId: text('package_id').notNull(),
  manifestUri: text('manifest_uri').notNull(),
  /** Lower-case hex sha256. */
  manifestHash: text('manifest_hash').notNull(),
  version: integer('version').notNull(),
  listed: boolean('listed').notNull(),
  /** First registration by this publisher: reviews count from here, and the earliest of several is shown. */
  registeredAt: instant('registered_at').notNull(),
  registeredCheckpoint: checkpointNumber('registered_checkpoint').notNull(),
  registeredTxIndex: integer('registered_tx_index').notNull(),
  registeredEventIndex: integer('registered_event_index').notNull(),
  updatedAt: instant('updated_at').notNull(),
  /** `verified`: published the package or owns its UpgradeCap. `unknown`: the node has pruned the proof. */
  publisherCheck: text('publisher_check').$type<PublisherCheck>().notNull().default('pending'),
  witnessCheck: text('witness_check').$type<'pending' | 'valid' | 'invalid'>().notNull().default('pending'),
  /** Security warnings about granting to the witness, from the package. Empty before the first check. */
  witnessWarnings: jsonb('witness_warnings').$type<WitnessWarning[]>().notNull().default([]),
  checkError: text('check_error'),
  /** The reason why the verified manifest does not belong to this registration: it names another type or package. */
  manifestError: text('manifest_error'),
  /**
   * `true` until the registration is compared with the manifest that it names: the manifest is not stored yet, or was
   * stored a moment ago. Meanwhile `manifestError` is null, and nothing of the manifest is shown.
   */
  judgementDue: boolean('judgement_due').notNull().default(false),
  checkAttempts: integer('check_attempts').notNull().default(0),
  /** Time of the next attempt of the pending checks. Null if none is pending. */
  nextCheckAt: instant('next_check_at').defaultNow(),
  /** `true` if `nextCheckAt` has come. Checks are marked ready in batches, so that an index has only the ready ones. */
  checkReady: boolean('check_ready').notNull().default(true),
  /**
   * Time at which the checks are due again, since an UpgradeCap changes hands without an event. Null before the first
   * check.
   */
  recheckAt: instant('recheck_at'),
  /** `true` if `recheckAt` has come, as `checkReady` for `nextCheckAt`. */
  recheckReady: boolean('recheck_ready').notNull().default(false),
});

type CheckedColumns = Record<
  'network' | 'publisher' | 'packageId' | 'nextCheckAt' | 'recheckAt',
  ExtraConfigColumn
>;

/**
 * Builds the indexes of the queues of checks. Those by publisher or by package let a read take turns between publishers
 * or packages.
 * @param type column with the type of the witness
 * @param priorities columns that separate the first checks, before their attempts
 */
export function checkIndexes(
  name: string,
  table: CheckedColumns,
  type: ExtraConfigColumn,
  priorities: ExtraConfigColumn[] = [],
) {
  const { network, publisher, packageId, nextCheckAt, recheckAt } = table;
  const firstColumns = [network, ...priorities, sql`least(check_attempts, 1)`] as const;
  const isFirst = sql`next_check_at is not null and check_ready`;
  const isAgain = sql`listed and recheck_at is not null and recheck_ready`;
  return [
    index(`${name}_next_checks`)
      .on(network, nextCheckAt)
      .where(sql`next_check_at is not null and not check_ready`),
    index(`${name}_next_rechecks`)
      .on(network, recheckAt)
      .where(sql`listed and recheck_at is not null and not recheck_ready`),
    index(`${name}_checks_of_publisher`)
      .on(...firstColumns, publisher, type)
      .where(isFirst),
    index(`${name}_checks_of_package`)
      .on(...firstColumns, packageId, type, publisher)
      .where(isFirst),
    index(`${name}_rechecks_of_publisher`).on(network, publisher, type).where(isAgain),
    index(`${name}_rechecks_of_package`).on(network, packageId, type, publisher).where(isAgain),
  ];
}
