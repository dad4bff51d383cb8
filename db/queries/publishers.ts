import type { KeyedList, Paging } from './lists.ts';
import { keyRows, orderByKeys, type Queryable, toColumns } from './queryable.ts';

/** An address that registered adaptors, with counts of its listings, their usage and their reviews. */
interface Publisher {
  address: string;
  firstSeenMs: number;
  /** Number of listings that it ever registered; `listed`: listed now; `verified`: for packages of its own. */
  registered: number;
  listed: number;
  verified: number;
  /** Listings that the catalog shows by default. */
  shown: number;
  packages: number;
  /** Counted uses of its front entries: those that stand for their service types. */
  actions: number;
  lastActionMs: number | null;
  reviews: {
    count: number;
    avg: number | null;
    verifiedCount: number;
    verifiedAvg: number | null;
    lastMs: number | null;
  };
}

interface PublisherKey {
  network: string;
  address: string;
}

interface PublisherRow extends Omit<Publisher, 'firstSeenMs' | 'lastActionMs' | 'reviews'> {
  nth: number;
  firstSeenAt: Date;
  lastActionAt: Date | null;
  reviews: Omit<Publisher['reviews'], 'lastMs'>;
  lastReviewAt: Date | null;
}

const average = (sum: string, count: string) =>
  `round(sum(e.${sum})::numeric / nullif(sum(e.${count}), 0), 2)::float8`;

/** Reads many publishers in one round trip, in the order of the keys. Undefined if the address registered nothing. */
export async function readPublishers(
  db: Queryable,
  keys: readonly PublisherKey[],
): Promise<(Publisher | undefined)[]> {
  const { rows } = await db.query<PublisherRow>({
    name: 'find-publishers',
    text: `
select key.nth::int, key.address, p.*
from ${keyRows({ network: 'text', address: 'text' })}
cross join lateral (
  select min(l.registered_at) as "firstSeenAt", count(*)::int as registered,
    (count(*) filter (where l.listed))::int as listed,
    (count(*) filter (where l.publisher_check = 'verified'))::int as verified,
    (count(*) filter (where e.shown))::int as shown, count(distinct l.package_id)::int as packages,
    coalesce(sum(e.actions), 0)::bigint as actions, max(e.last_action_at) as "lastActionAt",
    json_build_object('count', coalesce(sum(e.review_count), 0), 'avg', ${average('score_sum', 'review_count')},
      'verifiedCount', coalesce(sum(e.verified_count), 0),
      'verifiedAvg', ${average('verified_sum', 'verified_count')}) as reviews,
    max(e.last_review_at) as "lastReviewAt"
  from listings l
  left join catalog_entries e
    on e.network = l.network and e.service_type = l.service_type and e.publisher = l.publisher
  where l.network = key.network and l.publisher = key.address
) p
where p.registered > 0`,
    values: toColumns(keys, 'network', 'address'),
  });
  return orderByKeys(keys, rows, toPublisher);
}

const toPublisher = ({ nth: _, firstSeenAt, lastActionAt, reviews, lastReviewAt, ...row }: PublisherRow) => ({
  ...row,
  firstSeenMs: firstSeenAt.getTime(),
  lastActionMs: lastActionAt?.getTime() ?? null,
  reviews: { ...reviews, lastMs: lastReviewAt?.getTime() ?? null },
});

interface PublishersKey extends Paging {
  network: string;
}

/** The addresses that registered adaptors. */
export const publisherList: KeyedList<PublishersKey, { publisher: string }, string> = {
  name: 'publishers',
  key: { network: ['text', ({ network }) => network] },
  from: '(select distinct l.publisher from listings l where l.network = key.network) p',
  where: 'true',
  select: 'p.publisher',
  order: [['p.publisher', 'id']],
  toItem: ({ publisher }) => publisher,
};

/** A package for which a publisher registered adaptors. */
export interface PublisherPackage {
  packageId: string;
  listings: number;
  /** The publisher published it or owns its UpgradeCap. */
  verified: boolean;
  firstSeenMs: number;
}

export const packageList: KeyedList<
  PublisherKey & Paging,
  Omit<PublisherPackage, 'firstSeenMs'> & { firstSeenAt: Date },
  PublisherPackage
> = {
  name: 'packages-of-publisher',
  key: {
    network: ['text', ({ network }) => network],
    address: ['text', ({ address }) => address],
  },
  from: `(
    select l.package_id as "packageId", count(*)::int as listings, bool_or(l.publisher_check = 'verified') as verified,
      min(l.registered_at) as "firstSeenAt"
    from listings l where l.network = key.network and l.publisher = key.address group by l.package_id
  ) p`,
  where: 'true',
  select: 'p.*',
  order: [['p."packageId"', 'id']],
  toItem: ({ packageId, listings, verified, firstSeenAt }) => ({
    packageId,
    listings,
    verified,
    firstSeenMs: firstSeenAt.getTime(),
  }),
};

/** A partner that manifests name, with totals over the shown entries. Anyone can name any partner. */
interface Integrator {
  name: string;
  adaptors: number;
  actions: number;
  lastActionMs: number | null;
}

interface IntegratorKey {
  network: string;
  name: string;
}

/** Reads many integrators in one round trip, in the order of the keys. Undefined if no shown entry names it. */
export async function readIntegrators(
  db: Queryable,
  keys: readonly IntegratorKey[],
): Promise<(Integrator | undefined)[]> {
  const { rows } = await db.query<
    Omit<Integrator, 'lastActionMs'> & { nth: number; lastActionAt: Date | null }
  >({
    name: 'find-integrators',
    text: `
select key.nth::int, key.name, i.*
from ${keyRows({ network: 'text', name: 'text' })}
cross join lateral (
  select count(*)::int as adaptors, coalesce(sum(e.actions), 0)::bigint as actions,
    max(e.last_action_at) as "lastActionAt"
  from catalog_entries e
  where e.network = key.network and e.integrator collate "C" = key.name and e.shown
) i
where i.adaptors > 0`,
    values: toColumns(keys, 'network', 'name'),
  });
  return orderByKeys(keys, rows, ({ lastActionAt, name, adaptors, actions }) => ({
    name,
    adaptors,
    actions,
    lastActionMs: lastActionAt?.getTime() ?? null,
  }));
}

/** The integrators that shown entries name. */
export const integratorList: KeyedList<PublishersKey, { integrator: string }, string> = {
  name: 'integrators',
  key: { network: ['text', ({ network }) => network] },
  from: `(
    select distinct e.integrator collate "C" as integrator from catalog_entries e
    where e.network = key.network and e.shown and e.integrator is not null
  ) i`,
  where: 'true',
  select: 'i.integrator',
  order: [['i.integrator', 'text']],
  toItem: ({ integrator }) => integrator,
};
