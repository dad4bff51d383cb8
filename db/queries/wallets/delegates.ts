import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import {
  type Item,
  insertColumns,
  matchColumns,
  nameColumns,
  type Row,
  readColumns,
  unnestColumns,
} from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { type KeyedList, type Paging, readOptionalPages } from '../lists.ts';
import type { Page } from '../page.ts';
import { fromMsSql, type Queryable } from '../queryable.ts';
import { type BatchWrite, createDelete, createWrite } from '../writes.ts';
import { type WalletKey, walletKeyColumns } from './wallets.ts';

/** Remaining budget of a delegate for one service or one coin. */
export interface Allowance {
  /** Type of the service or the coin. */
  key: string;
  /** Base units, decimal digits. */
  amount: string;
  unlimited: boolean;
}

const delegateNames = { address: 'delegate', addedMs: 'addedAt', expiresMs: 'expiresAt' } as const;
const delegateColumns = readColumns(tables.delegates, [], delegateNames);
const delegationColumns = readColumns(tables.delegates, ['walletId'], delegateNames);

/** An address that may spend for a wallet. */
export interface Delegate extends Item<typeof delegateColumns> {
  services: Allowance[];
  coins: Allowance[];
  /** `true` if budgets beyond the first 200 of a kind were left out. */
  truncated: boolean;
}

interface DelegatesKey extends WalletKey, Paging {
  /** `true` to read the budgets. */
  budgets?: boolean;
}

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

type Budget = Omit<Allowance, 'unlimited'>;

interface Budgets {
  services: Budget[];
  coins: Budget[];
}

/** The delegates of a wallet with their budgets, in the order in which they were added. */
export const delegateList: KeyedList<DelegatesKey, Row<typeof delegateColumns> & Budgets, Delegate> = {
  name: 'delegates',
  key: walletKeyColumns,
  parent: 'join wallets w on w.network = key.network and w.wallet_id = key.wallet_id',
  from: 'delegates d',
  where: 'd.network = key.network and d.wallet_id = key.wallet_id',
  select: `${delegateColumns.select('d')}, ${buildAllowancesSql('service')}, ${buildAllowancesSql('coin')}`,
  times: delegateColumns.times,
  order: [
    ['d.added_at', 'timestamptz'],
    ['d.delegate', 'text'],
  ],
  toItem: (row) => ({ ...delegateColumns.toItem(row), ...toAllowances(row) }),
};

/** The delegates of a wallet without their budgets, which are many. */
export const bareDelegateList: typeof delegateList = {
  ...delegateList,
  name: 'bare-delegates',
  select: delegateColumns.select('d'),
  toItem: (row) => ({ ...delegateColumns.toItem(row), services: [], coins: [], truncated: false }),
};

interface DelegationsKey extends Paging {
  network: string;
  address: string;
}

/** The wallets that an address may spend for, with its budgets, by wallet. */
export const delegationList: KeyedList<
  DelegationsKey,
  Row<typeof delegationColumns> & Budgets,
  Delegate & { walletId: string }
> = {
  name: 'delegations',
  key: { network: ['text', ({ network }) => network], address: ['text', ({ address }) => address] },
  from: 'delegates d',
  where: 'd.network = key.network and d.delegate = key.address',
  select: `${delegationColumns.select('d')}, ${buildAllowancesSql('service')}, ${buildAllowancesSql('coin')}`,
  order: [['d.wallet_id', 'id']],
  toItem: (row) => ({ ...delegationColumns.toItem(row), ...toAllowances(row) }),
};

/**
 * Reads one page of delegates per key in one round trip. Undefined if the wallet is not known.
 * @throws ProblemError `bad_cursor`
 */
export const readDelegates = (
  db: Queryable,
  keys: readonly DelegatesKey[],
): Promise<(Page<Delegate> | undefined)[]> => readOptionalPages(db, delegateList, keys);

function toAllowances({ services, coins }: Budgets) {
  const first = (budgets: readonly Budget[]) =>
    budgets
      .slice(0, allowancesMax)
      .map(({ key, amount }) => ({ key, amount, unlimited: amount === String(unlimitedAllowance) }));
  return {
    services: first(services),
    coins: first(coins),
    truncated: services.length > allowancesMax || coins.length > allowancesMax,
  };
}

const delegateKey = ['walletId', 'delegate'] as const;
export type DelegateKey = Record<(typeof delegateKey)[number], string>;

const removeAllowances: BatchWrite<DelegateKey> = createDelete(tables.delegateAllowances, delegateKey);
const removeOnlyDelegates: BatchWrite<DelegateKey> = createDelete(tables.delegates, delegateKey);

export const removeDelegates: BatchWrite<DelegateKey> = async (client, network, keys) => {
  await removeOnlyDelegates(client, network, keys);
  await removeAllowances(client, network, keys);
};

interface NewDelegate extends DelegateKey {
  addedAt: Date;
  /** Null: it does not expire. */
  expiresAtMs: number | null;
}

const added = [...delegateKey, 'addedAt'] as const;

export const insertDelegates = createWrite<NewDelegate>(
  'insert-delegates',
  `insert into delegates (network, ${nameColumns(tables.delegates, [...added, 'expiresAt'])})
    select $1, ${nameColumns(tables.delegates, added)}, ${fromMsSql('expires_ms')}
    from ${unnestColumns(tables.delegates, 2, added, { expires_ms: 'bigint' })}`,
  [...added, 'expiresAtMs'],
);

export const setDelegateExpiry = createWrite<Omit<NewDelegate, 'addedAt'>>(
  'set-delegate-expiry',
  `update delegates d set expires_at = ${fromMsSql('c.expires_ms')}
    from ${unnestColumns(tables.delegates, 2, delegateKey, { expires_ms: 'bigint' })}
    where d.network = $1 and ${matchColumns(tables.delegates, delegateKey, 'd')}`,
  [...delegateKey, 'expiresAtMs'],
);

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

const allowanceKey = [...delegateKey, 'kind', 'key'] as const;
const allowanceColumns = [...allowanceKey, 'amount'] as const;

const setAllowances = createWrite<AllowanceChange>(
  'set-allowances',
  `${insertColumns(tables.delegateAllowances, allowanceColumns)}
    on conflict (network, wallet_id, delegate, kind, key) do update set amount = excluded.amount`,
  allowanceColumns,
);

const debitAllowances = createWrite<AllowanceChange>(
  'debit-allowances',
  `update delegate_allowances a set amount = c.amount
    from ${unnestColumns(tables.delegateAllowances, 2, allowanceColumns)}
    where a.network = $1 and ${matchColumns(tables.delegateAllowances, allowanceKey, 'a')}`,
  allowanceColumns,
);

export const writeAllowances: BatchWrite<AllowanceChange> = async (client, network, changes) => {
  const [set, debited] = [changes.filter(({ isSet }) => isSet), changes.filter(({ isSet }) => !isSet)];
  await setAllowances(client, network, set);
  await debitAllowances(client, network, debited);
};
