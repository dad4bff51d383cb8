import type { ClientBase } from 'pg';
import { getTableColumns } from '../../orm/drizzle.ts';
import { type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { keyArray, type Queryable, toColumns } from '../queryable.ts';
import { appendServiceEvents } from '../service-events.ts';
import { shownManifest } from '../shown-manifest.ts';
import { listColumns, listRegistered } from './columns.ts';
import { counted, recountServices } from './counts.ts';
import { makeLinkedOwnersDue } from './due-credits.ts';
import { promoteFronts } from './fronts.ts';
import { refreshIcons } from './icons.ts';
import { buildDomainSeenSql, buildPackageNameSql, buildPublisherNameSql } from './identity.ts';
import { addNamedSourcesSql } from './named-sources.ts';
import { refreshRanks } from './ranks.ts';
import type { LockedCatalog } from './revision.ts';
import { buildSourceVerdictSql } from './source-verdict.ts';
import { buildAddWordsSql } from './typos.ts';

const listingKey = readColumns(tables.catalogEntries, ['serviceType', 'publisher']);

/** A listing: what a publisher registered for a service type. */
export interface ListingKey extends Row<typeof listingKey> {}

/** Time, in hours, for which the last verified version stays while the manifest of a newer one cannot be fetched. */
const unreachableHours = 24;

/**
 * Publishers of a service type that count as ever verified, at most: the first ones that were. Who owns the UpgradeCap
 * can pass it to any number of addresses, and each use of the service changes the entries of all of them.
 */
export const everVerifiedMax = 20;

/** SQL condition: row `q` of `quarantines` holds the listing of row `l`, by its service type or by its publisher. */
export const holdsListing = (q: string, l: string) =>
  `${q}.network = ${l}.network and ${q}.subject in (${l}.service_type, ${l}.publisher)`;

/** Characters of a coin type that an entry accepts by its name. The row of a coin has an index entry of at most 2,704 bytes. */
const coinMax = 1_000;

/**
 * SQL for a type as the chain spells it, as `canonicalType` does: without spaces, each address with all of its 64 digits.
 * It splits the type before each part that can begin with an address.
 */
const canonicalCoin = (coin: string) => `(
  select string_agg(coalesce('0x' || lpad(lower(spelled[1]), 64, '0') || spelled[2], part), '' order by at)
  from unnest(string_to_array(regexp_replace(regexp_replace(${coin}, '\\s+', '', 'g'), '([<,])', e'\\\\1\\n', 'g'), e'\\n'))
    with ordinality split (part, at)
  cross join lateral (
    select regexp_match(part, '^(?:0[xX])?([0-9a-fA-F]{1,64})(::.*)$') as spelled offset 0) address)`;

/**
 * State in which each listing in `key` can be shown. `verdict` is of its newest version:
 * - `verified`: its manifest has the registered hash and was found to fit, and its witness is valid.
 * - `pending`: not known yet. The entry keeps its last verified version.
 * - `out`: unlisted, known to be wrong, or in quarantine.
 */
const judged = `judged as (
  select l.*, f.status as fetch_status,
    case
      when not l.listed or l.name_error is not null or l.manifest_error is not null
        or l.witness_check = 'invalid' then 'out'
      when f.status in ('mismatch', 'invalid') then 'out'
      when exists (select from quarantines q where ${holdsListing('q', 'l')}) then 'out'
      when m.hash is not null and f.status = 'verified' and not l.judgement_due and l.witness_check = 'valid'
        then 'verified'
      else 'pending'
    end as verdict
  from key
  join listings l
    on l.network = $1 and l.service_type = key.service_type and l.publisher = key.publisher
  left join manifests m on m.hash = l.manifest_hash
  left join manifest_fetches f
    on f.network = l.network and f.hash = l.manifest_hash and f.uri = l.manifest_uri
),
-- The texts of a manifest are read once, however many listings name it: one manifest can have 256 KiB.
texts as materialized (
  select m.hash, shown.*, array(
      select coin from (
        select ${canonicalCoin('named')} as coin, at from jsonb_array_elements_text(
          case jsonb_typeof(shown."supportedCoins") when 'array' then shown."supportedCoins" else '[]' end)
          with ordinality spelled (named, at)) each_coin
      where length(coin) <= ${coinMax} group by coin order by min(at)) as coins
  from (select distinct manifest_hash as hash from judged where verdict = 'verified') named
  join manifests m on m.hash = named.hash
  cross join lateral jsonb_to_record(${shownManifest})
    as shown (name text, category text, integrator text, summary text, "supportedCoins" jsonb, ops jsonb, profile jsonb, source jsonb, deprecated text)
)`;

/** Characters of the names and symbols of coins that a search finds an entry by. */
const symbolsMax = 500;

/** Objects of its operations that a search finds an entry by. */
const objectsMax = 256;

/** Columns that do not follow from the listing and its manifest: the key, and what other statements write. */
const otherColumns: readonly string[] = [
  'network',
  'serviceType',
  'publisher',
  'front',
  'shown',
  'revision',
  'canaryState',
  'canarySince',
  'trend',
  ...counted,
];
/** All other columns. `verified` selects each of them. */
const content = Object.entries(getTableColumns(tables.catalogEntries)).flatMap(([property, { name }]) =>
  otherColumns.includes(property) ? [] : [name],
);
/** State in simulations, which goes when the entry is no longer simulated. */
const canary = ['canary_state', 'canary_since'];
/** SQL condition: the ops of entry `e` are simulated. */
const isSimulated = (e: string) => `${e}.publisher_verified and ${e}.ever_verified`;
const listContentColumns = (row: string) => listColumns(row, content);

/** Columns that a newer, pending version already changes, by those of `pending`. All others stay. */
const ofNewer: Readonly<Record<string, string>> = {
  publisher_verified: 'newer_verified',
  ever_verified: '(ever_verified or newer_verified)',
  warnings: 'newer_warnings',
  domain_seen_at: 'newer_domain_seen_at',
  publisher_name: 'newer_publisher_name',
  package_name: 'newer_package_name',
  source_verdict: 'newer_source_verdict',
  pending_version: 'newer_version',
  pending_package_id: 'newer_package_id',
  pending_manifest_uri: 'newer_manifest_uri',
  pending_manifest_hash: 'newer_manifest_hash',
  pending_state: 'newer_state',
  leaves_at: 'newer_leaves_at',
};

const isEverVerified = `(was_verified or ever_verified and nth <= ${everVerifiedMax} - (
    select count(*) from (
      select from listings k where k.network = $1 and k.service_type = f.service_type and k.ever_verified
      limit ${everVerifiedMax}) counted))`;

const refreshContent = `
with key as (select * from unnest(${keyArray(2, 'text')}, ${keyArray(3, 'text')}) as key (service_type, publisher)),
${judged},
verified as (
  select j.service_type, j.publisher, package_id, manifest_uri, manifest_hash, version, updated_at,
    publisher_check = 'verified' as publisher_verified, ever_verified or publisher_check = 'verified' as ever_verified,
    witness_warnings as warnings, op_misfits, op_coins,
    registered_at, registered_checkpoint, registered_tx_index, registered_event_index,
    coalesce(j.name, t.name, '') as name, name_skeleton, coalesce(t.category, '') as category, t.integrator,
    t.coins, fixed.object_ids,
    t.profile, t.source, t.profile ->> 'domain' as domain, identity.*,
    lower(concat_ws(e'\\n', t.name, coalesce(t.integrator, ''), t.summary, j.service_type, t.profile ->> 'name',
      identity.publisher_name, identity.package_name, case when identity.domain_seen_at is not null then t.profile ->> 'domain' end,
      (select left(string_agg(distinct word, ' '), ${symbolsMax})
        from unnest(t.coins) coin
        left join coins c on c.network = $1 and c.coin_type = coin and c.state = 'found'
        cross join lateral (values (regexp_replace(split_part(coin, '<', 1), '^.*::', '')), (c.symbol)) called (word)
        where coin <> '*'))) as search_text,
    t.deprecated is not null as deprecated,
    ${buildSourceVerdictSql('$1', 'j.package_id')} as source_verdict,
    null::int as pending_version, null::text as pending_package_id, null::text as pending_manifest_uri,
    null::text as pending_manifest_hash, null::text as pending_state, null::timestamptz as leaves_at
  from judged j join texts t on t.hash = j.manifest_hash
  cross join lateral (
    select ${buildDomainSeenSql('j.publisher', "t.profile ->> 'domain'")} as domain_seen_at,
      ${buildPublisherNameSql('j.publisher')} as publisher_name,
      ${buildPackageNameSql('j.publisher', 'j.package_id')} as package_name) identity
  cross join lateral (
    select array(select distinct '0x' || lpad(lower(substr(id #>> '{}', 3)), 64, '0')
      from jsonb_path_query(t.ops, '$[*].call.**.objectId ? (@ like_regex "^0x[0-9a-fA-F]{1,64}$")') id
      order by 1 limit ${objectsMax}) as object_ids) fixed
  where j.verdict = 'verified'
),
pending as (
  select e.*, j.version as newer_version, j.package_id as newer_package_id, j.manifest_uri as newer_manifest_uri,
    j.manifest_hash as newer_manifest_hash,
    case j.fetch_status when 'unreachable' then 'unreachable' else 'pending' end as newer_state,
    case when j.fetch_status = 'unreachable' then
      case when e.pending_version = j.version and e.leaves_at is not null then e.leaves_at
        else now() + interval '${unreachableHours} hours' end
    end as newer_leaves_at,
    case when e.package_id = j.package_id then j.publisher_check = 'verified' else e.publisher_verified end as newer_verified,
    case when e.package_id = j.package_id then j.witness_warnings else e.warnings end as newer_warnings,
    ${buildDomainSeenSql('e.publisher', 'e.domain')} as newer_domain_seen_at,
    ${buildPublisherNameSql('e.publisher')} as newer_publisher_name,
    ${buildPackageNameSql('e.publisher', 'e.package_id')} as newer_package_name,
    ${buildSourceVerdictSql('$1', 'e.package_id')} as newer_source_verdict
  from judged j
  join catalog_entries e on e.network = $1 and e.service_type = j.service_type and e.publisher = j.publisher
  where j.verdict = 'pending'
),
found as (
  select service_type, publisher, ${content.join(', ')} from verified
  union all
  select service_type, publisher, ${content.map((column) => ofNewer[column] ?? column).join(', ')}
  from pending where newer_leaves_at is null or newer_leaves_at > now()
),
fresh as (
  select service_type, publisher, ${content.map((column) => (column === 'ever_verified' ? `${isEverVerified} as ever_verified` : column)).join(', ')}
  from (
    select f.*, l.ever_verified as was_verified,
      row_number() over (partition by f.service_type, f.ever_verified and not l.ever_verified order by ${listRegistered('f')}) as nth
    from found f
    join listings l on l.network = $1 and l.service_type = f.service_type and l.publisher = f.publisher) f
),
marked as (
  update listings l set ever_verified = true from fresh f
  where l.network = $1 and l.service_type = f.service_type and l.publisher = f.publisher
    and f.ever_verified and not l.ever_verified
  returning l.service_type, l.publisher, l.updated_at
),
-- Strangers create listings for free, so only names of verified publishers are checked.
named as (
  insert into publisher_proofs (network, publisher, kind, claim)
  select distinct $1, f.publisher, claimed.kind, claimed.claim
  from fresh f cross join lateral (values ('suins', ''), ('domain', f.domain), ('mvr', f.package_id)) claimed (kind, claim)
  where f.publisher_verified and claimed.claim is not null
  on conflict do nothing
),
sourced as (${addNamedSourcesSql}
),
gone as (
  delete from catalog_entries e using key
  where e.network = $1 and e.service_type = key.service_type and e.publisher = key.publisher
    and not exists (select from fresh f where f.service_type = e.service_type and f.publisher = e.publisher)
  returning e.service_type, e.publisher, e.profile
),
removed as (
  insert into catalog_removals (network, service_type, publisher, revision)
  select $1, service_type, publisher, $4 from gone
  on conflict (network, service_type, publisher) do update set revision = excluded.revision
),
stored as (
  insert into catalog_entries as e (network, service_type, publisher, ${content.join(', ')}, revision)
  select $1, f.service_type, f.publisher, ${listContentColumns('f')}, $4 from fresh f
  on conflict (network, service_type, publisher) do update set
    ${content.map((column) => `${column} = excluded.${column}`).join(', ')}, revision = excluded.revision,
    ${canary.map((column) => `${column} = case when ${isSimulated('excluded')} then e.${column} end`).join(', ')}
    where (${listContentColumns('e')}) is distinct from (${listContentColumns('excluded')})
  returning service_type, publisher, search_text
),
-- A version that the catalog shows is compared with the last one that it showed before.
versioned as (
  insert into claim_changes (network, service_type, publisher, version, state, next_check_at, check_ready)
  select $1, v.service_type, v.publisher, v.version, case when former.found then 'pending' else 'first' end,
    case when former.found then now() end, former.found
  from verified v
  cross join lateral (select exists (select from claim_changes c
    where c.network = $1 and c.service_type = v.service_type and c.publisher = v.publisher
      and c.version < v.version) as found) former
  on conflict do nothing
),
-- The ops of a version that the catalog shows are simulated at once.
canary as (
  insert into canaries as c (network, service_type, publisher, version)
  select $1, f.service_type, f.publisher, f.version from fresh f where ${isSimulated('f')}
  on conflict (network, service_type, publisher) do update
    set version = excluded.version, next_check_at = now(), check_ready = true
    where c.version <> excluded.version
),
silenced as (
  delete from canaries c using key
  where c.network = $1 and c.service_type = key.service_type and c.publisher = key.publisher
    and not exists (select from fresh f where f.service_type = c.service_type and f.publisher = c.publisher
      and ${isSimulated('f')})
  returning c.service_type, c.publisher
),
-- A later listing is judged by simulations of its own.
forgotten as (
  delete from canary_ops o using silenced s
  where o.network = $1 and o.service_type = s.service_type and o.publisher = s.publisher
),
spelled as (${buildAddWordsSql('stored')}
),
back as (
  delete from catalog_removals r using stored s
  where r.network = $1 and r.service_type = s.service_type and r.publisher = s.publisher
),
changed as (
  -- What is selected here is the row from before.
  select s.service_type, (former.publisher_verified, ${listRegistered('former')})
    is distinct from (fresh.publisher_verified, ${listRegistered('fresh')}) as reordered,
    fresh.ever_verified and former.ever_verified is distinct from true as joined,
    case when coalesce(fresh.profile, former.profile) is not null then s.publisher end as presented
  from stored s
  join fresh using (service_type, publisher)
  left join catalog_entries former
    on former.network = $1 and former.service_type = s.service_type and former.publisher = s.publisher
  union all
  select service_type, true, false, case when profile is not null then publisher end from gone
),
advanced as (
  update catalog_state set version = $4, changed_at = now()
  where network = $1 and version < $4 and exists (select from changed) returning network
)
select reordered.types, reordered.joined, reordered.presented,
  (select coalesce(json_agg(json_build_object('serviceType', service_type, 'publisher', publisher,
      'isNews', coalesce(updated_at >= followed.since, false))), '[]')
    from marked
    left join (select followed_since as since from sources where network = $1 and name = 'registry') followed on true) as marked,
  (select count(*)::int from catalog_entries e
    where e.network = $1 and e.service_type = any (reordered.types) and e.shown) as shown,
  (select pg_notify('catalog', network) from advanced)::text
from (
  select array(select distinct service_type from changed where reordered) as types,
    array(select distinct service_type from changed where joined) as joined,
    array(select distinct presented from changed where presented is not null) as presented
) reordered`;

/** A listing whose publisher was verified for the first time. */
interface MarkedListing extends ListingKey {
  /** `true` if its version was registered after the source was first started. */
  isNews: boolean;
}

/**
 * Updates the entries of listings from the stored state, in the transaction that changed it. Subscribers are notified
 * of listings whose publisher was verified for the first time: each once, because the mark is of the same transaction.
 * @param keys listings whose registration, checks or manifest changed
 */
export async function refreshEntries(
  client: ClientBase,
  catalog: LockedCatalog,
  keys: readonly ListingKey[],
): Promise<void> {
  if (keys.length === 0) return;
  const { network, revision } = catalog;
  const { rows } = await client.query<{
    types: string[];
    joined: string[];
    presented: string[];
    marked: MarkedListing[];
    shown: number;
  }>({
    name: 'refresh-entries',
    text: refreshContent,
    values: [network, ...toColumns(keys, 'serviceType', 'publisher'), revision],
  });
  // Most changes leave the order of a service type's entries, and so its front entry, as it is.
  const { types, joined, presented, marked, shown } = rows[0]!;
  if (presented.length > 0) await refreshIcons(client, network, presented);
  if (joined.length > 0) await recountServices(client, catalog, joined);
  if (marked.length > 0) {
    await makeLinkedOwnersDue(client, catalog, marked);
    await refreshRanks(client, catalog);
  }
  if (types.length > 0) await promoteFronts(client, catalog, types, shown);
  const news = marked.flatMap(({ isNews, serviceType, publisher }) =>
    isNews ? [{ network, name: 'PublisherVerified' as const, data: { serviceType, publisher } }] : [],
  );
  if (news.length > 0) await appendServiceEvents(client, news);
}

/** Reads the entries whose grace period with an unreachable newer version is over, `limit` of them at most. */
export async function readLeavingEntries(
  db: Queryable,
  network: string,
  limit: number,
): Promise<ListingKey[]> {
  const { rows } = await db.query<ListingKey>({
    name: 'find-leaving-entries',
    text: `select ${listingKey.select('e')} from catalog_entries e
      where e.network = $1 and e.leaves_at <= now() order by e.leaves_at limit $2`,
    values: [network, limit],
  });
  return rows;
}
