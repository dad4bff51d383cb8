import { bigint, index, pgTable, sql, text, uniqueIndex } from '../orm/drizzle.ts';
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
    /** Digest of the reader's address with a secret of the installation. An address has one report of a listing. */
    sender: text('sender').notNull(),
    /** Digest, made likewise, of the subnet of the address. It bounds the reports of one customer of a provider. */
    subnet: text('subnet').notNull(),
    sentAt: instant('sent_at').notNull().default(sql`clock_timestamp()`),
  },
  (table) => [
    uniqueIndex('reports_of_sender').on(table.sender, table.network, table.serviceType, table.publisher),
    index('reports_of_subnet').on(table.subnet),
    index('reports_of_listing').on(table.network, table.serviceType, table.publisher, table.id),
  ],
);
