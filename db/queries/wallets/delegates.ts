import type { ClientBase } from 'pg';
import { type KeyedList, type Paging, readOptionalPages } from '../lists.ts';
import type { Page } from '../page.ts';
import { type Queryable, toColumns } from '../queryable.ts';
import { type WalletKey, walletKeyColumns } from './wallets.ts';

/** Remaining budget of a delegate for one service or one coin. */
export interface Allowance {
  /** Type of the service or the coin. */
  key: string;
  /** Base units, decimal digits. */
  amount: string;
  unlimited: boolean;
}

/** An address that may spend for a wallet. */
export interface Delegate {
  address: string;
  addedMs: number;
  /** Null: it does not expire. */
  expiresMs: number | null;
  services: Allowance[];
  coins: Allowance[];
  /** `true` if budgets beyond the first 200 of a kind were left out. */
  truncated: boolean;
}

interface DelegatesKey extends WalletKey, Paging {
  /** `true` to read the budgets. */
  budgets?: boolean;
}

/** Amount that means "unlimited" on the chain: 2^64 - 1. */
const unlimited = '18446744073709551615';

const allowancesMax = 200;

const buildAllowancesSql = (kind: 'service' | 'coin') => `(
  select coalesce(json_agg(json_build_object('key', key, 'amount', amount::text) order by key), '[]')
  from (
    select key, amount from delegate_allowances a
    where a.network = d.network and a.wallet_id = d.wallet_id and a.delegate = d.delegate
      and a.kind = '${kind}'
    order by key limit ${allowancesMax + 1}
  ) a
) as ${kind}s`;

interface DelegateRow {
  delegate: string;
  added_at: Date;
  expires_at: Date | null;
  services: Omit<Allowance, 'unlimited'>[];
  coins: Omit<Allowance, 'unlimited'>[];
}

const delegateColumns = 'd.delegate, d.added_at, d.expires_at';

/** The delegates of a wallet with their budgets, in the order in which they were added. */
export const delegateList: KeyedList<DelegatesKey, DelegateRow, Delegate> = {
  name: 'delegates',
  key: walletKeyColumns,
  parent: 'join wallets w on w.network = key.network and w.wallet_id = key.wallet_id',
  from: 'delegates d',
  where: 'd.network = key.network and d.wallet_id = key.wallet_id',
  select: `${delegateColumns}, ${buildAllowancesSql('service')}, ${buildAllowancesSql('coin')}`,
  times: ['added_at', 'expires_at'],
  order: [
    ['d.added_at', 'timestamptz'],
    ['d.delegate', 'text'],
  ],
  toItem: toDelegate,
};

/** The delegates of a wallet without their budgets, which are many. */
export const bareDelegateList: typeof delegateList = {
  ...delegateList,
  name: 'bare-delegates',
  select: delegateColumns,
  toItem: (row) => toDelegate({ ...row, services: [], coins: [] }),
};

interface DelegationsKey extends Paging {
  network: string;
  address: string;
}

/** The wallets that an address may spend for, with its budgets, by wallet. */
export const delegationList: KeyedList<
  DelegationsKey,
  DelegateRow & { wallet_id: string },
  Delegate & { walletId: string }
> = {
  name: 'delegations',
  key: { network: ['text', ({ network }) => network], address: ['text', ({ address }) => address] },
  from: 'delegates d',
  where: 'd.network = key.network and d.delegate = key.address',
  select: `d.wallet_id, ${delegateColumns}, ${buildAllowancesSql('service')}, ${buildAllowancesSql('coin')}`,
  order: [['d.wallet_id', 'id']],
  toItem: (row) => ({ ...toDelegate(row), walletId: row.wallet_id }),
};

/**
 * Reads one page of delegates per key in one round trip. Undefined if the wallet is not known.
 * @throws ProblemError `bad_cursor`
 */
export const readDelegates = (
  db: Queryable,
  keys: readonly DelegatesKey[],
): Promise<(Page<Delegate> | undefined)[]> => readOptionalPages(db, delegateList, keys);

function toDelegate(row: DelegateRow): Delegate {
  return {
    address: row.delegate,
    addedMs: row.added_at.getTime(),
    expiresMs: row.expires_at?.getTime() ?? null,
    services: toAllowances(row.services),
    coins: toAllowances(row.coins),
    truncated: row.services.length > allowancesMax || row.coins.length > allowancesMax,
  };
}

function toAllowances(rows: DelegateRow['services']): Allowance[] {
  return rows
    .slice(0, allowancesMax)
    .map(({ key, amount }) => ({ key, amount, unlimited: amount === unlimited }));
}

export interface DelegateKey {
  walletId: string;
  delegate: string;
}

/** Removes delegates and all their allowances. */
export async function removeDelegates(
  client: ClientBase,
  network: string,
  keys: readonly DelegateKey[],
): Promise<void> {
  if (keys.length === 0) return;
  for (const table of ['delegates', 'delegate_allowances']) {
    await client.query({
      name: `remove-${table.replace('_', '-')}`,
      text: `delete from ${table} d using unnest($2::text[], $3::text[]) as c (wallet_id, delegate)
        where d.network = $1 and d.wallet_id = c.wallet_id and d.delegate = c.delegate`,
      values: [network, ...toColumns(keys, 'walletId', 'delegate')],
    });
  }
}

/**
 * SQL for a time from milliseconds. They are sent as a number: JavaScript writes years beyond 9999 in a form that
 * PostgreSQL does not read.
 */
const time = (ms: string) => `to_timestamp(${ms} / 1000.0)`;

interface NewDelegate extends DelegateKey {
  addedAt: Date;
  /** Null: it does not expire. */
  expiresAtMs: number | null;
}

export async function insertDelegates(
  client: ClientBase,
  network: string,
  delegates: readonly NewDelegate[],
): Promise<void> {
  if (delegates.length === 0) return;
  await client.query({
    name: 'insert-delegates',
    text: `insert into delegates (network, wallet_id, delegate, added_at, expires_at)
      select $1, wallet_id, delegate, added_at, ${time('expires_ms')}
      from unnest($2::text[], $3::text[], $4::timestamptz[], $5::bigint[])
        as c (wallet_id, delegate, added_at, expires_ms)`,
    values: [network, ...toColumns(delegates, 'walletId', 'delegate', 'addedAt', 'expiresAtMs')],
  });
}

export async function setDelegateExpiry(
  client: ClientBase,
  network: string,
  changes: readonly (DelegateKey & { expiresAtMs: number | null })[],
): Promise<void> {
  if (changes.length === 0) return;
  await client.query({
    name: 'set-delegate-expiry',
    text: `update delegates d set expires_at = ${time('c.expires_ms')}
      from unnest($2::text[], $3::text[], $4::bigint[]) as c (wallet_id, delegate, expires_ms)
      where d.network = $1 and d.wallet_id = c.wallet_id and d.delegate = c.delegate`,
    values: [network, ...toColumns(changes, 'walletId', 'delegate', 'expiresAtMs')],
  });
}

/** A budget of a delegate after a batch of events. */
export interface AllowanceChange extends DelegateKey {
  kind: 'service' | 'coin';
  /** Type of the service or the coin. */
  key: string;
  /** Remaining budget in base units. */
  amount: string;
  /** `true`: the owner set it. `false`: a spend debits a budget that must already be stored. */
  isSet: boolean;
}

export async function writeAllowances(
  client: ClientBase,
  network: string,
  changes: readonly AllowanceChange[],
): Promise<void> {
  const values = (rows: typeof changes) => [
    network,
    ...toColumns(rows, 'walletId', 'delegate', 'kind', 'key', 'amount'),
  ];
  const given = `unnest($2::text[], $3::text[], $4::text[], $5::text[], $6::numeric[])
    as c (wallet_id, delegate, kind, key, amount)`;
  const set = changes.filter(({ isSet }) => isSet);
  if (set.length > 0) {
    await client.query({
      name: 'set-allowances',
      text: `insert into delegate_allowances (network, wallet_id, delegate, kind, key, amount)
        select $1, c.* from ${given}
        on conflict (network, wallet_id, delegate, kind, key) do update set amount = excluded.amount`,
      values: values(set),
    });
  }
  const debited = changes.filter(({ isSet }) => !isSet);
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
