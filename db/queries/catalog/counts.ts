import type { ClientBase } from 'pg';
import { nameColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { countedSince, listColumns, registered } from './columns.ts';
import { rankSql } from './ranks.ts';
import { advanceCatalog, type LockedCatalog } from './revision.ts';

const reviewed = ['reviewCount', 'scoreSum', 'verifiedCount', 'verifiedSum', 'lastReviewAt'] as const;
const since = ['sinceCheckpoint', 'sinceTxIndex', 'sinceEventIndex'] as const;

/** Sums of the reviews of a service, which its entries have too. */
export const reviewTotals = nameColumns(tables.serviceReviews, reviewed).split(', ');
const added = reviewTotals.filter((total) => total !== 'last_review_at');

/** Use, reviews and rank of the service, which `countAgain` copies into its entries. */
export const counted = [
  ...['actions', 'recentActions', 'uniqueVaults', 'lastActionAt'],
  ...reviewed,
  ...['rank', 'owners', 'newOwners'],
] as const;
const counts = nameColumns(tables.catalogEntries, counted).split(', ');

/** SQL for the actions of a service in the last 30 days, today included. */
const countRecent = (serviceType: string) => `(select coalesce(sum(d.actions), 0) from service_days d
    where d.network = $1 and d.service_type = ${serviceType} and d.day > (now() at time zone 'UTC')::date - 30)`;

/**
 * Copies the use, the reviews and the rank of service types into their entries that have them. Call it when one more
 * publisher of a type is verified: its registration may be the earliest one. Each review is read once at most, when the
 * first registration before it is verified.
 */
export async function countAgain(
  client: ClientBase,
  catalog: LockedCatalog,
  serviceTypes: readonly string[],
): Promise<void> {
  const { network, revision } = catalog;
  await client.query({
    name: 'count-again',
    text: `with totals as (
        insert into service_reviews as t (network, service_type, ${nameColumns(tables.serviceReviews, since)},
          ${reviewTotals.join(', ')})
        select $1, type.service_type, ${registered('since')}, r.*
        from unnest($2::text[]) as type (service_type)
        ${countedSince('type.service_type')}
        left join service_reviews k on k.network = $1 and k.service_type = type.service_type
        cross join lateral (
          select count(*)::int, coalesce(sum(score), 0), (count(*) filter (where verified))::int,
            coalesce(sum(score) filter (where verified), 0), max("timestamp")
          from reviews r
          where r.network = $1 and r.service_type = type.service_type
            and (r.checkpoint, r.tx_index, r.event_index) > (${registered('since')})
            -- Reviews up to the end of the numbers, if none was counted yet.
            and (r.checkpoint, r.tx_index, r.event_index) <= (coalesce(k.since_checkpoint, 9223372036854775807),
              coalesce(k.since_tx_index, 2147483647), coalesce(k.since_event_index, 2147483647)) offset 0) r
        order by type.service_type
        on conflict (network, service_type) do update set
          ${nameColumns(tables.serviceReviews, since)
            .split(', ')
            .map((column) => `${column} = excluded.${column}`)
            .join(', ')},
          ${added.map((total) => `${total} = t.${total} + excluded.${total}`).join(', ')},
          last_review_at = greatest(t.last_review_at, excluded.last_review_at)
        returning *)
      update catalog_entries e set revision = $3, ${counts.map((count) => `${count} = t.${count}`).join(', ')}
      from (
        select r.service_type, coalesce(u.actions, 0) as actions,
          ${countRecent('r.service_type')} as recent_actions, coalesce(u.unique_vaults, 0) as unique_vaults,
          u.last_action_at, ${listColumns('r', reviewTotals)}, coalesce(${rankSql('k')}, 0) as rank,
          coalesce(k.owners, 0) as owners, coalesce(k.new_owners, 0) as new_owners
        from totals r
        left join service_usage u on u.network = $1 and u.service_type = r.service_type
        left join ranks k on k.network = $1 and k.subject = r.service_type) t
      where e.network = $1 and e.service_type = t.service_type and e.ever_verified
        and (${listColumns('e', counts)}) is distinct from (${listColumns('t', counts)})`,
    values: [network, serviceTypes, revision],
  });
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
