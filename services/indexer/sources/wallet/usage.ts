import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import type { TransactionPlace } from '../source.ts';

/**
 * Adds the actions at or after `from`, each once, to what is known of vaults, services and actors.
 * @returns whether a listed service was used
 */
export async function settleUsage(
  client: ClientBase,
  network: Network,
  from: TransactionPlace,
): Promise<boolean> {
  const values = [network, from.checkpoint, from.txIndex];
  // Not named statements: plans made once for any `from` would read the whole history at each new action.
  const { rows } = await client.query<{ changed: boolean }>(
    `with fresh as (
        select service_type, wallet_id, count(*) as actions, max("timestamp") as last_action_at
        from service_actions
        where network = $1 and (checkpoint, tx_index) >= ($2::bigint, $3::int)
        group by 1, 2),
      known as (
        select f.*, v.wallet_id is null as is_new from fresh f
        left join service_vaults v
          on v.network = $1 and v.service_type = f.service_type and v.wallet_id = f.wallet_id),
      vaults as (
        insert into service_vaults as v (network, service_type, wallet_id, actions, last_action_at)
        select $1, service_type, wallet_id, actions, last_action_at from known
        on conflict (network, service_type, wallet_id) do update set
          actions = v.actions + excluded.actions,
          last_action_at = greatest(v.last_action_at, excluded.last_action_at)),
      used as (
        insert into service_usage as u (network, service_type, actions, unique_vaults, last_action_at)
        select $1, service_type, sum(actions), count(*) filter (where is_new), max(last_action_at)
        from known group by service_type
        on conflict (network, service_type) do update set
          actions = u.actions + excluded.actions,
          unique_vaults = u.unique_vaults + excluded.unique_vaults,
          last_action_at = greatest(u.last_action_at, excluded.last_action_at)
        returning service_type)
      select exists (select from used join listings l
        on l.network = $1 and l.service_type = used.service_type and l.listed) as changed`,
    values,
  );
  await client.query(
    `insert into service_actors (network, service_type, actor, checkpoint, tx_index, event_index)
      select distinct on (a.service_type, actor) a.network, a.service_type, actor, a.checkpoint, a.tx_index,
        a.event_index
      from service_actions a cross join unnest(a.actors) actor
      where a.network = $1 and (a.checkpoint, a.tx_index) >= ($2::bigint, $3::int)
      order by a.service_type, actor, a.checkpoint, a.tx_index, a.event_index
      on conflict do nothing`,
    values,
  );
  return rows[0]!.changed;
}
