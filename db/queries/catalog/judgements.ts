import type { ClientBase } from 'pg';
import { type RegistrationTable, typeColumns } from '../checks.ts';
import type { ManifestRef } from '../manifests.ts';
import { type Queryable, toColumns } from '../queryable.ts';
import { shownManifest } from '../shown-manifest.ts';
import { createWrite } from '../writes.ts';
import type { ListingKey } from './maintain.ts';

/** Key of a listing or a rule in its table. */
export interface RegistrationKey {
  type: string;
  publisher: string;
}

/** SQL for the rows that the status of fetch `f` is not applied to yet, by the table of their keys. */
const affected = {
  listings: selectUnjudged('listings'),
  rules: selectUnjudged('rules'),
  // A listing without an entry has none after a failure either.
  entries: `select 'entries' as kind, e.service_type as type, e.publisher from catalog_entries e
    where f.status <> 'verified' and e.network = $1 and e.pending_manifest_hash = f.hash
      and e.pending_manifest_uri = f.uri
      and (f.status in ('mismatch', 'invalid') or e.pending_state is distinct from f.status)`,
};
type Affected = keyof typeof affected;

function selectUnjudged(table: RegistrationTable): string {
  return `select '${table}' as kind, l.${typeColumns[table]} as type, l.publisher from ${table} l
    where f.status = 'verified' and l.network = $1 and l.manifest_hash = f.hash and l.manifest_uri = f.uri
      and l.judgement_due`;
}

/** Rows that the status of fetches has not reached. */
interface UnappliedPage {
  fetches: (ManifestRef & { verified: boolean })[];
  listings: RegistrationKey[];
  rules: RegistrationKey[];
  entries: RegistrationKey[];
}

const buildPageSql = (fetches: string) => `with f as materialized (
    select hash, uri, status from manifest_fetches
    where network = $1 and apply_at is not null ${fetches} order by apply_at limit $2)
  select f.hash, f.uri, f.status = 'verified' as verified, a.kind, a.type, a.publisher
  from f left join lateral (
    ${Object.values(affected)
      .map((select) => `(${select} limit $2)`)
      .join(' union all ')}) a on true
  limit $2`;

/**
 * Reads a page of the fetches whose status is not applied to all listings and rules that name the manifest, and of these.
 * Call it under `lockManifests`.
 * @param limit maximum number of fetches, and of rows
 * @param among fetches to read. Undefined: those of the network that have waited longest.
 */
export async function readUnapplied(
  client: ClientBase,
  network: string,
  limit: number,
  among?: readonly ManifestRef[],
): Promise<UnappliedPage> {
  type Row = ManifestRef & RegistrationKey & { verified: boolean; kind: Affected | null };
  const { rows } = await client.query<Row>(
    among
      ? {
          name: 'read-unapplied-among',
          text: buildPageSql('and (hash, uri) in (select * from unnest($3::text[], $4::text[]))'),
          values: [network, limit, ...toColumns(among, 'hash', 'uri')],
        }
      : { name: 'read-unapplied', text: buildPageSql(''), values: [network, limit] },
  );
  const fetches = new Map(rows.map(({ hash, uri, verified }) => [`${hash} ${uri}`, { hash, uri, verified }]));
  const keys = (which: Affected) =>
    rows.flatMap(({ kind, type, publisher }) => (kind === which ? [{ type, publisher }] : []));
  return {
    fetches: [...fetches.values()],
    listings: keys('listings'),
    rules: keys('rules'),
    entries: keys('entries'),
  };
}

/** Returns `true` if the status of any fetch is not applied to all listings and rules that name the manifest. */
export async function hasUnapplied(db: Queryable, network: string): Promise<boolean> {
  const { rows } = await db.query<{ found: boolean }>({
    name: 'has-unapplied',
    text: 'select exists (select from manifest_fetches where network = $1 and apply_at is not null) as found',
    values: [network],
  });
  return rows[0]!.found;
}

/** Records that a page was applied. Fetches with more rows, or whose hash has open fetches at other uris, wait again. */
export const endPage = createWrite<ManifestRef>(
  'end-unapplied-page',
  `update manifest_fetches f set apply_at = case when ${Object.values(affected)
    .map((select) => `exists (${select})`)
    .join(' or ')}
      or f.status = 'verified' and exists (select from manifest_fetches o
        where o.network = $1 and o.hash = f.hash and o.status <> 'verified')
      then clock_timestamp() end
    from unnest($2::text[], $3::text[]) as c (hash, uri)
    where f.network = $1 and f.hash = c.hash and f.uri = c.uri`,
  ['hash', 'uri'],
);

/** A listing or rule, with the claims of its verified manifest about it. */
export interface ManifestClaim extends RegistrationKey {
  packageId: string;
  /** Null in a rule's manifest. */
  claimedServiceType: string | null;
  claimedRuleType: string;
  claimedPackageId: string;
  name: string;
}

/**
 * Reads those of the listings or rules that are not compared with their manifest yet and whose manifest is stored. The
 * texts of a manifest are read once, however many of them name it: one manifest can have 256 KiB.
 */
export async function readManifestClaims(
  client: ClientBase,
  network: string,
  table: RegistrationTable,
  keys: readonly RegistrationKey[],
): Promise<ManifestClaim[]> {
  const { rows } = await client.query<ManifestClaim>({
    name: `find-manifest-claims-${table}`,
    text: `with due as materialized (
        select key.type, key.publisher, l.package_id, l.manifest_hash
        from (select distinct type, publisher from unnest($2::text[], $3::text[]) as k (type, publisher)) key
        join ${table} l on l.network = $1 and l.${typeColumns[table]} = key.type and l.publisher = key.publisher
        where l.judgement_due),
      texts as materialized (
        select m.hash, claimed.*, shown.name
        from (select distinct manifest_hash as hash from due) named
        join manifests m on m.hash = named.hash
        cross join lateral jsonb_to_record(m.body) as claimed ("serviceType" text, "ruleType" text, "packageId" text)
        cross join lateral jsonb_to_record(${shownManifest}) as shown (name text))
      select d.type, d.publisher, d.package_id as "packageId", t."serviceType" as "claimedServiceType",
        t."ruleType" as "claimedRuleType", t."packageId" as "claimedPackageId", t.name
      from due d join texts t on t.hash = d.manifest_hash`,
    values: [network, ...toColumns(keys, 'type', 'publisher')],
  });
  return rows;
}

/** Result of comparing a rule with its manifest: the reason why the manifest does not fit, or null if it fits. */
interface RuleJudgement extends RegistrationKey {
  error: string | null;
}

export const judgeRules = createWrite<RuleJudgement>(
  'judge-rules',
  `update rules r set manifest_error = c.error, judgement_due = false
    from unnest($2::text[], $3::text[], $4::text[]) as c (type, publisher, error)
    where r.network = $1 and r.rule_type = c.type and r.publisher = c.publisher`,
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
        judgement_due = false, manifest_tried = true, recheck_at = case when ${mustReadOps} then now() else l.recheck_at end
      from unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::text[]) as c (type, publisher, error, name, skeleton)
      where l.network = $1 and l.service_type = c.type and l.publisher = c.publisher
      returning ${mustReadOps} as due`,
    values: [network, ...toColumns(judgements, 'type', 'publisher', 'error', 'name', 'skeleton')],
  });
  return rows.some(({ due }) => due);
}

const mustReadOps = `(l.listed and c.error is null and (l.next_check_at is null or l.next_check_at > now()))`;

export interface ListingName extends RegistrationKey {
  name: string;
}

/** Reads the names of all listings after a key, in the order of their keys. */
export async function readListingNames(
  client: ClientBase,
  network: string,
  after: RegistrationKey | undefined,
  limit: number,
): Promise<ListingName[]> {
  const { rows } = await client.query<ListingName>(
    `select service_type as type, publisher, name from listings
      where network = $1 and (service_type, publisher) > ($2, $3) and name is not null
      order by service_type, publisher limit $4`,
    [network, after?.type ?? '', after?.publisher ?? '', limit],
  );
  return rows;
}

/** Stores the skeletons of the names of listings. @returns the listings that had another */
export async function storeNameSkeletons(
  client: ClientBase,
  network: string,
  names: readonly (ListingName & { skeleton: string })[],
): Promise<ListingKey[]> {
  const { rows } = await client.query<ListingKey>({
    name: 'store-name-skeletons',
    text: `update listings l set name_skeleton = c.skeleton
      from unnest($2::text[], $3::text[], $4::text[], $5::text[]) as c (type, publisher, name, skeleton)
      where l.network = $1 and l.service_type = c.type and l.publisher = c.publisher
        and l.name = c.name and l.name_skeleton is distinct from c.skeleton
      returning l.service_type as "serviceType", l.publisher`,
    values: [network, ...toColumns(names, 'type', 'publisher', 'name', 'skeleton')],
  });
  return rows;
}
