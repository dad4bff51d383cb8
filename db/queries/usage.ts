import type { Queryable, Statement } from './queryable.ts';

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
  name: 'find_usage',
  text: `
select key.place::int, u.actions, u.unique_vaults, u.last_action_at
from unnest($1::text[], $2::text[]) with ordinality as key (network, service_type, place)
join service_usage u on u.network = key.network and u.service_type = key.service_type`,
};

interface UsageRow {
  place: number;
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
  const byPlace = new Map(rows.map((row) => [row.place, row]));
  return keys.map((_, at) => {
    const row = byPlace.get(at + 1);
    return {
      actions: row?.actions ?? 0,
      uniqueVaults: row?.unique_vaults ?? 0,
      lastActionMs: row?.last_action_at?.getTime() ?? null,
    };
  });
}
