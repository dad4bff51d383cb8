import type { ManifestWarning, PublishedManifest } from '@adaptor-marketplace/adaptor/manifest';
import { sql } from 'drizzle-orm';
import { index, integer, jsonb, pgTable, primaryKey, text } from 'drizzle-orm/pg-core';
import { instant } from './columns.ts';

/** Manifest bodies by their hash, which was verified. They are never fetched twice. */
export const manifests = pgTable('manifests', {
  /** Lower-case hex sha256 of the canonical JSON. */
  hash: text('hash').primaryKey(),
  /** The manifest as its publisher wrote it. */
  body: jsonb('body').$type<PublishedManifest>().notNull(),
  /** The manifest as it is shown, if odd fields were adjusted. Null: as published. */
  shown: jsonb('shown').$type<Record<string, unknown>>(),
  /** Names what was adjusted. Empty if nothing was. */
  warnings: jsonb('warnings').$type<ManifestWarning[]>().notNull().default([]),
  fetchedAt: instant('fetched_at').notNull().defaultNow(),
});

type FetchStatus = 'pending' | 'verified' | 'mismatch' | 'invalid' | 'unreachable';

/**
 * State of the fetch of each announced manifest. The key includes the uri as well as the hash: a stranger's broken uri
 * for the same hash must not affect the publisher's own.
 */
export const manifestFetches = pgTable(
  'manifest_fetches',
  {
    network: text('network').notNull(),
    hash: text('hash').notNull(),
    uri: text('uri').notNull(),
    status: text('status').$type<FetchStatus>().notNull().default('pending'),
    lastError: text('last_error'),
    attempts: integer('attempts').notNull().default(0),
    /** Time of the next fetch. Null if none is scheduled. */
    nextAttemptAt: instant('next_attempt_at').defaultNow(),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.hash, table.uri] }),
    index('manifest_fetches_due').on(table.nextAttemptAt).where(sql`next_attempt_at is not null`),
  ],
);
