import type { ManifestWarning, PublishedManifest } from '@adaptor-marketplace/adaptor/manifest';
import type { OpTerms } from '../../lib/actions/op-terms.ts';
import { boolean, index, integer, json, jsonb, pgTable, primaryKey, sql, text } from '../orm/drizzle.ts';
import { bytes, instant } from './columns.ts';

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

/**
 * The ops of manifests that become tools. They are computed when the manifest is stored, so that a list of tools reads no
 * manifest.
 */
export const opTools = pgTable(
  'op_tools',
  {
    manifestHash: text('manifest_hash').notNull(),
    /** Index in `ops` of the manifest. */
    position: integer('position').notNull(),
    terms: json('terms').$type<OpTerms>().notNull(),
  },
  (table) => [primaryKey({ columns: [table.manifestHash, table.position] })],
);

/**
 * Secret of this installation. It keys the names of tools and the digests of the senders of reports, and its digest identifies
 * the installation to replicas. The baseline migration makes its only row, so that all gateways agree, also after a restart.
 */
export const installationSecret = pgTable('installation_secret', { secret: bytes('secret').primaryKey() });

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
    /** `true` if that time has come: fetches become ready in pages, so that those to come are not read with them. */
    ready: boolean('ready').notNull().default(true),
    /** A publisher that names the manifest: a verified one if there is one. Empty if none was known. */
    publisher: text('publisher').notNull().default(''),
    /** `true` if a listing or rule of a verified publisher named the manifest when one of these was last stored. */
    verified: boolean('verified').notNull().default(false),
    /** Host of the uri, or the id of a blob. */
    host: text('host').notNull().generatedAlwaysAs(sql`lower(split_part(uri, '/', 3))`),
    /**
     * Time at which the status is next applied to a page of the listings and rules that name the manifest: they are
     * judged, and their entries refreshed. Null once the status is applied to all of them.
     */
    applyAt: instant('apply_at'),
    updatedAt: instant('updated_at').notNull().defaultNow(),
  },
  (table) => [
    primaryKey({ columns: [table.network, table.hash, table.uri] }),
    index('manifest_fetches_unapplied').on(table.network, table.applyAt).where(sql`apply_at is not null`),
    // Fetches that end when another uri brings the manifest.
    index('manifest_fetches_open').on(table.network, table.hash).where(sql`status <> 'verified'`),
    index('manifest_fetches_next')
      .on(table.network, table.nextAttemptAt)
      .where(sql`next_attempt_at is not null and not ready`),
    // A read of due fetches takes turns between the publishers, and between the hosts.
    ...(['publisher', 'host'] as const).map((group) =>
      index(`manifest_fetches_of_${group}`)
        .on(table.network, sql`least(attempts, 1)`, table.verified, table[group], table.hash, table.uri)
        .where(sql`next_attempt_at is not null and ready`),
    ),
  ],
);
