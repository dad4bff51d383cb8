import type { ClientBase } from 'pg';
import { copyRows } from './copy.ts';
import type { EventPosition, Queryable, Statement } from './queryable.ts';
import type { TransactionPosition } from './sources.ts';

/** Counted use of a service by wallets. */
export interface Usage {
  actions: number;
  uniqueVaults: number;
  lastActionMs: number | null;
}

export interface UsageKey {
  network: string;
  serviceType: string;
}

const findUsage: Statement = {
  name: 'find-usage',
  text: `
select key.position::int, u.actions, u.unique_vaults, u.last_action_at
from unnest($1::text[], $2::text[]) with ordinality as key (network, service_type, position)
join service_usage u on u.network = key.network and u.service_type = key.service_type`,
};

interface UsageRow {
  position: number;
  actions: number;
  unique_vaults: number;
  last_action_at: Date | null;
}

/** Reads the use of many services, listed or not, in one round trip; nothing counted where there was none. */
export async function readUsage(db: Queryable, keys: readonly UsageKey[]): Promise<Usage[]> {
  const { rows } = await db.query<UsageRow>({
    ...findUsage,
    values: [keys.map((key) => key.network), keys.map((key) => key.serviceType)],
  });
  const byPosition = new Map(rows.map((row) => [row.position, row]));
  return keys.map((_, at) => {
    const row = byPosition.get(at + 1);
    return {
      actions: row?.actions ?? 0,
      uniqueVaults: row?.unique_vaults ?? 0,
      lastActionMs: row?.last_action_at?.getTime() ?? null,
    };
  });
}

/** One counted use of a service by a wallet. */
export interface NewAction {
  at: EventPosition;
  service: string;
  walletId: string;
  actors: Iterable<string>;
}

const actionColumns = [
  'network',
  'checkpoint',
  'tx_index',
  'event_index',
  'service_type',
  'wallet_id',
  'actors',
  'timestamp',
];

export async function appendActions(
  client: ClientBase,
  network: string,
  actions: readonly NewAction[],
): Promise<void> {
  if (actions.length === 0) return;
  await copyRows(
    client,
    'service_actions',
    actionColumns,
    actions.map(({ at, service, walletId, actors }) => [
      network,
      at.checkpoint,
      at.txIndex,
      at.eventIndex,
      service,
      walletId,
      `{${[...actors].join(',')}}`,
      new Date(at.timestampMs),
    ]),
  );
}

/**
 * Adds the actions at or after `from`, each once, to the totals of vaults and services.
 * @returns the services that were used
 */
export async function addUsage(
  client: ClientBase,
  network: string,
  from: TransactionPosition,
): Promise<string[]> {
  // Not a named statement: a plan cached for any `from` would read the whole history at each new action.
  const { rows } = await client.query<{ service_type: string }>(
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
          last_action_at = greatest(v.last_action_at, excluded.last_action_at))
      insert into service_usage as u (network, service_type, actions, unique_vaults, last_action_at)
      select $1, service_type, sum(actions), count(*) filter (where is_new), max(last_action_at)
      from known group by service_type
      on conflict (network, service_type) do update set
        actions = u.actions + excluded.actions,
        unique_vaults = u.unique_vaults + excluded.unique_vaults,
        last_action_at = greatest(u.last_action_at, excluded.last_action_at)
      returning service_type`,
    [network, from.checkpoint, from.txIndex],
  );
  return rows.map(({ service_type: type }) => type);
}
