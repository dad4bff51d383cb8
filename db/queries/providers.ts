import { type Row, readColumns } from '../rows.ts';
import * as tables from '../schema/index.ts';
import type { Queryable } from './queryable.ts';

const conditionColumns = readColumns(tables.nodeProviders, [
  'host',
  'inUse',
  'state',
  'reason',
  'tip',
  'lagMs',
  'latencyMs',
  'budget',
  'budgetLeft',
]);

interface ProviderCondition extends Row<typeof conditionColumns> {
  state: ProviderState;
}

type ProviderState = 'healthy' | 'lagging' | 'limited' | 'failing';

/** Replaces the providers of a network. */
export async function storeProviders(
  db: Queryable,
  network: string,
  providers: readonly ProviderCondition[],
): Promise<void> {
  await db.query({
    name: 'store-providers',
    text: `with given as (
        select * from json_to_recordset($2) as g("host" text, "inUse" boolean, "state" text, "reason" text,
          "tip" bigint, "lagMs" integer, "latencyMs" integer, "budget" integer, "budgetLeft" integer)
      ), removed as (
        delete from node_providers where network = $1 and host not in (select host from given)
      )
      insert into node_providers (network, host, in_use, state, reason, tip, lag_ms, latency_ms, budget, budget_left,
        updated_at)
      select $1, host, "inUse", state, reason, tip, "lagMs", "latencyMs", budget, "budgetLeft", now() from given
      on conflict (network, host) do update set in_use = excluded.in_use, state = excluded.state,
        reason = excluded.reason, tip = excluded.tip, lag_ms = excluded.lag_ms, latency_ms = excluded.latency_ms,
        budget = excluded.budget, budget_left = excluded.budget_left, updated_at = excluded.updated_at`,
    values: [network, JSON.stringify(providers)],
  });
}

/** A condition as it was stored `ageSeconds` ago. */
export interface StoredCondition extends ProviderCondition {
  network: string;
  ageSeconds: number;
}

/** Reads the providers of all networks: the one in use first, the others by name. */
export async function readProviders(db: Queryable): Promise<StoredCondition[]> {
  const { rows } = await db.query<StoredCondition>({
    name: 'read-providers',
    text: `select network, ${conditionColumns.select('p')},
        greatest(0, round(extract(epoch from now() - updated_at)))::integer as "ageSeconds"
      from node_providers p order by network, in_use desc, host`,
  });
  return rows;
}
