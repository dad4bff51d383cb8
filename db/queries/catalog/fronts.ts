import type { ClientBase } from 'pg';
import type { LockedCatalog } from './revision.ts';

/** The new front entry of each service type for which it changes. */
const nextFronts = `next as materialized (
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
 * Makes the best entry of each service type its front entry, and counts the shown entries of the network again.
 * @param shown entries of these types that were shown before the transaction
 */
export async function promoteFronts(
  client: ClientBase,
  { network, revision }: LockedCatalog,
  types: readonly string[],
  shown: number,
): Promise<void> {
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
