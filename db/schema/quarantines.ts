import { bigint, check, index, pgTable, primaryKey, sql, text, uniqueIndex } from '../orm/drizzle.ts';
import { instant } from './columns.ts';

/**
 * Record of what operators did to listings. Append-only: a release is a row of its own, which names the quarantine that
 * it ends.
 */
export const operatorActions = pgTable(
  'operator_actions',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    network: text('network').notNull(),
    /** A service type in canonical form, or the address of a publisher. */
    subject: text('subject').notNull(),
    action: text('action').$type<'quarantine' | 'release'>().notNull(),
    /** The quarantine that a release ends; null for a quarantine. */
    ends: bigint('ends', { mode: 'number' }),
    reason: text('reason').notNull(),
    /** Name that the operator gave: the admin secret names no person. */
    operator: text('operator').notNull(),
    takenAt: instant('taken_at').notNull(),
  },
  (table) => [
    uniqueIndex('operator_actions_ends').on(table.ends),
    index('operator_actions_of_quarantines').on(table.network, table.id).where(sql`action = 'quarantine'`),
    check('operator_actions_release', sql`(action = 'release') = (ends is not null)`),
  ],
);

/** Quarantines in force. A listing is in quarantine if its service type or its publisher has a row. */
export const quarantines = pgTable(
  'quarantines',
  {
    network: text('network').notNull(),
    /** A service type in canonical form, or the address of a publisher. */
    subject: text('subject').notNull(),
    /** The action that began it. */
    action: bigint('action', { mode: 'number' }).notNull(),
    reason: text('reason').notNull(),
    since: instant('since').notNull(),
  },
  (table) => [primaryKey({ columns: [table.network, table.subject] })],
);
