import type { VerifiedManifest } from '@adaptor-marketplace/adaptor/manifest';
import type { ClientBase } from 'pg';
import { lockUntilCommit } from '../lock.ts';
import { unnestColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import { type RegistrationTable, typeColumns } from './checks.ts';
import { type DueItems, readDue } from './due.ts';
import { createLookup } from './lookups.ts';
import { orderByKeys, type Queryable, toColumns } from './queryable.ts';
import { shownManifest } from './shown-manifest.ts';
import { createWrite } from './writes.ts';

const namedColumns = ['hash', 'uri'] as const;

/** A manifest as a listing or a rule names it. */
export type ManifestRef = Pick<typeof tables.manifestFetches.$inferSelect, (typeof namedColumns)[number]>;

/**
 * Locks a network's references to manifests and the state of its manifests until the end of the transaction. Separate
 * transactions write listings, rules and fetches. Without the lock, one could delete a manifest that another has just
 * begun to name, or leave it unchecked. Take it before you change any row.
 */
export const lockManifests = (client: ClientBase, network: string): Promise<void> =>
  lockUntilCommit(client, `manifests ${network}`);

/**
 * Updates `manifest_fetches` after listings or rules changed: it holds exactly the manifests that the present ones
 * name. A manifest that is announced again is tried again. A verified body stays in `manifests` and is never fetched
 * again.
 * @param named manifests that the changed listings or rules name now
 * @param former manifests that they named before
 * @returns the hashes of those whose bodies are stored already
 */
export async function announceManifests(
  client: ClientBase,
  network: string,
  named: readonly ManifestRef[],
  former: readonly ManifestRef[],
): Promise<string[]> {
  const { rows } = await client.query<{ hash: string }>({
    name: 'announce-manifests',
    text: `with named as (
        select distinct c.hash, c.uri, m.hash is not null as known
        from ${unnestColumns(tables.manifestFetches, 2, namedColumns)} left join manifests m on m.hash = c.hash),
      announced as (
        insert into manifest_fetches (network, hash, uri, status, next_attempt_at)
        select $1, hash, uri, case when known then 'verified' else 'pending' end, case when not known then now() end
        from named
        on conflict (network, hash, uri) do update set next_attempt_at = now(), attempts = 0
          where manifest_fetches.status <> 'verified'),
      forgotten as (
        delete from manifest_fetches f using ${unnestColumns(tables.manifestFetches, 4, namedColumns)}
        where f.network = $1 and f.hash = c.hash and f.uri = c.uri
          and not exists (select from listings l
            where l.network = f.network and l.manifest_hash = f.hash and l.manifest_uri = f.uri)
          and not exists (select from rules r
            where r.network = f.network and r.manifest_hash = f.hash and r.manifest_uri = f.uri))
      select distinct hash from named where known`,
    values: [network, ...toColumns(named, ...namedColumns), ...toColumns(former, ...namedColumns)],
  });
  return rows.map(({ hash }) => hash);
}

/** Reads the manifests that these rules named when they were last stored. */
export async function readRuleManifests(
  client: ClientBase,
  network: string,
  rules: readonly { ruleType: string; publisher: string }[],
): Promise<ManifestRef[]> {
  const { rows } = await client.query<ManifestRef>({
    name: 'find-manifests-of-rules',
    text: `select r.manifest_hash as hash, r.manifest_uri as uri
      from ${unnestColumns(tables.rules, 2, ['ruleType', 'publisher'])}
      join rules r on r.network = $1 and r.rule_type = c.rule_type and r.publisher = c.publisher`,
    values: [network, ...toColumns(rules, 'ruleType', 'publisher')],
  });
  return rows;
}

/** A fetch that has not succeeded. */
export interface ManifestFetch extends ManifestRef {
  /** Attempts made before. */
  attempts: number;
  /** Time since the fetch became due, in milliseconds. */
  waitedMs: number;
}

interface DueFetch extends ManifestFetch {
  /** A publisher that names the manifest; empty if there is none. */
  publisher: string;
  /** A listing or rule of a verified publisher names the manifest. */
  verified: boolean;
}

const waitedMs = (f: string) =>
  `(extract(epoch from now() - ${f}.next_attempt_at) * 1000)::float8 as "waitedMs"`;

/** `first`: first attempts, for which the fast slots are reserved. `again`: attempts at hosts that have failed. */
export type Attempt = 'first' | 'again';

/**
 * Reads the due fetches, in a fair order. Manifests that a verified publisher's listing or rule names come first.
 * Within both groups, the second fetch of a publisher or a host comes after the first of every other one, and so on. A
 * stranger creates publishers and hosts for free, so a limit on only one of them would let a stranger delay everyone.
 */
export async function readDueFetches(
  db: Queryable,
  network: string,
  attempt: Attempt,
  limit: number,
): Promise<DueItems<DueFetch>> {
  return await readDue<DueFetch>(db, {
    name: `due-fetches-${attempt}`,
    rows: `with due as (
        select f.hash, f.uri, f.attempts, ${waitedMs('f')}, coalesce(named.publisher, '') as publisher,
          coalesce(named.verified, false) as verified, lower(split_part(f.uri, '/', 3)) as host
        from manifest_fetches f
        left join lateral (
          select publisher, listed and publisher_check = 'verified' and witness_check <> 'invalid' as verified
          from listings l
          where l.network = f.network and l.manifest_hash = f.hash and l.manifest_uri = f.uri
          union all
          select publisher, listed and publisher_check = 'verified' and witness_check <> 'invalid'
          from rules r
          where r.network = f.network and r.manifest_hash = f.hash and r.manifest_uri = f.uri
          order by verified desc, publisher limit 1) named on true
        where f.network = $1 and f.next_attempt_at <= now()
          and ${attempt === 'first' ? 'f.attempts = 0' : 'f.attempts > 0'}
      ), by_publisher as (
        select *, row_number() over (partition by verified, publisher order by random()) as of_publisher from due
      ), by_host as (
        select *, row_number() over (partition by verified, host order by of_publisher, random()) as of_host
        from by_publisher
      )
      select hash, uri, attempts, "waitedMs", publisher, verified,
        row_number() over (order by verified desc, greatest(of_publisher, of_host), random()) as nth
      from by_host order by nth limit $2`,
    moments: { column: 'next_attempt_at', from: 'manifest_fetches where network = $1' },
    values: [network, limit],
  });
}

/** Reads fetches in their current state, in the order of the keys; undefined for one that is no longer due. */
export async function readCurrentFetches(
  db: Queryable,
  network: string,
  keys: readonly ManifestRef[],
): Promise<(ManifestFetch | undefined)[]> {
  const { rows } = await db.query<ManifestFetch & { nth: number }>({
    name: 'current-fetches',
    text: `select key.nth::int, f.hash, f.uri, f.attempts, ${waitedMs('f')}
      from unnest($2::text[], $3::text[]) with ordinality as key (hash, uri, nth)
      join manifest_fetches f on f.network = $1 and f.hash = key.hash and f.uri = key.uri
      where f.next_attempt_at <= now()`,
    values: [network, ...toColumns(keys, 'hash', 'uri')],
  });
  return orderByKeys(keys, rows, ({ nth: _, ...fetch }) => fetch);
}

/** Reads verified manifests by their hashes, from any url and network, in the order of the hashes. */
export const readManifests = createLookup<
  string,
  Pick<typeof tables.manifests.$inferSelect, 'body' | 'shown' | 'warnings'>,
  VerifiedManifest
>({
  name: 'find-manifests',
  key: { hash: ['text', (hash) => hash] },
  select: 'm.body, m.shown, m.warnings',
  join: 'join manifests m on m.hash = key.hash',
  toItem: ({ body, shown, warnings }) => ({ body, ...(shown && { adjusted: { shown, warnings } }) }),
});

/** Stores verified bodies, and ends every fetch of their hashes in the network. */
export const storeManifests = createWrite<ManifestRef & VerifiedManifest>(
  'store-manifests',
  `with stored as (
      insert into manifests (hash, body, shown, warnings)
      select hash, body, shown, warnings
      from unnest($2::text[], $4::jsonb[], $5::jsonb[], $6::jsonb[]) as m (hash, body, shown, warnings)
      on conflict do nothing)
    update manifest_fetches f set status = 'verified', last_error = null, next_attempt_at = null, updated_at = now(),
      attempts = attempts + case when (hash, uri) in (select * from unnest($2::text[], $3::text[])) then 1 else 0 end
    where network = $1 and hash = any ($2)`,
  (manifests) => [
    ...toColumns(manifests, 'hash', 'uri'),
    manifests.map(({ body }) => JSON.stringify(body)),
    manifests.map(({ adjusted }) => (adjusted ? JSON.stringify(adjusted.shown) : null)),
    manifests.map(({ adjusted }) => JSON.stringify(adjusted?.warnings ?? [])),
  ],
);

interface FetchFailure extends ManifestRef {
  status: string;
  reason: string;
  /** Null: no retry. */
  retryAfterSeconds: number | null;
}

/** Stores the errors of failed fetches. */
export const recordFetchFailures = createWrite<FetchFailure>(
  'record-fetch-failures',
  `update manifest_fetches f set status = c.status, last_error = c.reason, attempts = attempts + 1, updated_at = now(),
      next_attempt_at = now() + make_interval(secs => c.retry_after)
    from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::float8[])
      as c (hash, uri, status, reason, retry_after)
    where f.network = $1 and f.hash = c.hash and f.uri = c.uri and f.status <> 'verified'`,
  ['hash', 'uri', 'status', 'reason', 'retryAfterSeconds'],
);

/** A listing or rule, with the claims of its verified manifest about it. */
export interface ManifestClaim {
  table: RegistrationTable;
  type: string;
  publisher: string;
  packageId: string;
  /** Null in a rule's manifest. */
  claimedServiceType: string | null;
  claimedRuleType: string;
  claimedPackageId: string;
  name: string;
}

const buildClaimsSql = (table: RegistrationTable) => `
  select '${table}' as table, l.${typeColumns[table]} as type, l.publisher, l.package_id as "packageId",
    m.body ->> 'serviceType' as "claimedServiceType", m.body ->> 'ruleType' as "claimedRuleType",
    m.body ->> 'packageId' as "claimedPackageId", ${shownManifest} ->> 'name' as name
  from named
  join manifests m on m.hash = named.hash
  join ${table} l on l.network = $1 and l.manifest_hash = m.hash`;

/** Reads the listings and rules with these manifests, for manifests that are stored. */
export async function readManifestClaims(
  client: ClientBase,
  network: string,
  hashes: readonly string[],
): Promise<ManifestClaim[]> {
  const { rows } = await client.query<ManifestClaim>({
    name: 'find-manifest-claims',
    text: `with named as (select distinct unnest($2::text[]) as hash)
      ${buildClaimsSql('listings')} union all ${buildClaimsSql('rules')}`,
    values: [network, hashes],
  });
  return rows;
}

/** Result of comparing a rule with its manifest: the reason why the manifest does not fit, or null if it fits. */
interface RuleJudgement {
  type: string;
  publisher: string;
  error: string | null;
}

export const judgeRules = createWrite<RuleJudgement>(
  'judge-rules',
  `update rules r set manifest_error = c.error
    from unnest($2::text[], $3::text[], $4::text[]) as c (type, publisher, error)
    where r.network = $1 and r.rule_type = c.type and r.publisher = c.publisher
      and r.manifest_error is distinct from c.error`,
  ['type', 'publisher', 'error'],
);

/**
 * Stores the results of comparing listings with their manifests. If a manifest fits, the functions that its ops call
 * must be read: by the listing's check that is already due, else by a new one.
 * @returns `true` if any listing became due for another check
 */
export async function judgeListings(
  client: ClientBase,
  network: string,
  judgements: readonly (ListingName & { error: string | null; skeleton: string })[],
): Promise<boolean> {
  const { rows } = await client.query<{ due: boolean }>({
    name: 'judge-listings',
    text: `update listings l set manifest_error = c.error, name = c.name, name_skeleton = c.skeleton,
        recheck_at = case when ${mustReadOps} then now() else l.recheck_at end
      from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) as c (type, publisher, error, name, skeleton)
      where l.network = $1 and l.service_type = c.type and l.publisher = c.publisher
      returning ${mustReadOps} as due`,
    values: [network, ...toColumns(judgements, 'type', 'publisher', 'error', 'name', 'skeleton')],
  });
  return rows.some(({ due }) => due);
}

const mustReadOps = `(l.listed and c.error is null and (l.next_check_at is null or l.next_check_at > now()))`;

export interface ListingName {
  type: string;
  publisher: string;
  name: string;
}

/** Reads the names in the manifests of all listings after a key, in the order of their keys. */
export async function readManifestNames(
  client: ClientBase,
  network: string,
  after: Pick<ListingName, 'type' | 'publisher'> | undefined,
  limit: number,
): Promise<ListingName[]> {
  const { rows } = await client.query<ListingName>(
    `select l.service_type as type, l.publisher, ${shownManifest} ->> 'name' as name
      from listings l
      join manifests m on m.hash = l.manifest_hash
      where l.network = $1 and (l.service_type, l.publisher) > ($2, $3)
      order by l.service_type, l.publisher limit $4`,
    [network, after?.type ?? '', after?.publisher ?? '', limit],
  );
  return rows;
}

/** Stores the names of listings, with their skeletons. @returns the number of changed rows */
export async function storeListingNames(
  client: ClientBase,
  network: string,
  names: readonly (ListingName & { skeleton: string })[],
): Promise<number> {
  const { rowCount } = await client.query({
    name: 'store-listing-names',
    text: `update listings l set name = c.name, name_skeleton = c.skeleton
      from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as c (type, publisher, name, skeleton)
      where l.network = $1 and l.service_type = c.type and l.publisher = c.publisher
        and (l.name, l.name_skeleton) is distinct from (c.name, c.skeleton)`,
    values: [network, ...toColumns(names, 'type', 'publisher', 'name', 'skeleton')],
  });
  return rowCount ?? 0;
}
