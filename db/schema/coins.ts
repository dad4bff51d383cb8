import { sql } from 'drizzle-orm';
import { boolean, index, integer, pgTable, primaryKey, smallint, text } from 'drizzle-orm/pg-core';
import { bytes, instant } from './columns.ts';

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

/** Logos of coins whose metadata names one, as they were fetched. */
export const coinLogos = pgTable(
  'coin_logos',
  {
    network: text('network').notNull(),
    coinType: text('coin_type').notNull(),
    /** An `https` or a `data` url, from the metadata. */
    url: text('url').notNull(),
    /** Host of the url and its port, cut to what an index holds beside a coin type; empty for a `data` url. */
    host: text('host')
      .notNull()
      .generatedAlwaysAs(
        sql`case when url like 'https://%' then left(split_part(url, '/', 3), 260) else '' end`,
      ),
    /** At most 64 KiB. Null until it was fetched, and for a file that is not such a picture. */
    picture: bytes('picture'),
    /** `image/png`, `image/jpeg` or `image/webp`, by the first bytes. */
    mediaType: text('media_type'),
    /** The reason why the last fetch failed. */
    lastError: text('last_error'),
    /** Failed fetches since the last success. */
    checkAttempts: integer('check_attempts').notNull().default(0),
    nextCheckAt: instant('next_check_at').notNull().defaultNow(),
    /** `true` if that time has come: fetches become ready in pages, so that those to come are not read with them. */
    checkReady: boolean('check_ready').notNull().default(true),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.coinType] }),
    index('coin_logos_next_checks').on(table.network, table.nextCheckAt).where(sql`not check_ready`),
    // A read of due fetches takes turns between the hosts, and between the packages.
    index('coin_logos_checks_of_host')
      .on(table.network, sql`least(check_attempts, 1)`, table.host, table.coinType)
      .where(sql`check_ready`),
    index('coin_logos_checks_of_package')
      .on(table.network, sql`least(check_attempts, 1)`, sql`split_part(coin_type, '::', 1)`, table.coinType)
      .where(sql`check_ready`),
  ],
);
