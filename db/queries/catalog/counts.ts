import type { ClientBase } from 'pg';
import { nameColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { countedSince, listColumns, registered } from './columns.ts';
import { rankSql } from './ranks.ts';
import { advanceCatalog, type LockedCatalog } from './revision.ts';

/** Use, reviews and rank of the service, which `countAgain` copies into its entries. */
export const counted = [
  ...['actions', 'recentActions', 'uniqueVaults', 'lastActionAt'],
  ...['reviewCount', 'scoreSum', 'verifiedCount', 'verifiedSum', 'lastReviewAt'],
  ...['rank', 'owners', 'newOwners'],
] as const;
const counts = nameColumns(tables.catalogEntries, counted).split(', ');

/** SQL for the actions of a service in the last 30 days, today included. */
const countRecent = (serviceType: string) => `(select coalesce(sum(d.actions), 0) from service_days d
    where d.network = $1 and d.service_type = ${serviceType} and d.day > (now() at time zone 'UTC')::date - 30)`;

/**
 * Counts the use and the reviews of service types for their entries that have them. Call it when one more publisher of a
 * type is verified: its registration may be the earliest one.
 */
export async function countAgain(
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
          u.last_action_at, r.*, coalesce(${rankSql('k')}, 0) as rank,
          coalesce(k.owners, 0) as owners, coalesce(k.new_owners, 0) as new_owners
        from unnest($2::text[]) as type (service_type)
        ${countedSince('type.service_type')}
        left join service_usage u on u.network = $1 and u.service_type = type.service_type
        left join ranks k on k.network = $1 and k.subject = type.service_type
        cross join lateral (
          select count(*)::int as review_count, coalesce(sum(score), 0) as score_sum,
            (count(*) filter (where verified))::int as verified_count,
            coalesce(sum(score) filter (where verified), 0) as verified_sum, max("timestamp") as last_review_at
          from reviews r
          where r.network = $1 and r.service_type = type.service_type
            and (r.checkpoint, r.tx_index, r.event_index) > (${registered('since')})) r) t
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
