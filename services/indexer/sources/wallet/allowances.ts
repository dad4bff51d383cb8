import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';

/** What a batch does to one budget of a delegate. */
export interface AllowanceChange {
  kind: 'service' | 'coin';
  key: string;
  /** Base units; what is left of it in the end. */
  amount: string;
  /** The owner set it; or else a spend debits what must be there already. */
  isSet: boolean;
}

interface DelegateChange {
  walletId: string;
  delegate: string;
  allowances: Map<string, AllowanceChange>;
}

/** Brings `delegate_allowances` up to date. */
export async function applyAllowances(
  client: ClientBase,
  network: Network,
  delegates: readonly DelegateChange[],
): Promise<void> {
  const all = delegates.flatMap(({ walletId, delegate, allowances }) =>
    [...allowances.values()].map((change) => ({ walletId, delegate, ...change })),
  );
  const values = (rows: typeof all) => [
    network,
    rows.map(({ walletId }) => walletId),
    rows.map(({ delegate }) => delegate),
    rows.map(({ kind }) => kind),
    rows.map(({ key }) => key),
    rows.map(({ amount }) => amount),
  ];
  const given = `unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::numeric[])
    as c (wallet_id, delegate, kind, key, amount)`;
  const set = all.filter(({ isSet }) => isSet);
  if (set.length > 0) {
    await client.query({
      name: 'set-allowances',
      text: `insert into delegate_allowances (network, wallet_id, delegate, kind, key, amount)
        select $1, c.* from ${given}
        on conflict (network, wallet_id, delegate, kind, key) do update set amount = excluded.amount`,
      values: values(set),
    });
  }
  const debited = all.filter(({ isSet }) => !isSet);
  if (debited.length > 0) {
    await client.query({
      name: 'debit-allowances',
      text: `update delegate_allowances a set amount = c.amount from ${given}
        where a.network = $1 and a.wallet_id = c.wallet_id and a.delegate = c.delegate and a.kind = c.kind
          and a.key = c.key`,
      values: values(debited),
    });
  }
}
