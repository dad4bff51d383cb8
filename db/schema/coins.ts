import { sql } from 'drizzle-orm';
import { index, integer, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** The coins that counted actions moved or jobs were paid in, with the result of their check. */
export const coins = pgTable(
  'coins',
  {
    network: text('network').notNull(),
    coinType: text('coin_type').notNull(),
    /** `pending`, `found`, or `absent` if the coin has no metadata. */
    state: text('state').notNull().default('pending'),
    /** The maker of the coin chose it, so it identifies nothing. */
    symbol: text('symbol'),
    decimals: smallint('decimals'),
    /** Chosen by the maker, like the symbol. */
    name: text('name'),
    /** Time at which the node last reported the state. */
    checkedAt: instant('checked_at'),
    /** Attempts for the current result. */
    checkAttempts: integer('check_attempts').notNull().default(0),
    /** Null when it was found: decimals never change. */
    nextCheckAt: instant('next_check_at').defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.coinType] }),
    index('coins_due_checks').on(table.network, table.nextCheckAt).where(sql`next_check_at is not null`),
  ],
);
