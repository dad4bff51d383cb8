import { getTableColumns } from 'drizzle-orm';
import type { ClientBase } from 'pg';
import { nameColumns, type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { eventPosition, keyArray, type Queryable, toColumns } from '../queryable.ts';
import { shownManifest } from '../shown-manifest.ts';
import type { TransactionPosition } from '../sources.ts';
import { addOwners, rankSql, refreshRanks, storePayees } from './ranking.ts';

const listingKey = readColumns(tables.catalogEntries, ['serviceType', 'publisher']);

/** A listing: what a publisher registered for a service type. */
export interface ListingKey extends Row<typeof listingKey> {}

/** The catalog of a network while one transaction writes it. */
export interface LockedCatalog {
  network: string;
  /** Revision of everything that this transaction changes. */
  revision: number;
}

/**
 * Locks a network's catalog until the end of the transaction. Take it after all other locks, and before you read the
 * data that you write into it: a statement that waits for a lock still sees the state from before its wait.
 */
export async function lockCatalog(client: ClientBase, network: string): Promise<LockedCatalog> {
  const { rows } = await client.query<{ version: number }>({
    name: 'lock-catalog',
    text: `insert into catalog_state (network, version) values ($1, 0)
      on conflict (network) do update set version = catalog_state.version returning version`,
    values: [network],
  });
  return { network, revision: rows[0]!.version + 1 };
}

/** Stores the revision as the network's, and notifies channel `catalog` when the transaction commits. */
export async function advanceCatalog(
  client: ClientBase,
  { network, revision }: LockedCatalog,
): Promise<void> {
  await client.query({
    name: 'advance-catalog',
    text: `with advanced as (
        update catalog_state set version = $2, changed_at = now() where network = $1 and version < $2
        returning network)
      select pg_notify('catalog', network) from advanced`,
    values: [network, revision],
  });
}

/** Time, in hours, for which the last verified version stays while the manifest of a newer one cannot be fetched. */
const unreachableHours = 24;

/** SQL condition: row `q` of `quarantines` holds the listing of row `l`, by its service type or by its publisher. */
export const holdsListing = (q: string, l: string) =>
  `${q}.network = ${l}.network and ${q}.subject in (${l}.service_type, ${l}.publisher)`;

/**
 * State in which each listing in `key` can be shown. `verdict` is of its newest version:
 * - `verified`: its manifest has the registered hash and fits, and its witness is valid.
 * - `pending`: not known yet. The entry keeps its last verified version.
 * - `out`: unlisted, known to be wrong, or in quarantine.
 */
const judged = `judged as (
  select l.*, ${shownManifest} as body, f.status as fetch_status,
    case
      when not l.listed or l.name_error is not null or l.manifest_error is not null
        or l.witness_check = 'invalid' then 'out'
      when f.status in ('mismatch', 'invalid') then 'out'
      when exists (select from quarantines q where ${holdsListing('q', 'l')}) then 'out'
      when m.hash is not null and f.status = 'verified' and l.witness_check = 'valid' then 'verified'
      else 'pending'
    end as verdict
  from key
  join listings l
    on l.network = $1 and l.service_type = key.service_type and l.publisher = key.publisher
  left join manifests m on m.hash = l.manifest_hash
  left join manifest_fetches f
    on f.network = l.network and f.hash = l.manifest_hash and f.uri = l.manifest_uri
)`;

/** Use, reviews and rank of the service, which `countAgain` copies into its entries. */
const counted = [
  ...['actions', 'recentActions', 'uniqueVaults', 'lastActionAt'],
  ...['reviewCount', 'scoreSum', 'verifiedCount', 'verifiedSum', 'lastReviewAt'],
  ...['rank', 'owners', 'newOwners'],
] as const;
/** Columns that do not follow from the listing and its manifest: the key, and what other statements write. */
const otherColumns: readonly string[] = [
  ...['network', 'serviceType', 'publisher', 'front', 'shown', 'revision'],
  ...counted,
];
/** All other columns. `verified` selects each of them. */
const content = Object.entries(getTableColumns(tables.catalogEntries)).flatMap(([property, { name }]) =>
  otherColumns.includes(property) ? [] : [name],
);
const ofRow = (row: string, columns: readonly string[]) =>
  columns.map((column) => `${row}.${column}`).join(', ');
const registered = (row: string) =>
  ofRow(row, ['registered_checkpoint', 'registered_tx_index', 'registered_event_index']);
const listContentColumns = (row: string) => ofRow(row, content);
const counts = nameColumns(tables.catalogEntries, counted).split(', ');

/** Columns that a newer, pending version already changes, by those of `pending`. All others stay. */
const ofNewer: Readonly<Record<string, string>> = {
  publisher_verified: 'newer_verified',
  ever_verified: '(ever_verified or newer_verified)',
  warnings: 'newer_warnings',
  pending_version: 'newer_version',
  pending_package_id: 'newer_package_id',
  pending_manifest_uri: 'newer_manifest_uri',
  pending_state: 'newer_state',
  leaves_at: 'newer_leaves_at',
};

const refreshContent = `
with key as (select * from unnest(${keyArray(2, 'text')}, ${keyArray(3, 'text')}) as key (service_type, publisher)),
${judged},
verified as (
  select service_type, publisher, package_id, manifest_uri, manifest_hash, version, updated_at,
    publisher_check = 'verified' as publisher_verified, ever_verified or publisher_check = 'verified' as ever_verified,
    witness_warnings as warnings, op_misfits,
    registered_at, registered_checkpoint, registered_tx_index, registered_event_index,
    coalesce(name, body ->> 'name', '') as name, name_skeleton,
    coalesce(body ->> 'category', '') as category, body ->> 'integrator' as integrator,
    array(select jsonb_array_elements_text(
      case jsonb_typeof(body -> 'supportedCoins') when 'array' then body -> 'supportedCoins' else '[]' end)) as coins,
    lower(concat_ws(e'\\n', body ->> 'name', coalesce(body ->> 'integrator', ''), body ->> 'summary', service_type))
      as search_text,
    null::int as pending_version, null::text as pending_package_id, null::text as pending_manifest_uri,
    null::text as pending_state, null::timestamptz as leaves_at
  from judged where verdict = 'verified'
),
pending as (
  select e.*, j.version as newer_version, j.package_id as newer_package_id, j.manifest_uri as newer_manifest_uri,
    case j.fetch_status when 'unreachable' then 'unreachable' else 'pending' end as newer_state,
    case when j.fetch_status = 'unreachable' then
      case when e.pending_version = j.version and e.leaves_at is not null then e.leaves_at
        else now() + interval '${unreachableHours} hours' end
    end as newer_leaves_at,
    case when e.package_id = j.package_id then j.publisher_check = 'verified' else e.publisher_verified end as newer_verified,
    case when e.package_id = j.package_id then j.witness_warnings else e.warnings end as newer_warnings
  from judged j
  join catalog_entries e on e.network = $1 and e.service_type = j.service_type and e.publisher = j.publisher
  where j.verdict = 'pending'
),
fresh as (
  select service_type, publisher, ${content.join(', ')} from verified
  union all
  select service_type, publisher, ${content.map((column) => ofNewer[column] ?? column).join(', ')}
  from pending where newer_leaves_at is null or newer_leaves_at > now()
),
marked as (
  update listings l set ever_verified = true from fresh f
  where l.network = $1 and l.service_type = f.service_type and l.publisher = f.publisher
    and f.ever_verified and not l.ever_verified
),
gone as (
  delete from catalog_entries e using key
  where e.network = $1 and e.service_type = key.service_type and e.publisher = key.publisher
    and not exists (select from fresh f where f.service_type = e.service_type and f.publisher = e.publisher)
  returning e.service_type, e.publisher
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
    ${content.map((column) => `${column} = excluded.${column}`).join(', ')}, revision = excluded.revision
    where (${listContentColumns('e')}) is distinct from (${listContentColumns('excluded')})
  returning service_type, publisher
),
back as (
  delete from catalog_removals r using stored s
  where r.network = $1 and r.service_type = s.service_type and r.publisher = s.publisher
),
changed as (
  -- What is selected here is the row from before.
  select s.service_type, (former.publisher_verified, ${registered('former')})
    is distinct from (fresh.publisher_verified, ${registered('fresh')}) as reordered,
    fresh.ever_verified and former.ever_verified is distinct from true as joined
  from stored s
  join fresh using (service_type, publisher)
  left join catalog_entries former
    on former.network = $1 and former.service_type = s.service_type and former.publisher = s.publisher
  union all
  select service_type, true, false from gone
),
advanced as (
  update catalog_state set version = $4, changed_at = now()
  where network = $1 and version < $4 and exists (select from changed) returning network
)
select reordered.types, reordered.joined,
  (select count(*)::int from catalog_entries e
    where e.network = $1 and e.service_type = any (reordered.types) and e.shown) as shown,
  (select pg_notify('catalog', network) from advanced)::text
from (
  select array(select distinct service_type from changed where reordered) as types,
    array(select distinct service_type from changed where joined) as joined
) reordered`;

/** The new front entry of each service type for which it changes. */
const nextFronts = `next as (
  select best.service_type, best.publisher
  from (select distinct unnest($2::text[]) as service_type) type
  cross join lateral (
    select e.service_type, e.publisher, e.front from catalog_entries e
    where e.network = $1 and e.service_type = type.service_type
    order by e.publisher_verified desc nulls last, e.registered_checkpoint, e.registered_tx_index, e.registered_event_index
    limit 1) best
  where not best.front
)`;

/**
 * Updates the entries of listings from the stored state, in the transaction that changed it.
 * @param keys listings whose registration, checks or manifest changed
 */
export async function refreshEntries(
  client: ClientBase,
  catalog: LockedCatalog,
  keys: readonly ListingKey[],
): Promise<void> {
  if (keys.length === 0) return;
  const { network, revision } = catalog;
  const { rows } = await client.query<{ types: string[]; joined: string[]; shown: number }>({
    name: 'refresh-entries',
    text: refreshContent,
    values: [network, ...toColumns(keys, 'serviceType', 'publisher'), revision],
  });
  // Most changes leave the order of a service type's entries, and so its front entry, as it is.
  const { types, joined, shown } = rows[0]!;
  if (joined.length > 0) await countAgain(client, catalog, joined);
  if (types.length === 0) return;
  // Two statements, because a service type must never have two front entries.
  await client.query({
    name: 'retire-fronts',
    text: `with ${nextFronts}
      update catalog_entries e set front = false, revision = $3
      from next where e.network = $1 and e.service_type = next.service_type and e.front`,
    values: [network, types, revision],
  });
  await client.query({
    name: 'promote-fronts',
    text: `with ${nextFronts}
      update catalog_entries e set front = true, revision = $3
      from next
      where e.network = $1 and e.service_type = next.service_type and e.publisher = next.publisher`,
    values: [network, types, revision],
  });
  await client.query({
    name: 'count-shown',
    text: `update catalog_state set shown = shown - $3 + (select count(*) from catalog_entries
        where network = $1 and service_type = any ($2::text[]) and shown)
      where network = $1`,
    values: [network, types, shown],
  });
}

/** SQL for the position from which the reviews of a service type count: the first registration that was verified. */
const countedSince = (serviceType: string) => `cross join lateral (
    select ${registered('first')} from listings first
    where first.network = $1 and first.service_type = ${serviceType} and first.ever_verified
    order by ${registered('first')} limit 1) since`;

/** SQL for the actions of a service in the last 30 days, today included. */
const countRecent = (serviceType: string) => `(select coalesce(sum(d.actions), 0) from service_days d
    where d.network = $1 and d.service_type = ${serviceType} and d.day > (now() at time zone 'UTC')::date - 30)`;

/**
 * Counts the use and the reviews of service types for their entries that have them. Call it when one more publisher of a
 * type is verified: its registration may be the earliest one.
 */
async function countAgain(
  client: ClientBase,
  catalog: LockedCatalog,
  serviceTypes: readonly string[],
): Promise<void> {
  const { network, revision } = catalog;
  await client.query({
    name: 'count-again',
    text: `update catalog_entries e set revision = $3, ${counts.map((count) => `${count} = t.${count}`).join(', ')}
      from (
        select type.service_type, coalesce(u.actions, 0) as actions,
          ${countRecent('type.service_type')} as recent_actions, coalesce(u.unique_vaults, 0) as unique_vaults,
          u.last_action_at, r.*, coalesce(${rankSql('k', 'u.last_action_at')}, 0) as rank,
          coalesce(k.owners, 0) as owners, coalesce(k.new_owners, 0) as new_owners
        from unnest($2::text[]) as type (service_type)
        ${countedSince('type.service_type')}
        left join service_usage u on u.network = $1 and u.service_type = type.service_type
        left join service_ranks k on k.network = $1 and k.service_type = type.service_type
        cross join lateral (
          select count(*)::int as review_count, coalesce(sum(score), 0) as score_sum,
            (count(*) filter (where verified))::int as verified_count,
            coalesce(sum(score) filter (where verified), 0) as verified_sum, max("timestamp") as last_review_at
          from reviews r
          where r.network = $1 and r.service_type = type.service_type
            and (r.checkpoint, r.tx_index, r.event_index) > (${registered('since')})) r) t
      where e.network = $1 and e.service_type = t.service_type and e.ever_verified
        and (${ofRow('e', counts)}) is distinct from (${ofRow('t', counts)})`,
    values: [network, serviceTypes, revision],
  });
  // The publisher may be one of the owners, or a recipient of their payments.
  await client.query({
    name: 'due-owners-of-services',
    text: `update service_owners set due = true
      where network = $1 and service_type = any ($2::text[]) and not due`,
    values: [network, serviceTypes],
  });
  await refreshRanks(client, catalog);
}

/** Reads the entries whose grace period with an unreachable newer version is over. */
export async function readLeavingEntries(db: Queryable, network: string): Promise<ListingKey[]> {
  const { rows } = await db.query<ListingKey>({
    name: 'find-leaving-entries',
    text: `select ${listingKey.select('e')} from catalog_entries e where e.network = $1 and e.leaves_at <= now()`,
    values: [network],
  });
  return rows;
}

/** Copies the current usage of services into their entries. */
export async function showUsage(
  client: ClientBase,
  catalog: LockedCatalog,
  serviceTypes: readonly string[],
): Promise<void> {
  const { rowCount } = await client.query({
    name: 'show-usage',
    text: `update catalog_entries e set actions = u.actions, unique_vaults = u.unique_vaults,
        recent_actions = ${countRecent('u.service_type')}, last_action_at = u.last_action_at, revision = $3
      from service_usage u
      where e.network = $1 and e.service_type = any ($2::text[]) and e.ever_verified
        and u.network = $1 and u.service_type = e.service_type
        and (e.actions, e.unique_vaults, e.last_action_at)
          is distinct from (u.actions, u.unique_vaults, u.last_action_at)`,
    values: [catalog.network, serviceTypes, catalog.revision],
  });
  if (rowCount) await advanceCatalog(client, catalog);
}

/** Counts the use of the last 30 days again for the entries that have some: a day leaves it without an action. */
export async function refreshRecentUsage(client: ClientBase, catalog: LockedCatalog): Promise<void> {
  const { rowCount } = await client.query({
    name: 'refresh-recent-usage',
    text: `update catalog_entries e set recent_actions = n.actions, revision = $2
      from (
        select o.service_type, o.publisher, ${countRecent('o.service_type')} as actions
        from catalog_entries o where o.network = $1 and o.recent_actions > 0
      ) n
      where e.network = $1 and e.service_type = n.service_type and e.publisher = n.publisher
        and e.recent_actions <> n.actions`,
    values: [catalog.network, catalog.revision],
  });
  if (rowCount) await advanceCatalog(client, catalog);
}

/** SQL that adds changes of reviews to the entries that they count for. `changes` has signs, scores and positions. */
const addReviews = `
  update catalog_entries e set review_count = e.review_count + s.reviews, score_sum = e.score_sum + s.score,
    verified_count = e.verified_count + s.verified, verified_sum = e.verified_sum + s.verified_score,
    last_review_at = greatest(e.last_review_at, s.last_review_at), revision = $3
  from (
    select c.service_type, sum(c.sign) as reviews, sum(c.sign * c.score) as score,
      coalesce(sum(c.sign) filter (where c.verified), 0) as verified,
      coalesce(sum(c.sign * c.score) filter (where c.verified), 0) as verified_score,
      max(c."timestamp") as last_review_at
    from changes c ${countedSince('c.service_type')}
    where (c.checkpoint, c.tx_index, c.event_index) > (${registered('since')})
    group by c.service_type) s
  where e.network = $1 and e.service_type = s.service_type and e.ever_verified`;

const reviewed = [...eventPosition, 'score', 'commentUri', 'timestamp', 'verified'] as const;
const reviewContent = nameColumns(tables.reviews, reviewed).split(', ');

/** Columns of a review that `addReviews` needs. */
const countedColumns = (row: string) =>
  ofRow(row, ['service_type', 'checkpoint', 'tx_index', 'event_index', 'score', 'timestamp', 'verified']);

/**
 * Stores the attestations at or after checkpoint `from` as reviews. Each replaces its attester's former one. The cost
 * depends on these attestations, not on the number that the service has.
 */
export async function foldReviews(client: ClientBase, catalog: LockedCatalog, from: number): Promise<void> {
  // Not a named statement: a plan cached for any `from` would read the whole history at each new event. Under the
  // catalog's lock no other process adds a review, so `on conflict` is not needed, which costs half as much again.
  // Reviews are inserted in the order of their keys: in that of a hash join, each row of a long history touches other
  // pages of every index.
  const { rowCount } = await client.query(
    `with latest as (
        select distinct on (a.service_type, a.attester) a.*
        from attestations a where a.network = $1 and a.checkpoint >= $2
        order by a.service_type, a.attester, a.checkpoint desc, a.tx_index desc, a.event_index desc),
      known as (
        select l.*, s.actor is not null as verified, r.attester is null as is_first
        from latest l
        left join service_actors s
          on s.network = $1 and s.service_type = l.service_type and s.actor = l.attester
          and (s.checkpoint, s.tx_index, s.event_index) < (l.checkpoint, l.tx_index, l.event_index)
        left join reviews r on r.network = $1 and r.service_type = l.service_type and r.attester = l.attester
        where r.attester is null
          or (r.checkpoint, r.tx_index, r.event_index) < (l.checkpoint, l.tx_index, l.event_index)),
      former as (
        select ${countedColumns('r')} from known k
        join reviews r on r.network = $1 and r.service_type = k.service_type and r.attester = k.attester
        where not k.is_first),
      added as (
        insert into reviews (network, service_type, attester, ${reviewContent.join(', ')})
        select $1, service_type, attester, ${reviewContent.join(', ')} from known where is_first
        order by service_type, attester
        returning ${countedColumns('reviews')}),
      replaced as (
        update reviews r set ${reviewContent.map((column) => `${column} = k.${column}`).join(', ')}
        from known k
        where not k.is_first and r.network = $1 and r.service_type = k.service_type and r.attester = k.attester
        returning ${countedColumns('r')}),
      reweighed as (
        update service_owners o set due = true from latest l
        where o.network = $1 and o.service_type = l.service_type and o.owner = l.attester and not o.due),
      changes as (
        select 1 as sign, * from added
        union all select 1, * from replaced
        union all select -1, * from former)
      ${addReviews}`,
    [catalog.network, from, catalog.revision],
  );
  const ranked = await refreshRanks(client, catalog);
  if (rowCount || ranked > 0) await advanceCatalog(client, catalog);
}

/** Stores the payees that the operator names, and computes the ranks again if they changed. */
export async function setPayees(
  client: ClientBase,
  catalog: LockedCatalog,
  payees: readonly string[],
): Promise<void> {
  await storePayees(client, catalog, payees);
  if ((await refreshRanks(client, catalog)) > 0) await advanceCatalog(client, catalog);
}

/** Adds the owners of wallets that used services at or after `from`, and computes the ranks that are due. */
export async function showRanks(
  client: ClientBase,
  catalog: LockedCatalog,
  from: TransactionPosition,
): Promise<void> {
  await addOwners(client, catalog, from);
  if ((await refreshRanks(client, catalog)) > 0) await advanceCatalog(client, catalog);
}

/**
 * Stores the first actions of actors with services at or after `from`, and verifies the reviews that the actors wrote
 * after them. Call it under the catalog's lock: a review and its author's first action come in two transactions, of
 * which the later one must see the other.
 */
export async function addActors(
  client: ClientBase,
  catalog: LockedCatalog,
  from: TransactionPosition,
): Promise<void> {
  // Not a named statement, and no `on conflict`, as above.
  const { rowCount } = await client.query(
    `with added as (
        insert into service_actors (network, service_type, actor, checkpoint, tx_index, event_index)
        select $1, first.* from (
          select distinct on (a.service_type, actor) a.service_type, actor, a.checkpoint, a.tx_index, a.event_index
          from service_actions a cross join unnest(a.actors) actor
          where a.network = $1 and (a.checkpoint, a.tx_index) >= ($2::bigint, $4::int)
          order by a.service_type, actor, a.checkpoint, a.tx_index, a.event_index) first
        where not exists (
          select from service_actors s
          where s.network = $1 and s.service_type = first.service_type and s.actor = first.actor)
        order by service_type, actor
        returning *),
      changed as (
        update reviews r set verified = true from added s
        where r.network = $1 and r.service_type = s.service_type and r.attester = s.actor
          and (s.checkpoint, s.tx_index, s.event_index) < (r.checkpoint, r.tx_index, r.event_index)
        returning r.*),
      changes as (
        select v.sign, v.verified, c.service_type, c.checkpoint, c.tx_index, c.event_index, c.score, c."timestamp"
        from changed c cross join (values (1, true), (-1, false)) v (sign, verified))
      ${addReviews}`,
    [catalog.network, from.checkpoint, catalog.revision, from.txIndex],
  );
  if (rowCount) await advanceCatalog(client, catalog);
}
