import { z } from 'zod';
import { columnTypes, type Item, type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { isTextShown } from '../hidden-texts.ts';
import { byPosition, type KeyedList, keyColumns, type Paging, toArrayText } from '../lists.ts';
import { cursorText, decodeCursor, encodeCursor, type Page, toPage } from '../page.ts';
import { eventPosition, keyRows, orderByKeys, type Queryable, toColumns } from '../queryable.ts';
import { holdsListing } from './maintain.ts';

const registered = readColumns(
  tables.listings,
  [
    'serviceType',
    'publisher',
    'packageId',
    'manifestUri',
    'manifestHash',
    'version',
    'listed',
    'nameError',
    'manifestError',
    'publisherCheck',
    'witnessCheck',
    'checkError',
  ],
  { updatedAtMs: 'updatedAt', registeredAtMs: 'registeredAt', publisherEverVerified: 'everVerified' },
);
const fetched = readColumns(tables.manifestFetches, [], { fetchError: 'lastError' });

/** A listing as registered, at its newest version, with the results of its checks. The catalog may show it or not. */
export interface ListingStanding extends Item<typeof registered> {
  /** Null until the manifest is queued. `pending` until the listing is compared with it. */
  fetchStatus: (typeof tables.manifestFetches.$inferSelect)['status'] | null;
  fetchError: string | null;
  /** It has an entry, which `include=unverified` shows. */
  hasEntry: boolean;
  /** Publisher of the entry that the catalog shows by default for the service type. */
  shownPublisher: string | null;
  /** Null unless an operator holds the listing in quarantine. */
  quarantined: Quarantine | null;
}

/** A quarantine in force: the operator's reason in words, and its start in milliseconds since the epoch. */
export interface Quarantine {
  reason: string;
  sinceMs: number;
}

interface StandingRow extends Row<typeof registered> {
  fetchStatus: ListingStanding['fetchStatus'];
  fetchError: string | null;
  hasEntry: boolean;
  shownPublisher: string | null;
  quarantineReason: string | null;
  quarantinedAt: Date;
}

const standingColumns = `${registered.select('l')}, ${fetched.select('f')},
  case when l.judgement_due and f.status = 'verified' then 'pending' else f.status end as "fetchStatus", e.publisher is not null as "hasEntry",
  shown.publisher as "shownPublisher", q.reason as "quarantineReason", q.since as "quarantinedAt"`;

const standings = `listings l
left join manifest_fetches f on f.network = l.network and f.hash = l.manifest_hash and f.uri = l.manifest_uri
left join catalog_entries e
  on e.network = l.network and e.service_type = l.service_type and e.publisher = l.publisher
left join catalog_entries shown on shown.network = l.network and shown.service_type = l.service_type and shown.shown
left join lateral (
  select q.reason, q.since from quarantines q where ${holdsListing('q', 'l')} order by q.since limit 1
) q on true`;

function toStanding(row: StandingRow): ListingStanding {
  const { fetchStatus, fetchError, hasEntry, shownPublisher, quarantineReason: reason, quarantinedAt } = row;
  const quarantined = reason === null ? null : { reason, sinceMs: quarantinedAt.getTime() };
  return { ...registered.toItem(row), fetchStatus, fetchError, hasEntry, shownPublisher, quarantined };
}

/**
 * SQL order of the listings of a service: the one that the catalog shows, then those that are nearest to being shown. A
 * stranger's comes last, also after one that its publisher unlisted: it must not hide that from those who use the
 * service.
 */
export const nearestFirst = `e.shown is true desc, l.ever_verified desc, e.shown desc nulls last, l.listed desc,
  l.publisher_check = 'verified' desc, l.registered_checkpoint, l.registered_tx_index, l.registered_event_index`;

/**
 * Reads the registered listings for the keys, in their order. Without a publisher: the listing that the catalog shows,
 * else the one that is nearest to being shown. Undefined if there never was one.
 */
export async function readListingStandings(
  db: Queryable,
  keys: readonly { network: string; serviceType: string; publisher?: string | undefined }[],
): Promise<(ListingStanding | undefined)[]> {
  const { rows } = await db.query<StandingRow & { nth: number }>({
    name: 'read-listing-standings',
    text: `
select key.nth::int, l.*
from ${keyRows(columnTypes(tables.listings, 'network', 'serviceType', 'publisher'))}
cross join lateral (
  select ${standingColumns} from ${standings}
  where l.network = key.network and l.service_type = key.service_type
    and (key.publisher is null or l.publisher = key.publisher)
  order by ${nearestFirst} limit 1
) l`,
    values: toColumns(keys, 'network', 'serviceType', 'publisher'),
  });
  return orderByKeys(keys, rows, toStanding);
}

/** Reads the quarantine of a service without an entry; undefined if it has none. */
export async function readQuarantine(
  db: Queryable,
  key: { network: string; serviceType: string },
): Promise<Quarantine | undefined> {
  const [listing] = await readListingStandings(db, [key]);
  return listing?.quarantined ?? undefined;
}

/**
 * Filters for the operator's list. `hidden`: not shown in the catalog. `manifest`: the manifest failed or is not that
 * of the listing. `unlisted`: no longer listed.
 */
export const listingFilters = ['hidden', 'manifest', 'unlisted', 'all'] as const;
type ListingFilter = (typeof listingFilters)[number];

/** Conditions of the indexes `listings_without_manifest` and `listings_without_witness`. */
const withoutManifest = 'l.listed and (l.name is null or l.manifest_error is not null)';
const withoutWitness = `l.listed and (l.name_error is not null or l.witness_check <> 'valid')`;

const buildKeysSql = (from: string, where: string) => `(
  select l.service_type, l.publisher from ${from}
  where l.network = $1 and (l.service_type, l.publisher) > ($2, $3) and ${where}
  order by l.service_type, l.publisher limit $4::int + 1
)`;

const unlessShown = `(select true from catalog_entries s
    where s.network = l.network and s.service_type = l.service_type and s.publisher = l.publisher and s.shown) is null`;

/** Two joins, because one with either column would read all listings. */
const quarantinedListings = ['service_type', 'publisher'].map(
  (column) => `quarantines q join listings l on l.network = q.network and l.${column} = q.subject`,
);

/**
 * SQL for the listings of a page, from indexes in its order. A listing has an entry if its name and witness are valid,
 * the manifest is its own, and it is not in quarantine. So a listing that is not shown lacks one of these, or has an
 * entry that is not shown.
 */
const pageByFilter: Record<ListingFilter, string> = {
  hidden: [
    buildKeysSql('listings l', `${withoutManifest} and ${unlessShown}`),
    buildKeysSql('listings l', `${withoutWitness} and ${unlessShown}`),
    buildKeysSql('catalog_entries l', 'not l.shown'),
    ...quarantinedListings.map((from) => buildKeysSql(from, 'l.listed')),
  ].join(' union '),
  // A subquery for each listing: a join would read all fetches of the network.
  manifest: buildKeysSql(
    'listings l',
    `${withoutManifest} and (l.manifest_error is not null or (
      select f.status in ('mismatch', 'invalid', 'unreachable') from manifest_fetches f
      where f.network = l.network and f.hash = l.manifest_hash and f.uri = l.manifest_uri
    ))`,
  ),
  unlisted: buildKeysSql('listings l', 'not l.listed'),
  all: buildKeysSql('listings l', 'true'),
};

/** A listing as the operator sees it, with the state of the fetches of its manifest. */
interface HostListing extends ListingStanding {
  fetchAttempts: number;
  /** Time of the next fetch; null if none is scheduled. */
  nextFetchMs: number | null;
}

interface HostListingsQuery {
  network: string;
  filter: ListingFilter;
  limit: number;
  cursor?: string | undefined;
}

/**
 * Reads the listings of a network, by service type and publisher.
 * @throws ProblemError `bad_cursor`
 */
export async function readHostListings(
  db: Queryable,
  { network, filter, limit, cursor }: HostListingsQuery,
): Promise<Page<HostListing>> {
  const after = cursor === undefined ? ['', ''] : decodeCursor(cursor, z.tuple([cursorText, cursorText]));
  const { rows } = await db.query<StandingRow & { fetchAttempts: number; nextFetchAt: Date | null }>({
    name: `host-listings-${filter}`,
    // In the order of the primary key, so that a page begins where its index says.
    text: `select ${standingColumns}, coalesce(f.attempts, 0) as "fetchAttempts", f.next_attempt_at as "nextFetchAt"
      from (${pageByFilter[filter]}) page
      join (${standings}) on l.network = $1 and l.service_type = page.service_type and l.publisher = page.publisher
      order by l.service_type, l.publisher limit $4::int + 1`,
    values: [network, ...after, limit],
  });
  const toItem = (row: (typeof rows)[number]) => ({
    ...toStanding(row),
    fetchAttempts: row.fetchAttempts,
    nextFetchMs: row.nextFetchAt?.getTime() ?? null,
  });
  return toPage(rows, limit, toItem, (row) => encodeCursor([row.serviceType, row.publisher]));
}

interface PublisherListingsKey extends Paging {
  network: string;
  publisher: string;
}

/** All listings that a publisher ever registered, the newest first. */
export const publisherListingList: KeyedList<PublisherListingsKey, StandingRow, ListingStanding> = {
  name: 'listings-of-publisher',
  key: keyColumns(tables.listings, 'network', 'publisher'),
  from: standings,
  where: 'l.network = key.network and l.publisher = key.publisher',
  select: standingColumns,
  ...byPosition('l.registered_checkpoint', 'l.registered_tx_index', 'l.registered_event_index'),
  toItem: toStanding,
};

const attested = ['attester', 'score', 'commentUri', ...eventPosition] as const;
const attestationColumns = readColumns(tables.attestations, attested, { timestampMs: 'timestamp' });
const reviewColumns = readColumns(tables.reviews, [...attested, 'verified'], { timestampMs: 'timestamp' });

export interface Attestation extends Item<typeof attestationColumns> {}

/**
 * An attester's latest attestation of a service. It is verified if the attester used the service before. `text` is null
 * if the indexer has none for `commentUri`, and if the operator hid it.
 */
export interface Review extends Item<typeof reviewColumns> {
  text: string | null;
}

interface ReviewsKey extends Paging {
  network: string;
  serviceType: string;
  publisher: string;
  /**
   * Restricts the list to reviews whose attester used the service before (`true`) or did not (`false`). Undefined:
   * both.
   */
  verified?: boolean | undefined;
}

/**
 * The reviews of a listing, the newest first. They belong to the service type: a listing whose publisher is or was
 * verified has all of them since the earliest registration of such a publisher, and another listing has none.
 */
export const reviewList: KeyedList<ReviewsKey, Row<typeof reviewColumns> & Pick<Review, 'text'>, Review> = {
  name: 'reviews',
  key: keyColumns(tables.listings, 'network', 'serviceType', 'publisher'),
  filters: {
    verified: { column: ['boolean', ({ verified }) => verified], where: 'r.verified = key.verified' },
  },
  from: `reviews r
  join listings l on l.network = r.network and l.service_type = r.service_type and l.publisher = key.publisher
  cross join lateral (
    select first.* from listings first
    where first.network = key.network and first.service_type = key.service_type and first.ever_verified
    order by first.registered_checkpoint, first.registered_tx_index, first.registered_event_index limit 1) since`,
  where: `r.network = key.network and r.service_type = key.service_type and l.ever_verified
    and (r.checkpoint, r.tx_index, r.event_index)
      > (since.registered_checkpoint, since.registered_tx_index, since.registered_event_index)`,
  select: reviewColumns.select('r'),
  rest: `left join review_texts t on t.network = key.network and t.uri = at."commentUri" and ${isTextShown('t')}`,
  columns: 'at.*, t.body as text',
  ...byPosition('r.checkpoint', 'r.tx_index', 'r.event_index'),
  toItem: (row) => ({ ...reviewColumns.toItem(row), text: row.text }),
};

interface AttestationsKey extends Paging {
  network: string;
  serviceType: string;
  /** Attestations by any of these addresses. */
  attesters?: readonly string[] | undefined;
}

/** Every attestation of a service, superseded ones included, the newest first. */
export const attestationList: KeyedList<AttestationsKey, Row<typeof attestationColumns>, Attestation> = {
  name: 'attestations',
  key: keyColumns(tables.attestations, 'network', 'serviceType'),
  filters: {
    attesters: {
      column: ['text', ({ attesters }) => toArrayText(attesters)],
      join: 'join unnest(key.attesters::text[]) filtered (attester) on filtered.attester = a.attester',
    },
  },
  from: 'attestations a',
  where: 'a.network = key.network and a.service_type = key.service_type',
  select: attestationColumns.select('a'),
  ...byPosition('a.checkpoint', 'a.tx_index', 'a.event_index'),
  toItem: attestationColumns.toItem,
};
