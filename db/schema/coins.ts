import { boolean, index, integer, pgTable, primaryKey, smallint, sql, text } from '../orm/drizzle.ts';
import { instant } from './columns.ts';

/**
 * The coins that counted actions moved, grants or manifests of verified publishers name, or jobs were paid in, with the
 * result of their check.
 */
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
    /** `true` if that time has come: checks become ready in pages, so that those to come are not read with them. */
    checkReady: boolean('check_ready').notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.coinType] }),
    index('coins_next_checks')
      .on(table.network, table.nextCheckAt)
      .where(sql`next_check_at is not null and not check_ready`),
    // A read of due checks takes turns between the packages.
    index('coins_checks_of_package')
      .on(table.network, sql`least(check_attempts, 1)`, sql`split_part(coin_type, '::', 1)`, table.coinType)
      .where(sql`next_check_at is not null and check_ready`),
  ],
);
