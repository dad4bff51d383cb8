import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** The coins that counted actions moved or jobs were paid in, with what a check found of them. */
export const coins = pgTable(
  'coins',
  {
    network: text('network').notNull(),
    coinType: text('coin_type').notNull(),
    /** `pending`, `found`, or `absent` where the coin has no metadata. */
    state: text('state').notNull().default('pending'),
    /** The maker of the coin chose it, so it identifies nothing. */
    symbol: text('symbol'),
    decimals: smallint('decimals'),
    /** Chosen like the symbol. */
    name: text('name'),
    /** When the node last said what the state is. */
    checkedAt: instant('checked_at'),
    /** At the present answer. */
    checkAttempts: integer('check_attempts').notNull().default(0),
    /** Null when it was found: decimals never change. */
    nextCheckAt: instant('next_check_at').defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.coinType] }),
    index('coins_due_checks').on(table.network, table.nextCheckAt).where(sql`next_check_at is not null`),
  ],
);
