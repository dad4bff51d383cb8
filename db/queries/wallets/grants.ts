import type { Queryable, Statement } from '../queryable.ts';
import type { WalletKey } from './find.ts';

/** What a service may pull of a coin from a wallet. */
export interface Grant {
  serviceType: string;
  coin: string;
  /** What is left of it, in base units; null where the wallet's package bounds no grant. */
  allowance: string | null;
  /** What is left to pull at another's request, or at nobody's; null where the owner has not allowed that. */
  pullCap: string | null;
  grantedMs: number;
}

/** Grants of one wallet in an answer. */
export const grantsMax = 200;

const listGrants: Statement = {
  name: 'list_grants',
  text: `
select key.place::int, g.*
from unnest($1::text[], $2::text[]) with ordinality as key (network, wallet_id, place)
cross join lateral (
  select * from service_grants g
  where g.network = key.network and g.wallet_id = key.wallet_id
  order by g.service_type, g.coin limit ${grantsMax}
) g
order by key.place, g.service_type, g.coin`,
};

interface GrantRow {
  place: number;
  service_type: string;
  coin: string;
  allowance: string | null;
  pull_cap: string | null;
  granted_at: Date;
}

/** Reads the grants of many wallets in one round trip, by service and coin. */
export async function readGrants(db: Queryable, keys: readonly WalletKey[]): Promise<Grant[][]> {
  const { rows } = await db.query<GrantRow>({
    ...listGrants,
    values: [keys.map((key) => key.network), keys.map((key) => key.walletId)],
  });
  const byPlace = Map.groupBy(rows, (row) => row.place);
  return keys.map((_, at) =>
    (byPlace.get(at + 1) ?? []).map((row) => ({
      serviceType: row.service_type,
      coin: row.coin,
      allowance: row.allowance,
      pullCap: row.pull_cap,
      grantedMs: row.granted_at.getTime(),
    })),
  );
}
