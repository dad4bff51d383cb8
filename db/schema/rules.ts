import { sql } from 'drizzle-orm';
import { index, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { registration } from './registration.ts';

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
    ...registration(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.ruleType, table.publisher] }),
    // Of those that can be shown. The first of a type is the one that is.
    index('rules_of_type')
      .on(
        table.network,
        table.ruleType,
        sql`(publisher_check = 'verified') desc`,
        table.registeredCheckpoint,
        table.registeredTxIndex,
        table.registeredEventIndex,
      )
      .where(sql`listed and name_error is null and witness_check = 'valid'`),
    index('rules_of_publisher').on(table.network, table.publisher, table.ruleType),
    index('rules_manifest').on(table.network, table.manifestHash, table.manifestUri),
    index('rules_due_checks').on(table.nextCheckAt).where(sql`next_check_at is not null`),
    index('rules_due_rechecks').on(table.recheckAt).where(sql`listed and recheck_at is not null`),
  ],
);
