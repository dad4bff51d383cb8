import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import { type Item, matchColumns, nameColumns, type Row, readColumns, unnestColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { type KeyedList, keyColumns, type Paging, readPages } from '../lists.ts';
import { type Queryable, toColumns } from '../queryable.ts';
import { type BatchWrite, createDelete, createWrite } from '../writes.ts';
import { type WalletKey, walletKeyColumns } from './wallets.ts';

const grantColumns = readColumns(tables.serviceGrants, ['serviceType', 'coin', 'allowance', 'pullCap'], {
  grantedMs: 'grantedAt',
});

type GrantRow = Row<typeof grantColumns>;

/** A grant: the amount of a coin that a service may pull from a wallet. */
export interface Grant extends Item<typeof grantColumns> {}

/** Maximum number of grants of one wallet in an answer. */
export const grantsMax = 200;

/** The grants of a wallet, by service and coin. */
export const grantList: KeyedList<WalletKey & Paging, GrantRow, Grant> = {
  name: 'grants',
  key: walletKeyColumns,
  from: 'service_grants g',
  where: 'g.network = key.network and g.wallet_id = key.wallet_id',
  select: grantColumns.select('g'),
  times: grantColumns.times,
  order: [
    ['g.service_type', 'id'],
    ['g.coin', 'id'],
  ],
  toItem: grantColumns.toItem,
};

interface ServiceGrantsKey extends Paging {
  network: string;
  serviceType: string;
}

const serviceGrantColumns = readColumns(
  tables.serviceGrants,
  ['walletId', 'serviceType', 'coin', 'allowance', 'pullCap'],
  { grantedMs: 'grantedAt' },
);

/** The grants of all wallets to a service, by wallet and coin. */
export const serviceGrantList: KeyedList<
  ServiceGrantsKey,
  Row<typeof serviceGrantColumns>,
  Item<typeof serviceGrantColumns>
> = {
  name: 'grants-to-service',
  key: keyColumns(tables.serviceGrants, 'network', 'serviceType'),
  from: 'service_grants g',
  where: 'g.network = key.network and g.service_type = key.service_type',
  select: serviceGrantColumns.select('g'),
  order: [
    ['g.wallet_id', 'id'],
    ['g.coin', 'id'],
  ],
  toItem: serviceGrantColumns.toItem,
};

/** Reads the first grants of each of many wallets, in one round trip. */
export async function readGrants(db: Queryable, keys: readonly WalletKey[]): Promise<Grant[][]> {
  const pages = await readPages(
    db,
    grantList,
    keys.map((key) => ({ ...key, first: grantsMax })),
  );
  return pages.map(({ items }) => items);
}

const grantKey = ['walletId', 'serviceType', 'coin'] as const;
export type GrantKey = Record<(typeof grantKey)[number], string>;

export const removeServiceGrants: BatchWrite<Omit<GrantKey, 'coin'>> = createDelete(tables.serviceGrants, [
  'walletId',
  'serviceType',
]);

export const removeGrants: BatchWrite<GrantKey> = createDelete(tables.serviceGrants, grantKey);

/** SQL for a pull cap after pulls. It is never below zero: an event that did not decode may have raised it before. */
const reducedCap = `case when g.pull_cap = ${unlimitedAllowance} then g.pull_cap else g.pull_cap - least(c.pulled, g.pull_cap) end`;

/** A grant after a batch of events. An undefined field stays as it is. */
export interface GrantChange extends GrantKey {
  allowance?: string | null | undefined;
  pullCap?: string | null | undefined;
  /** Amount to subtract from the stored pull cap if `pullCap` is undefined. */
  pulled: bigint;
  grantedAt?: Date | undefined;
  /** Time of the first event of the batch that mentions the grant. */
  knownAt: Date;
}

const setColumns = [...grantKey, 'allowance', 'pullCap'] as const;
const changedGrants = unnestColumns(tables.serviceGrants, 2, setColumns, {
  pulled: 'numeric',
  granted_at: 'timestamptz',
  known_at: 'timestamptz',
  sets_allowance: 'boolean',
  sets_cap: 'boolean',
});
const isChanged = `g.network = $1 and ${matchColumns(tables.serviceGrants, grantKey, 'g')}`;

export const setGrants = createWrite<GrantChange>(
  'set-grants',
  `insert into service_grants (network, ${nameColumns(tables.serviceGrants, [...setColumns, 'grantedAt', 'firstGrantedAt'])})
    select $1, c.wallet_id, c.service_type, c.coin,
      case when c.sets_allowance then c.allowance else g.allowance end,
      case when c.sets_cap then c.pull_cap else ${reducedCap} end,
      coalesce(c.granted_at, g.granted_at, c.known_at), coalesce(g.first_granted_at, c.known_at)
    from ${changedGrants} left join service_grants g on ${isChanged}
    on conflict (network, wallet_id, service_type, coin) do update set allowance = excluded.allowance,
      pull_cap = excluded.pull_cap, granted_at = excluded.granted_at`,
  (grants) => [
    ...toColumns(grants, ...setColumns, 'pulled', 'grantedAt', 'knownAt'),
    grants.map(({ allowance }) => allowance !== undefined),
    grants.map(({ pullCap }) => pullCap !== undefined),
  ],
);

export const debitPullCaps = createWrite<GrantKey & { pulled: bigint }>(
  'debit-pull-caps',
  `update service_grants g set pull_cap = ${reducedCap}
    from ${unnestColumns(tables.serviceGrants, 2, grantKey, { pulled: 'numeric' })} where ${isChanged}`,
  [...grantKey, 'pulled'],
);
