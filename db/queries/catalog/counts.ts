import type { ClientBase, Pool } from 'pg';
import { nameColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { inTransaction } from '../../transaction.ts';
import type { Queryable } from '../queryable.ts';
import { joinCountedSince, listColumns, listRegistered } from './columns.ts';
import { takeTurns } from './due-credits.ts';
import { buildRankSql } from './ranks.ts';
import { advanceCatalog, type LockedCatalog, lockCatalog } from './revision.ts';

const reviewed = ['reviewCount', 'scoreSum', 'verifiedCount', 'verifiedSum', 'lastReviewAt'] as const;
const since = ['sinceCheckpoint', 'sinceTxIndex', 'sinceEventIndex'] as const;

/** Sums of the reviews of a service, which its entries have too. */
export const reviewTotals = nameColumns(tables.serviceReviews, reviewed).split(', ');
const added = reviewTotals.filter((total) => total !== 'last_review_at');

/** Use, reviews and rank of the service, which `recountServices` copies into its entries. */
export const counted = [
  'actions',
  'recentActions',
  'uniqueVaults',
  'lastActionAt',
  ...reviewed,
  'rank',
  'owners',
  'newOwners',
] as const;
const counts = nameColumns(tables.catalogEntries, counted).split(', ');

/** SQL for the actions of a service in the last 30 days, today included. */
const countRecent = (serviceType: string) => `(select coalesce(sum(d.actions), 0) from service_days d
    where d.network = $1 and d.service_type = ${serviceType} and d.day > (now() at time zone 'UTC')::date - 30)`;

/** Maximum number of reviews of queued services that a transaction reads. */
const pageMax = 500;

const sinceColumns = nameColumns(tables.serviceReviews, since);
const position = (row: string) => listColumns(row, ['checkpoint', 'tx_index', 'event_index']);

/**
 * Copies the use, the reviews and the rank of services into their entries, and queues the services whose first verified
 * registration is now an earlier one, so that the reviews since then are counted. Call it when another publisher of the
 * service types is verified.
 * @param max maximum number of queued reviews that are counted at once
 */
export async function recountServices(
  client: ClientBase,
  catalog: LockedCatalog,
  serviceTypes: readonly string[],
  max = pageMax,
): Promise<void> {
  const { network, revision } = catalog;
  await client.query({
    name: 'queue-reviews',
    // A new row begins after the last possible position, so it counts no review yet.
    text: `with begun as (
        insert into service_reviews (network, service_type, ${sinceColumns}, ${added.join(', ')})
        select $1, service_type, 9223372036854775807, 2147483647, 2147483647, 0, 0, 0, 0
        from unnest($2::text[]) as type (service_type) order by service_type
        on conflict do nothing)
      insert into reviews_due (network, service_type)
      select $1, type.service_type from unnest($2::text[]) as type (service_type)
      ${joinCountedSince('type.service_type')}
      left join service_reviews k on k.network = $1 and k.service_type = type.service_type
      where k.network is null or (${listRegistered('since')}) < (${listColumns('k', sinceColumns.split(', '))})
      order by type.service_type
      on conflict do nothing`,
    values: [network, serviceTypes],
  });
  await countDueReviews(client, catalog, max);
  await client.query({
    name: 'recount-services',
    text: `update catalog_entries e set revision = $3, ${counts.map((count) => `${count} = t.${count}`).join(', ')}
      from (
        select r.service_type, coalesce(u.actions, 0) as actions,
          ${countRecent('r.service_type')} as recent_actions, coalesce(u.unique_vaults, 0) as unique_vaults,
          u.last_action_at, ${listColumns('r', reviewTotals)}, coalesce(${buildRankSql('k')}, 0) as rank,
          coalesce(k.owners, 0) as owners, coalesce(k.new_owners, 0) as new_owners
        from service_reviews r
        left join service_usage u on u.network = $1 and u.service_type = r.service_type
        left join ranks k on k.network = $1 and k.subject = r.service_type
        where r.network = $1 and r.service_type = any ($2::text[])) t
      where e.network = $1 and e.service_type = t.service_type and e.ever_verified
        and (${listColumns('e', counts)}) is distinct from (${listColumns('t', counts)})`,
    values: [network, serviceTypes, revision],
  });
}

/**
 * Counts the next reviews of queued services, the latest first. At each moment a sum has all reviews after its `since`, so
 * a review that is added, changed or verified meanwhile counts once. Call it under the catalog's lock.
 * @param max maximum number of reviews that are read
 */
export async function countDueReviews(
  client: ClientBase,
  catalog: LockedCatalog,
  max = pageMax,
): Promise<void> {
  const { rowCount } = await client.query({
    name: 'count-due-reviews',
    text: `with ${takeTurns('reviews_due', 'service_type')},
      next as materialized (
        select t.service_type, ${listRegistered('since')}, r.*
        from turn t
        join service_reviews k on k.network = $1 and k.service_type = t.service_type
        ${joinCountedSince('t.service_type')}
        left join lateral (
          select ${position('r')}, r.score, r.verified, r."timestamp",
            row_number() over (order by r.checkpoint desc, r.tx_index desc, r.event_index desc) = (select size from share) as is_last
          from reviews r
          where r.network = $1 and r.service_type = t.service_type
            and (${position('r')}) > (${listRegistered('since')})
            and (${position('r')}) <= (${listColumns('k', sinceColumns.split(', '))})
          order by r.checkpoint desc, r.tx_index desc, r.event_index desc limit (select size from share)) r on true),
      page as materialized (
        select service_type, count(score)::int as review_count, coalesce(sum(score), 0) as score_sum,
          (count(*) filter (where verified))::int as verified_count,
          coalesce(sum(score) filter (where verified), 0) as verified_sum, max("timestamp") as last_review_at,
          coalesce(bool_or(is_last), false) as has_more,
          -- The position before that of the earliest review that was read.
          coalesce(max(checkpoint) filter (where is_last), min(registered_checkpoint)) as since_checkpoint,
          coalesce(max(tx_index) filter (where is_last), min(registered_tx_index)) as since_tx_index,
          coalesce(max(event_index) filter (where is_last) - 1, min(registered_event_index)) as since_event_index
        from next group by service_type),
      totals as (
        update service_reviews t set
          ${sinceColumns
            .split(', ')
            .map((column) => `${column} = p.${column}`)
            .join(', ')},
          ${added.map((total) => `${total} = t.${total} + p.${total}`).join(', ')},
          last_review_at = greatest(t.last_review_at, p.last_review_at)
        from page p where t.network = $1 and t.service_type = p.service_type
        returning t.*),
      moved as (
        update reviews_due d set turn_at = clock_timestamp() from page p
        where d.network = $1 and d.service_type = p.service_type and p.has_more),
      ended as (
        delete from reviews_due d using turn t
        where d.network = $1 and d.service_type = t.service_type
          and not exists (select from page p where p.service_type = t.service_type and p.has_more))
      update catalog_entries e set revision = $3, ${reviewTotals.map((total) => `${total} = t.${total}`).join(', ')}
      from totals t
      where e.network = $1 and e.service_type = t.service_type and e.ever_verified
        and (${listColumns('e', reviewTotals)}) is distinct from (${listColumns('t', reviewTotals)})`,
    values: [catalog.network, max, catalog.revision],
  });
  if (rowCount) await advanceCatalog(client, catalog);
}

/**
 * Counts all reviews of queued services. Each page has a transaction of its own, so that other changes of the catalog come
 * between them. After an abort or a crash, the next call continues.
 */
export async function countAllDueReviews(pool: Pool, network: string, signal?: AbortSignal): Promise<void> {
  while (!signal?.aborted && (await hasDueReviews(pool, network))) {
    await inTransaction(pool, async (client) => countDueReviews(client, await lockCatalog(client, network)));
  }
}

async function hasDueReviews(db: Queryable, network: string): Promise<boolean> {
  const { rows } = await db.query<{ due: boolean }>({
    name: 'has-due-reviews',
    text: 'select exists (select from reviews_due where network = $1) as due',
    values: [network],
  });
  return rows[0]!.due;
}

/** Copies the current usage of services into their entries. */
export async function copyUsage(
  client: ClientBase,
  catalog: LockedCatalog,
  serviceTypes: readonly string[],
): Promise<void> {
  const { rowCount } = await client.query({
    name: 'copy-usage',
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

/** Counts the use of the last 30 days again for the entries that have some: each day, the oldest day drops out. */
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
