import {
  bigint,
  boolean,
  index,
  integer,
  pgTable,
  primaryKey,
  sql,
  text,
  uniqueIndex,
} from '../orm/drizzle.ts';
import { bytes, instant } from './columns.ts';

/** Logos of coins whose metadata names one, and icons of publishers whose profile does, as they were fetched. */
export const pictures = pgTable(
  'pictures',
  {
    network: text('network').notNull(),
    /** A coin type, or the address of a publisher. */
    subject: text('subject').notNull(),
    /** An `https` url, or a `data` url if the metadata of a coin has one. */
    url: text('url').notNull(),
    /** Host of the url and its port, cut to what an index holds beside the subject; empty for a `data` url. */
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
    primaryKey({ columns: [table.network, table.subject] }),
    index('pictures_next_checks').on(table.network, table.nextCheckAt).where(sql`not check_ready`),
    // A read of due fetches takes turns between the hosts, and between the packages of coins and the publishers.
    index('pictures_checks_of_host')
      .on(table.network, sql`least(check_attempts, 1)`, table.host, table.subject)
      .where(sql`check_ready`),
    index('pictures_checks_of_owner')
      .on(table.network, sql`least(check_attempts, 1)`, sql`split_part(subject, '::', 1)`, table.subject)
      .where(sql`check_ready`),
  ],
);

/** Pictures that an operator hid. A new file of the subject stays hidden. */
export const hiddenPictures = pgTable(
  'hidden_pictures',
  {
    id: bigint('id', { mode: 'number' }).primaryKey().generatedAlwaysAsIdentity(),
    network: text('network').notNull(),
    /** A coin type in canonical form, or the address of a publisher. */
    subject: text('subject').notNull(),
    /** Url of the picture when it was hidden. */
    url: text('url').notNull(),
    reason: text('reason').notNull(),
    /** Name that the operator gave: the admin secret names no person. */
    operator: text('operator').notNull(),
    hiddenAt: instant('hidden_at').notNull().default(sql`date_trunc('milliseconds', clock_timestamp())`),
  },
  (table) => [uniqueIndex('hidden_pictures_of_subject').on(table.network, table.subject)],
);
