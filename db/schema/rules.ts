import { sql } from 'drizzle-orm';
import { boolean, index, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { checkpointNumber, instant } from './columns.ts';

/**
 * The rule registry's present state: one row per (network, rule type, publisher), folded from its events. What
 * the chain says about a rule beyond its events is found by the checks and kept beside it, as for `listings`.
 */
export const rules = pgTable(
  'rules',
  {
    network: text('network').notNull(),
    /** Canonical where it can be made so, else as registered. */
    ruleType: text('rule_type').notNull(),
    publisher: text('publisher').notNull(),
    /** As registered. */
    rawRuleType: text('raw_rule_type').notNull(),
    /** Why the rule type cannot be made canonical; such a rule is never shown. */
    nameError: text('name_error'),
    /** `auth` or `caveat`. */
    kind: text('kind').notNull(),
    packageId: text('package_id').notNull(),
    manifestUri: text('manifest_uri').notNull(),
    /** Lower-case hex sha256. */
    manifestHash: text('manifest_hash').notNull(),
    version: integer('version').notNull(),
    listed: boolean('listed').notNull(),
    /** First registration by this publisher: the earliest of several publishers is shown. */
    registeredAt: instant('registered_at').notNull(),
    registeredCheckpoint: checkpointNumber('registered_checkpoint').notNull(),
    registeredTxIndex: integer('registered_tx_index').notNull(),
    registeredEventIndex: integer('registered_event_index').notNull(),
    updatedAt: instant('updated_at').notNull(),
    /** `pending`, `verified`, `unverified`, `unknown`, as in `listings`. */
    publisherCheck: text('publisher_check').notNull().default('pending'),
    /** `pending`, `valid`, `invalid`. */
    witnessCheck: text('witness_check').notNull().default('pending'),
    checkError: text('check_error'),
    /** Why the verified manifest is not this rule's own, as in `listings`. */
    manifestError: text('manifest_error'),
    checkAttempts: integer('check_attempts').notNull().default(0),
    /** When the pending checks are tried next; null when none is pending. */
    nextCheckAt: instant('next_check_at').defaultNow(),
    /** When the answers are asked for anew; null before the first. */
    recheckAt: instant('recheck_at'),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.ruleType, table.publisher] }),
    index('rules_manifest').on(table.network, table.manifestHash, table.manifestUri),
    index('rules_due_checks').on(table.nextCheckAt).where(sql`next_check_at is not null`),
    index('rules_due_rechecks').on(table.recheckAt).where(sql`listed and recheck_at is not null`),
  ],
);
