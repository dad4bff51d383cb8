import { bigint, pgTable, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/**
 * One number per network that grows in every transaction that changes what the catalog shows: the source of
 * ETags, and of the notification (`catalog`, payload: the network) on which prepared responses are rebuilt.
 */
export const catalogState = pgTable('catalog_state', {
  network: text('network').primaryKey(),
  version: bigint('version', { mode: 'number' }).notNull().default(0),
  changedAt: instant('changed_at').notNull().defaultNow(),
});
