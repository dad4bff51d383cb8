import { sql } from 'drizzle-orm';
import { bigint, index, pgTable, text, uniqueIndex } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

export const reportCategories = ['malicious', 'misleading', 'broken', 'other'] as const;

/** Reports of readers about listings, for the operator. A dismissed report is deleted. */
export const reports = pgTable(
  'reports',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    network: text('network').notNull(),
    serviceType: text('service_type').notNull(),
    publisher: text('publisher').notNull(),
    category: text('category').$type<(typeof reportCategories)[number]>().notNull(),
    /** Words of the reader. */
    words: text('words').notNull(),
    /** Digest of the reader's address with a secret of the installation. It bounds the reports of one address. */
    sender: text('sender').notNull(),
    sentAt: instant('sent_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    uniqueIndex('reports_of_sender').on(table.sender, table.network, table.serviceType, table.publisher),
    index('reports_of_listing').on(table.network, table.serviceType, table.publisher, table.id),
  ],
);
