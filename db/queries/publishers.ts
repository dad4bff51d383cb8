import type { PublisherProfile } from '@adaptor-marketplace/adaptor/manifest';
import { isPictureShown } from './hidden-pictures.ts';
import type { KeyColumns, KeyedList, Paging } from './lists.ts';
import { createLookup } from './lookups.ts';
import { toMsSql } from './queryable.ts';

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
  /** Its SuiNS name. */
  name: string | null;
  /** Profile of its latest entry that has one, of those for packages of its own. */
  profile: PublisherProfile | null;
  /** `true` if the icon of this profile was fetched, and no operator hid it. */
  hasIcon: boolean;
  /** Domain of this profile, if its file named the publisher at the last check. */
  domain: { domain: string; lastSeenMs: number } | null;
}

interface PublisherKey {
  network: string;
  address: string;
}

const average = (sum: string, count: string) =>
  `round(sum(e.${sum})::numeric / nullif(sum(e.${count}), 0), 2)::float8`;

const publisherKey: KeyColumns<PublisherKey> = {
  network: ['text', ({ network }) => network],
  address: ['text', ({ address }) => address],
};

/** SQL that selects from row `e`: the latest entry with a profile of publisher `key`, of those for packages of its own. */
export const buildLatestProfileSql = (columns: string) => `select ${columns} from catalog_entries e
  where e.network = key.network and e.publisher = key.address and e.publisher_verified and e.profile is not null
  order by e.updated_at desc, e.service_type limit 1`;

/** Reads publishers. Undefined if the address registered nothing. */
export const readPublishers = createLookup<PublisherKey, Publisher>({
  name: 'find-publishers',
  key: publisherKey,
  select: `key.address, p.*, named.name, latest.profile, latest.domain,
    exists (select from pictures i
      where i.network = key.network and i.subject = key.address and i.picture is not null
        and ${isPictureShown('i')}) as "hasIcon"`,
  join: `
left join publisher_proofs named
  on named.network = key.network and named.publisher = key.address and named.kind = 'suins' and named.claim = ''
left join lateral (
  ${buildLatestProfileSql(`e.profile, case when e.domain_seen_at is not null
    then json_build_object('domain', e.domain, 'lastSeenMs', ${toMsSql('e.domain_seen_at')}) end as domain`)}
) latest on true
cross join lateral (
  select ${toMsSql('min(l.registered_at)')} as "firstSeenMs", count(*)::int as registered,
    (count(*) filter (where l.listed))::int as listed,
    (count(*) filter (where l.publisher_check = 'verified'))::int as verified,
    (count(*) filter (where e.shown))::int as shown, count(distinct l.package_id)::int as packages,
    coalesce(sum(e.actions), 0)::bigint as actions, ${toMsSql('max(e.last_action_at)')} as "lastActionMs",
    json_build_object('count', coalesce(sum(e.review_count), 0), 'avg', ${average('score_sum', 'review_count')},
      'verifiedCount', coalesce(sum(e.verified_count), 0),
      'verifiedAvg', ${average('verified_sum', 'verified_count')},
      'lastMs', ${toMsSql('max(e.last_review_at)')}) as reviews
  from listings l
  left join catalog_entries e
    on e.network = l.network and e.service_type = l.service_type and e.publisher = l.publisher
  where l.network = key.network and l.publisher = key.address
) p
where p.registered > 0`,
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

export const packageList: KeyedList<PublisherKey & Paging, PublisherPackage, PublisherPackage> = {
  name: 'packages-of-publisher',
  key: publisherKey,
  from: `(
    select l.package_id as "packageId", count(*)::int as listings, bool_or(l.publisher_check = 'verified') as verified,
      ${toMsSql('min(l.registered_at)')} as "firstSeenMs"
    from listings l where l.network = key.network and l.publisher = key.address group by l.package_id
  ) p`,
  where: 'true',
  select: 'p.*',
  order: [['p."packageId"', 'id']],
  toItem: ({ packageId, listings, verified, firstSeenMs }) => ({
    packageId,
    listings,
    verified,
    firstSeenMs,
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

/** Reads integrators. Undefined if no shown entry names it. */
export const readIntegrators = createLookup<IntegratorKey, Integrator>({
  name: 'find-integrators',
  key: { network: ['text', ({ network }) => network], name: ['text', ({ name }) => name] },
  select: 'key.name, i.*',
  join: `
cross join lateral (
  select count(*)::int as adaptors, coalesce(sum(e.actions), 0)::bigint as actions,
    ${toMsSql('max(e.last_action_at)')} as "lastActionMs"
  from catalog_entries e
  where e.network = key.network and e.integrator collate "C" = key.name and e.shown
) i
where i.adaptors > 0`,
});

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
