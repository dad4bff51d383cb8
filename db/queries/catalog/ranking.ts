import type { ClientBase } from 'pg';
import { nameColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { type Queryable, toColumns } from '../queryable.ts';
import type { TransactionPosition } from '../sources.ts';

/** The catalog of a network, locked by this transaction. */
interface Catalog {
  network: string;
  revision: number;
}

/** The numbers of docs/ranking.md. */
export const ranking = {
  /** Paid to the operator's payees, in MIST, for the full weight of 1. */
  fullWeightMist: 100_000_000_000,
  /** Uses for the full credit of an owner. The credit grows with their logarithm. */
  fullUses: 63,
  halfLifeDays: 180,
  /** Credit of all owners together that no payment proves, at most. */
  unprovenMax: 1,
  /** Such owners for half of it. */
  unprovenHalf: 20,
  /** Weight of a new owner among them. */
  newWeight: 0.25,
  /** Age of a wallet at its owner's last use, below which the owner is new. */
  newDays: 30,
  /** Average that a service without reviews is given, and the weight of that assumption. */
  reviewPrior: 3.5,
  reviewPriorWeight: 5,
} as const;

/** An owner's wallets beyond this are not searched for delegations. */
const linkedWalletsMax = 100;

/**
 * SQL for the factor of a use at `time`. Credits grow with the time of the use, at the rate at which older ones fade, so
 * that the order of ranks holds at any time without another write.
 */
const grown = (time: string) =>
  `power(2, extract(epoch from ${time} - timestamptz '2026-01-01Z')::float8 / ${86_400 * ranking.halfLifeDays})`;

/** SQL for the rank of a service, from row `r` of `service_ranks` and its last use. */
export const rankSql = (r: string, lastActionAt: string): string => {
  const { unprovenMax, unprovenHalf, reviewPrior, reviewPriorWeight } = ranking;
  const unproven = `${unprovenMax} * ${r}.unproven / (${r}.unproven + ${unprovenHalf}) * ${grown(lastActionAt)}::numeric`;
  const rating = `(${reviewPrior * reviewPriorWeight} + ${r}.review_sum) / (${reviewPriorWeight} + ${r}.review_weight)`;
  return `round((${r}.proven + ${unproven}) * (0.72 + 0.08 * ${rating}), 3)`;
};

/** Adds the owners of the wallets that used services at or after `from`. Call it under the catalog's lock. */
export async function addOwners(
  client: ClientBase,
  { network }: Catalog,
  from: TransactionPosition,
): Promise<void> {
  // Not a named statement: a plan cached for any `from` would read the whole history at each new action.
  await client.query(
    `insert into service_owners as o (network, service_type, owner, actions, wallet_at, last_action_at)
      select $1, a.service_type, w.owner, count(*), min(w.created_at), max(a."timestamp")
      from service_actions a join wallets w on w.network = $1 and w.wallet_id = a.wallet_id
      where a.network = $1 and (a.checkpoint, a.tx_index) >= ($2::bigint, $3::int)
      group by a.service_type, w.owner order by a.service_type, w.owner
      on conflict (network, service_type, owner) do update set actions = o.actions + excluded.actions,
        wallet_at = least(o.wallet_at, excluded.wallet_at),
        last_action_at = greatest(o.last_action_at, excluded.last_action_at), due = true`,
    [network, from.checkpoint, from.txIndex],
  );
}

/** A payment of SUI out of a wallet by its policy. */
export interface NewPayment {
  /** Owner of the wallet when it paid. */
  owner: string;
  recipient: string;
  /** MIST. */
  amount: string;
}

/** Adds payments to those of their owners. @returns the owners that paid a payee of the operator */
export async function addPayments(
  client: ClientBase,
  network: string,
  payments: readonly NewPayment[],
): Promise<string[]> {
  const { rows } = await client.query<{ owner: string }>({
    name: 'add-payments',
    text: `with added as (
        insert into owner_payments as o (network, owner, recipient, paid)
        select $1, p.owner, p.recipient, sum(p.amount)
        from unnest($2::text[], $3::text[], $4::numeric[]) p (owner, recipient, amount)
        group by p.owner, p.recipient
        on conflict (network, owner, recipient) do update set paid = o.paid + excluded.paid
        returning owner, recipient)
      select distinct owner from added join ranking_payees y on y.network = $1 and y.address = recipient`,
    values: [network, ...toColumns(payments, 'owner', 'recipient', 'amount')],
  });
  return rows.map(({ owner }) => owner);
}

/** Makes owners due, wherever they count. Call it under the catalog's lock. */
export async function dueOwners(
  client: ClientBase,
  { network }: Catalog,
  owners: readonly string[],
): Promise<void> {
  await client.query({
    name: 'due-owners',
    text: 'update service_owners set due = true where network = $1 and owner = any ($2::text[]) and not due',
    values: [network, owners],
  });
}

/** Returns `true` if an owner of the network is due. */
export async function hasDueOwners(db: Queryable, network: string): Promise<boolean> {
  const { rows } = await db.query<{ due: boolean }>({
    name: 'has-due-owners',
    text: 'select exists (select from service_owners where network = $1 and due) as due',
    values: [network],
  });
  return rows[0]!.due;
}

/** Stores the operator's payees. A change makes every owner due. Call it under the catalog's lock. */
export async function storePayees(
  client: ClientBase,
  { network }: Catalog,
  payees: readonly string[],
): Promise<void> {
  await client.query({
    name: 'store-payees',
    text: `with gone as (
        delete from ranking_payees where network = $1 and address <> all ($2::text[]) returning address),
      added as (
        insert into ranking_payees (network, address) select distinct $1, unnest($2::text[])
        on conflict do nothing returning address)
      update service_owners set due = true
      where network = $1 and not due and exists (select from gone union all select from added)`,
    values: [network, payees],
  });
}

const parts = nameColumns(tables.serviceOwners, ['proven', 'unproven', 'reviewWeight', 'reviewSum']).split(
  ', ',
);
const differences = parts.map((name) => `sum(${name} - former_${name})`).join(', ');

/**
 * Computes what the due owners add, and from the differences the ranks of their services. The cost depends on the number
 * of due owners. Call it under the catalog's lock.
 * @returns the number of entries that changed
 */
export async function refreshRanks(client: ClientBase, { network, revision }: Catalog): Promise<number> {
  const { fullWeightMist, fullUses, newWeight, newDays } = ranking;
  const { rowCount } = await client.query({
    name: 'refresh-ranks',
    text: `with due as materialized (select * from service_owners where network = $1 and due),
      weighed as (
        select d.*, r.score, p.is_linked,
          case when p.is_linked then 0 else least(1, coalesce(p.paid, 0) / ${fullWeightMist}) end as weight,
          d.wallet_at > d.last_action_at - interval '${newDays} days' or not exists (
            select from service_owners x where x.network = $1 and x.owner = d.owner
              and split_part(x.service_type, '::', 1) <> split_part(d.service_type, '::', 1)) as now_new
        from due d
        left join reviews r
          on r.network = $1 and r.service_type = d.service_type and r.attester = d.owner and r.verified
        cross join lateral (
          select array_agg(l.publisher) as addresses from listings l
          where l.network = $1 and l.service_type = d.service_type and l.ever_verified) publishers
        cross join lateral (
          select d.owner = any (publishers.addresses) or exists (
              select from (
                select w.wallet_id from wallets w where w.network = $1 and w.owner = d.owner limit ${linkedWalletsMax}
              ) own
              join delegates g on g.network = $1 and g.wallet_id = own.wallet_id
              where g.delegate = any (publishers.addresses)) is true as is_linked,
            (select sum(o.paid) from owner_payments o
              join ranking_payees y on y.network = $1 and y.address = o.recipient
              where o.network = $1 and o.owner = d.owner and o.recipient <> d.owner
                and (o.recipient = any (publishers.addresses)) is not true) as paid) p
      ),
      fresh as (
        select service_type, owner, now_new, is_new as former_new, ${parts.map((name) => `${name} as former_${name}`).join(', ')},
          round((weight * least(1, ln(1 + actions) / ln(${1 + fullUses})))::numeric * ${grown('last_action_at')}::numeric, 6)
            as proven,
          case when is_linked then 0 else (1 - weight) * case when now_new then ${newWeight} else 1 end end as unproven,
          case when score is null then 0 else weight end as review_weight, coalesce(score, 0) * weight as review_sum
        from weighed
      ),
      stored as (
        update service_owners o set due = false, is_new = f.now_new,
          ${parts.map((name) => `${name} = f.${name}`).join(', ')}
        from fresh f where o.network = $1 and o.service_type = f.service_type and o.owner = f.owner
      ),
      totals as (
        insert into service_ranks as t (network, service_type, owners, new_owners, ${parts.join(', ')})
        select $1, service_type, count(*) filter (where former_new is null),
          sum(now_new::int - coalesce(former_new, false)::int), ${differences}
        from fresh group by service_type order by service_type
        on conflict (network, service_type) do update set owners = t.owners + excluded.owners,
          new_owners = t.new_owners + excluded.new_owners,
          ${parts.map((name) => `${name} = t.${name} + excluded.${name}`).join(', ')}
        returning *
      )
      update catalog_entries e set rank = n.rank, owners = n.owners, new_owners = n.new_owners, revision = $2
      from (
        select t.service_type, t.owners, t.new_owners, ${rankSql('t', 'u.last_action_at')} as rank
        from totals t join service_usage u on u.network = $1 and u.service_type = t.service_type
      ) n
      where e.network = $1 and e.service_type = n.service_type and e.ever_verified
        and (e.rank, e.owners, e.new_owners) is distinct from (n.rank, n.owners, n.new_owners)`,
    values: [network, revision],
  });
  return rowCount ?? 0;
}
