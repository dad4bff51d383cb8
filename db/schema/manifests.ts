import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** Manifest bodies whose bytes had the hash they are kept under. Never fetched twice. */
export const manifests = pgTable('manifests', {
  /** Lower-case hex sha256 of the canonical JSON. */
  hash: text('hash').primaryKey(),
  body: jsonb('body').$type<Record<string, unknown>>().notNull(),
  fetchedAt: instant('fetched_at').notNull().defaultNow(),
});

/**
 * Where each announced manifest stands. By uri as well as hash: a stranger's broken uri for the same hash must
 * not spoil the publisher's own.
 */
export const manifestFetches = pgTable(
  'manifest_fetches',
  {
    network: text('network').notNull(),
    hash: text('hash').notNull(),
    uri: text('uri').notNull(),
    /** `pending`, `verified`, `mismatch`, `invalid`, `unreachable`. */
    status: text('status').notNull().default('pending'),
    lastError: text('last_error'),
    attempts: integer('attempts').notNull().default(0),
    /** When it is fetched next; null when it will not be. */
    nextAttemptAt: instant('next_attempt_at').defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.hash, table.uri] }),
    index('manifest_fetches_due').on(table.nextAttemptAt).where(sql`next_attempt_at is not null`),
  ],
);
