import type { z } from 'zod';
import { decodeCursor, encodeCursor, type Page, positionShape, toPage } from '../page.ts';
import type { Queryable } from '../queryable.ts';

/** A listing as registered, and what is known of it, whether the catalog shows it or not. */
export interface ListingStanding {
  serviceType: string;
  publisher: string;
  /** Of the newest version. */
  packageId: string;
  manifestUri: string;
  manifestHash: string;
  version: number;
  updatedAtMs: number;
  listed: boolean;
  nameError: string | null;
  /** Why the manifest is not that of this listing. */
  manifestError: string | null;
  /** Null before the manifest was queued. */
  fetchStatus: 'pending' | 'verified' | 'mismatch' | 'invalid' | 'unreachable' | null;
  fetchError: string | null;
  publisherCheck: 'pending' | 'verified' | 'unverified' | 'unknown';
  witnessCheck: 'pending' | 'valid' | 'invalid';
  checkError: string | null;
  /** It has an entry, which `include=unverified` shows. */
  hasEntry: boolean;
  /** Publisher of the entry that the catalog shows by default for the service type. */
  shownPublisher: string | null;
}

/**
 * What one publisher registered for a service type. Without a publisher: what the catalog shows, else the listing that is
 * nearest to it. Undefined if there never was one.
 */
export async function readListingStanding(
  db: Queryable,
  key: { network: string; serviceType: string; publisher?: string | undefined },
): Promise<ListingStanding | undefined> {
  const { rows } = await db.query<Omit<ListingStanding, 'updatedAtMs'> & { updatedAt: Date }>({
    name: 'read-listing-standing',
    text: `
select l.service_type as "serviceType", l.publisher, l.package_id as "packageId", l.manifest_uri as "manifestUri",
  l.manifest_hash as "manifestHash", l.version, l.updated_at as "updatedAt", l.listed, l.name_error as "nameError",
  l.manifest_error as "manifestError", f.status as "fetchStatus", f.last_error as "fetchError",
  l.publisher_check as "publisherCheck", l.witness_check as "witnessCheck", l.check_error as "checkError",
  e.publisher is not null as "hasEntry", shown.publisher as "shownPublisher"
from listings l
left join manifest_fetches f on f.network = l.network and f.hash = l.manifest_hash and f.uri = l.manifest_uri
left join catalog_entries e
  on e.network = l.network and e.service_type = l.service_type and e.publisher = l.publisher
left join catalog_entries shown on shown.network = l.network and shown.service_type = l.service_type and shown.shown
where l.network = $1 and l.service_type = $2 and ($3::text is null or l.publisher = $3)
order by e.shown desc nulls last, l.listed desc, l.publisher_check = 'verified' desc,
  l.registered_checkpoint, l.registered_tx_index, l.registered_event_index
limit 1`,
    values: [key.network, key.serviceType, key.publisher ?? null],
  });
  const [row] = rows;
  if (!row) return undefined;
  const { updatedAt, ...standing } = row;
  return { ...standing, updatedAtMs: updatedAt.getTime() };
}

/** An attester's latest attestation of a service. */
interface Review {
  attester: string;
  score: number;
  commentUri: string;
  /** The attester used the service before. */
  verified: boolean;
  timestampMs: number;
  checkpoint: number;
}

interface ReviewRow {
  attester: string;
  score: number;
  comment_uri: string;
  verified: boolean;
  timestamp: Date;
  checkpoint: number;
  tx_index: number;
  event_index: number;
}

/**
 * The reviews of a listing, the newest first: those since its first registration.
 * @throws ProblemError `bad_cursor`
 */
export async function readReviews(
  db: Queryable,
  key: { network: string; serviceType: string; publisher: string; first: number; after?: string | undefined },
): Promise<Page<Review>> {
  const after: z.infer<typeof positionShape> | undefined =
    key.after === undefined ? undefined : decodeCursor(key.after, positionShape);
  const { rows } = await db.query<ReviewRow>({
    name: 'list-reviews',
    text: `
select r.attester, r.score, r.comment_uri, r.verified, r.timestamp, r.checkpoint, r.tx_index, r.event_index
from reviews r
join listings l on l.network = r.network and l.service_type = r.service_type and l.publisher = $3
where r.network = $1 and r.service_type = $2
  and (r.checkpoint, r.tx_index, r.event_index)
    > (l.registered_checkpoint, l.registered_tx_index, l.registered_event_index)
  and (r.checkpoint, r.tx_index, r.event_index) < ($5::bigint, $6::int, $7::int)
order by r.checkpoint desc, r.tx_index desc, r.event_index desc
limit $4 + 1`,
    values: [key.network, key.serviceType, key.publisher, key.first, ...(after ?? afterAll)],
  });
  return toPage(
    rows,
    key.first,
    (row) => ({
      attester: row.attester,
      score: row.score,
      commentUri: row.comment_uri,
      verified: row.verified,
      timestampMs: row.timestamp.getTime(),
      checkpoint: row.checkpoint,
    }),
    (row) => encodeCursor([row.checkpoint, row.tx_index, row.event_index]),
  );
}

/** Behind every position. */
const afterAll = [Number.MAX_SAFE_INTEGER, 2 ** 31 - 1, 2 ** 31 - 1];
