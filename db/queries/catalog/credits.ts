import { normalizeStructTag } from '@mysten/sui/utils';
import type { ClientBase } from 'pg';
import { toColumns } from '../queryable.ts';
import { endOfChain, type TransactionPosition } from '../sources.ts';
import { addDueOwners } from './due-credits.ts';
import { buildStepsSql } from './ranks.ts';
import type { LockedCatalog } from './revision.ts';

/**
 * SQL that adds the uses of `select` to the credits of their owners, which then are due. `uses` and `last_use_at` are
 * without those that delegates signed.
 */
export const addUses = (select: string) => `
  insert into rank_credits as c (network, subject, is_agent, owner, uses, wallet_at, first_use_at, last_use_at,
    delegated_at)
  ${select}
  on conflict (network, subject, owner) do update set uses = c.uses + excluded.uses,
    wallet_at = least(c.wallet_at, excluded.wallet_at), first_use_at = least(c.first_use_at, excluded.first_use_at),
    last_use_at = greatest(c.last_use_at, excluded.last_use_at),
    delegated_at = greatest(c.delegated_at, excluded.delegated_at), due = true`;

/**
 * Adds the owners that used services at or after `from`, and before checkpoint `before`, by themselves or by a
 * delegate. What a service does alone to a wallet is not a use by its owner. Call it under the catalog's lock.
 */
export async function addOwners(
  client: ClientBase,
  { network }: LockedCatalog,
  from: TransactionPosition,
  before = endOfChain,
): Promise<void> {
  // Not a named statement: a plan cached for any `from` would read the whole history at each new action.
  await client.query(
    addUses(`select $1, a.service_type, false, a.owner, count(*) filter (where a.signed_by = 'owner'), min(w.created_at),
        min(a."timestamp"), max(a."timestamp") filter (where a.signed_by = 'owner'),
        max(a."timestamp") filter (where a.signed_by = 'delegate')
      from service_actions a join wallets w on w.network = $1 and w.wallet_id = a.wallet_id
      where a.network = $1 and (a.checkpoint, a.tx_index) >= ($2::bigint, $3::int) and a.checkpoint < $4 and a.owner is not null
        and a.signed_by is not null
      group by a.service_type, a.owner order by a.service_type, a.owner`),
    [network, from.checkpoint, from.txIndex, before],
  );
}

/** The coin whose payments count: no other has a known value. */
export const paymentCoin = normalizeStructTag('0x2::sui::SUI');

/** A payment of SUI that the recipient has for certain: the code that the index follows moved it. */
export interface NewPayment {
  owner: string;
  recipient: string;
  /** MIST. */
  amount: string;
}

/**
 * Adds payments to those of their owners. Take no lock of the catalog before it: sources add payments at the same time.
 * @returns the owners whose weight changes
 */
export async function addPayments(
  client: ClientBase,
  network: string,
  payments: readonly NewPayment[],
): Promise<string[]> {
  if (payments.length === 0) return [];
  const { rows } = await client.query<{ owner: string }>({
    name: 'add-payments',
    text: `with fresh as (
        select p.owner, p.recipient, sum(p.amount) as amount
        from unnest($2::text[], $3::text[], $4::numeric[]) p (owner, recipient, amount)
        group by p.owner, p.recipient),
      added as (
        insert into owner_payments as o (network, owner, recipient, paid)
        select $1, owner, recipient, amount from fresh order by owner, recipient
        on conflict (network, owner, recipient) do update set paid = o.paid + excluded.paid
        returning owner, recipient, paid)
      select distinct a.owner from added a join fresh f using (owner, recipient)
      join ranking_payees y on y.network = $1 and y.address = a.recipient
      where ${buildStepsSql('a.paid')} <> ${buildStepsSql('a.paid - f.amount')}`,
    values: [network, ...toColumns(payments, 'owner', 'recipient', 'amount')],
  });
  return rows.map(({ owner }) => owner);
}

export interface NewLink {
  owner: string;
  address: string;
  isTransfer: boolean;
}

/**
 * Stores links. An owner becomes due where a new one counts: with a publisher that is or was verified, or an agent that
 * it hired. Call it under the catalog's lock.
 */
export async function addLinks(
  client: ClientBase,
  { network }: LockedCatalog,
  links: readonly NewLink[],
): Promise<void> {
  await client.query({
    name: 'add-links',
    text: `with added as (
        insert into owner_links as k (network, owner, address, is_transfer)
        select $1, owner, address, bool_or(is_transfer)
        from unnest($2::text[], $3::text[], $4::boolean[]) l (owner, address, is_transfer)
        group by owner, address order by owner, address
        on conflict (network, owner, address) do update set is_transfer = true
          where excluded.is_transfer and not k.is_transfer
        returning owner, address)
      ${addDueOwners(`select distinct $1, owner from added
        where exists (
            select from listings l where l.network = $1 and l.publisher = address and l.ever_verified offset 0)
          or exists (
            select from rank_credits c where c.network = $1 and c.subject = address and c.owner = added.owner offset 0)`)}`,
    values: [network, ...toColumns(links, 'owner', 'address', 'isTransfer')],
  });
}

/** Stores the operator's payees. Those that change make the owners due that paid them. Call it under the catalog's lock. */
export async function storePayees(
  client: ClientBase,
  { network }: LockedCatalog,
  payees: readonly string[],
): Promise<void> {
  await client.query({
    name: 'store-payees',
    text: `with gone as (
        delete from ranking_payees where network = $1 and address <> all ($2::text[]) returning address),
      added as (
        insert into ranking_payees (network, address) select distinct $1, unnest($2::text[])
        on conflict do nothing returning address)
      insert into payees_due (network, address)
      select $1, address from (select * from gone union all select * from added) changed order by address
      on conflict (network, address) do update set after_owner = ''`,
    values: [network, payees],
  });
}
