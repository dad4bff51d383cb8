import { index, pgTable, primaryKey, sql, text } from '../orm/drizzle.ts';
import { inOrderBy } from './columns.ts';
import { checkIndexes, registration } from './registration.ts';

/**
 * The rule registry's current state: one row per (network, rule type, publisher), folded from its events. The checks
 * read further facts about a rule from the chain and store them beside it, as for `listings`.
 */
export const rules = pgTable(
  'rules',
  {
    network: text('network').notNull(),
    /** The canonical form if there is one, else as registered. */
    ruleType: text('rule_type').notNull(),
    publisher: text('publisher').notNull(),
    /** Rule type as registered. */
    rawRuleType: text('raw_rule_type').notNull(),
    /** The reason why the rule type has no canonical form; such a rule is never shown. */
    nameError: text('name_error'),
    kind: text('kind').$type<'auth' | 'caveat'>().notNull(),
    ...registration(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.ruleType, table.publisher] }),
    // Rules that can be shown. The first of a type is shown.
    index('rules_of_type')
      .on(
        table.network,
        table.ruleType,
        sql`(publisher_check = 'verified') desc`,
        ...inOrderBy('registered', table),
      )
      .where(sql`listed and name_error is null and witness_check = 'valid'`),
    index('rules_of_publisher').on(table.network, table.publisher, table.ruleType),
    index('rules_manifest').on(table.network, table.manifestHash, table.manifestUri),
    index('rules_verified_manifest')
      .on(table.network, table.manifestHash, table.manifestUri)
      .where(sql`listed and publisher_check = 'verified' and witness_check <> 'invalid'`),
    index('rules_unjudged')
      .on(table.network, table.manifestHash, table.manifestUri)
      .where(sql`judgement_due`),
    ...checkIndexes('rules', table, table.ruleType),
  ],
);
