import { type Row, readColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import type { Queryable, Statement } from '../queryable.ts';
import type { Grant } from './grants.ts';
import type { WalletKey } from './wallets.ts';

export interface AuthorityKey extends WalletKey {
  /** Address that acts for the wallet. */
  sender: string;
  services: readonly string[];
  coins: readonly string[];
}

/** Permissions of a sender for a wallet through some services. */
export interface Authority {
  owner: string;
  paused: boolean;
  /** Undefined if the sender is not a delegate. */
  delegate:
    | { expiresMs: number | null; services: Map<string, bigint>; coins: Map<string, bigint> }
    | undefined;
  /**
   * Grants for the given services: those of the given coins and of `AnyCoin` (the wildcard of another wallet package),
   * and one grant of another coin for each service.
   */
  grants: Pick<Grant, 'serviceType' | 'coin' | 'allowance'>[];
}

const holder = readColumns(tables.wallets, ['owner', 'paused']);
const expiry = readColumns(tables.delegates, ['expiresAt']);

const findAuthority: Statement = {
  name: 'find-authority',
  text: `
select ${holder.select('w')}, d.delegate is not null as "isDelegate", ${expiry.select('d')},
  (
    select coalesce(json_agg(json_build_object('kind', kind, 'key', key, 'amount', amount::text)), '[]')
    from delegate_allowances a
    where a.network = w.network and a.wallet_id = w.wallet_id and a.delegate = $3
      and (a.kind = 'service' and a.key = any ($4::text[]) or a.kind = 'coin' and a.key = any ($5::text[]))
  ) as allowances,
  (
    select coalesce(json_agg(json_build_object(
      'serviceType', service_type, 'coin', coin, 'allowance', allowance::text)), '[]')
    from (
      select * from service_grants g
      where g.network = w.network and g.wallet_id = w.wallet_id and g.service_type = any ($4::text[])
        and (g.coin = any ($5::text[]) or g.coin like '%::wallet::AnyCoin')
      union all
      select one.* from unnest($4::text[]) service (type) cross join lateral (
        select * from service_grants g
        where g.network = w.network and g.wallet_id = w.wallet_id and g.service_type = service.type
          and g.coin <> all ($5::text[]) and g.coin not like '%::wallet::AnyCoin'
        order by g.coin limit 1
      ) one
    ) g
  ) as grants
from wallets w
left join delegates d on d.network = w.network and d.wallet_id = w.wallet_id and d.delegate = $3
where w.network = $1 and w.wallet_id = $2`,
};

type AuthorityRow = Row<typeof holder> &
  Row<typeof expiry> & {
    isDelegate: boolean;
    allowances: Pick<typeof tables.delegateAllowances.$inferSelect, 'kind' | 'key' | 'amount'>[];
    grants: Authority['grants'];
  };

/**
 * Reads the permissions of a sender for a wallet, in one round trip. Undefined if the wallet is not known. For each
 * service it returns the grants of the given coins and one of another coin, so that the caller can name a mismatch.
 */
export async function readAuthority(db: Queryable, key: AuthorityKey): Promise<Authority | undefined> {
  const { network, walletId, sender, services, coins } = key;
  const { rows } = await db.query<AuthorityRow>({
    ...findAuthority,
    values: [network, walletId, sender, services, coins],
  });
  const [row] = rows;
  if (!row) return undefined;
  const budgets = (kind: 'service' | 'coin') =>
    new Map(row.allowances.filter((one) => one.kind === kind).map((one) => [one.key, BigInt(one.amount)]));
  return {
    owner: row.owner,
    paused: row.paused,
    delegate: row.isDelegate
      ? {
          expiresMs: row.expiresAt?.getTime() ?? null,
          services: budgets('service'),
          coins: budgets('coin'),
        }
      : undefined,
    grants: row.grants,
  };
}
