import { bigint, integer, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/**
 * One number per network that grows in every transaction that changes what the catalog shows: the source of
 * ETags, and of the notification (`catalog`, payload: the network) on which prepared answers are made anew.
 */
export const catalogState = pgTable('catalog_state', {
  network: text('network').primaryKey(),
  version: bigint('version', { mode: 'number' }).notNull().default(0),
  changedAt: instant('changed_at').notNull().defaultNow(),
});

/** Counted use of each service by wallets, folded from the wallet source's events. */
export const serviceUsage = pgTable(
  'service_usage',
  {
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    actions: bigint('actions', { mode: 'number' }).notNull().default(0),
    uniqueVaults: integer('unique_vaults').notNull().default(0),
    lastActionAt: instant('last_action_at'),
  },
  (table) => [primaryKey({ columns: [table.network, table.serviceType] })],
);
