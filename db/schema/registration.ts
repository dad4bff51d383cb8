import type { WitnessWarning } from '@adaptor-marketplace/adaptor/introspect';
import { boolean, integer, jsonb, text } from 'drizzle-orm/pg-core';
import { checkpointNumber, instant } from './columns.ts';

/**
 * What a service type and a rule type in their registries have alike: what was registered, and what the checks
 * found of it on the chain.
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
  /** `pending`, `verified` (published the package or owns its UpgradeCap), `unverified`, `unknown` (the node has pruned the proof). */
  publisherCheck: text('publisher_check').notNull().default('pending'),
  /** `pending`, `valid`, `invalid`. */
  witnessCheck: text('witness_check').notNull().default('pending'),
  /** What the package says against granting to the witness; empty before the first check. */
  witnessWarnings: jsonb('witness_warnings').$type<WitnessWarning[]>().notNull().default([]),
  checkError: text('check_error'),
  /** Why the verified manifest is not this registration's own (it names another type or package). */
  manifestError: text('manifest_error'),
  checkAttempts: integer('check_attempts').notNull().default(0),
  /** When the pending checks are tried next; null when none is pending. */
  nextCheckAt: instant('next_check_at').defaultNow(),
  /** When the checks are due again, since an UpgradeCap changes hands without an event; null before the first. */
  recheckAt: instant('recheck_at'),
});
