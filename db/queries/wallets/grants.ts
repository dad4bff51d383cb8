import type { ClientBase } from 'pg';
import { type KeyedList, type Paging, readPages } from '../lists.ts';
import { type Queryable, toColumns } from '../queryable.ts';
import { type WalletKey, walletKeyColumns } from './wallets.ts';

/** A grant: the amount of a coin that a service may pull from a wallet. */
export interface Grant {
  serviceType: string;
  coin: string;
  /** Remaining allowance in base units. Null if the wallet's package does not limit grants. */
  allowance: string | null;
  /** Remaining amount, in base units, that others may have the service pull. Null if the owner has not allowed it. */
  pullCap: string | null;
  grantedMs: number;
}

/** Maximum number of grants of one wallet in an answer. */
export const grantsMax = 200;

interface GrantRow {
  service_type: string;
  coin: string;
  allowance: string | null;
  pull_cap: string | null;
  granted_at: Date;
}

const grantColumns = 'g.service_type, g.coin, g.allowance::text, g.pull_cap::text, g.granted_at';

/** The grants of a wallet, by service and coin. */
export const grantList: KeyedList<WalletKey & Paging, GrantRow, Grant> = {
  name: 'grants',
  key: walletKeyColumns,
  from: 'service_grants g',
  where: 'g.network = key.network and g.wallet_id = key.wallet_id',
  select: grantColumns,
  times: ['granted_at'],
  order: [
    ['g.service_type', 'id'],
    ['g.coin', 'id'],
  ],
  toItem: toGrant,
};

function toGrant(row: GrantRow): Grant {
  return {
    serviceType: row.service_type,
    coin: row.coin,
    allowance: row.allowance,
    pullCap: row.pull_cap,
    grantedMs: row.granted_at.getTime(),
  };
}

interface ServiceGrantsKey extends Paging {
  network: string;
  serviceType: string;
}

/** The grants of all wallets to a service, by wallet and coin. */
export const serviceGrantList: KeyedList<
  ServiceGrantsKey,
  GrantRow & { wallet_id: string },
  Grant & { walletId: string }
> = {
  name: 'grants-to-service',
  key: {
    network: ['text', ({ network }) => network],
    service_type: ['text', ({ serviceType }) => serviceType],
  },
  from: 'service_grants g',
  where: 'g.network = key.network and g.service_type = key.service_type',
  select: `${grantColumns}, g.wallet_id`,
  order: [
    ['g.wallet_id', 'id'],
    ['g.coin', 'id'],
  ],
  toItem: (row) => ({ ...toGrant(row), walletId: row.wallet_id }),
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

export interface GrantKey {
  walletId: string;
  serviceType: string;
  coin: string;
}

export async function removeServiceGrants(
  client: ClientBase,
  network: string,
  keys: readonly Omit<GrantKey, 'coin'>[],
): Promise<void> {
  if (keys.length === 0) return;
  await client.query({
    name: 'remove-service-grants',
    text: `delete from service_grants g using unnest($2::text[], $3::text[]) as c (wallet_id, service_type)
      where g.network = $1 and g.wallet_id = c.wallet_id and g.service_type = c.service_type`,
    values: [network, ...toColumns(keys, 'walletId', 'serviceType')],
  });
}

export async function removeGrants(
  client: ClientBase,
  network: string,
  keys: readonly GrantKey[],
): Promise<void> {
  if (keys.length === 0) return;
  await client.query({
    name: 'remove-grants',
    text: `delete from service_grants g using unnest($2::text[], $3::text[], $4::text[])
        as c (wallet_id, service_type, coin)
      where g.network = $1 and g.wallet_id = c.wallet_id and g.service_type = c.service_type
        and g.coin = c.coin`,
    values: [network, ...toColumns(keys, 'walletId', 'serviceType', 'coin')],
  });
}

/** Amount that means "no limit" on the chain. */
export const unlimited = 2n ** 64n - 1n;

/** SQL for a pull cap after pulls. It is never below zero: an event that did not decode may have raised it before. */
const reducedCap = `case when g.pull_cap = ${unlimited} then g.pull_cap else g.pull_cap - least(c.pulled, g.pull_cap) end`;

/** A grant after a batch of events. An undefined field stays as it is. */
export interface GrantChange extends GrantKey {
  allowance?: string | null | undefined;
  pullCap?: string | null | undefined;
  /** Amount to subtract from the stored pull cap if `pullCap` is undefined. */
  pulled: bigint;
  grantedAt?: Date | undefined;
  /** Time of the first event that mentions the grant. */
  knownAt: Date;
}

export async function setGrants(
  client: ClientBase,
  network: string,
  grants: readonly GrantChange[],
): Promise<void> {
  if (grants.length === 0) return;
  await client.query({
    name: 'set-grants',
    text: `insert into service_grants (network, wallet_id, service_type, coin, allowance, pull_cap, granted_at)
      select $1, c.wallet_id, c.service_type, c.coin,
        case when c.sets_allowance then c.allowance else g.allowance end,
        case when c.sets_cap then c.pull_cap else ${reducedCap} end,
        coalesce(c.granted_at, g.granted_at, c.known_at)
      from unnest($2::text[], $3::text[], $4::text[], $5::numeric[], $6::numeric[], $7::numeric[],
        $8::timestamptz[], $9::timestamptz[], $10::boolean[], $11::boolean[])
        as c (wallet_id, service_type, coin, allowance, pull_cap, pulled, granted_at, known_at,
        sets_allowance, sets_cap)
      left join service_grants g on g.network = $1 and g.wallet_id = c.wallet_id
        and g.service_type = c.service_type and g.coin = c.coin
      on conflict (network, wallet_id, service_type, coin) do update set allowance = excluded.allowance,
        pull_cap = excluded.pull_cap, granted_at = excluded.granted_at`,
    values: [
      network,
      ...toColumns(grants, 'walletId', 'serviceType', 'coin', 'allowance', 'pullCap', 'pulled'),
      ...toColumns(grants, 'grantedAt', 'knownAt'),
      grants.map(({ allowance }) => allowance !== undefined),
      grants.map(({ pullCap }) => pullCap !== undefined),
    ],
  });
}

export async function debitPullCaps(
  client: ClientBase,
  network: string,
  debits: readonly (GrantKey & { pulled: bigint })[],
): Promise<void> {
  if (debits.length === 0) return;
  await client.query({
    name: 'debit-pull-caps',
    text: `update service_grants g set pull_cap = ${reducedCap}
      from unnest($2::text[], $3::text[], $4::text[], $5::numeric[])
        as c (wallet_id, service_type, coin, pulled)
      where g.network = $1 and g.wallet_id = c.wallet_id and g.service_type = c.service_type
        and g.coin = c.coin`,
    values: [network, ...toColumns(debits, 'walletId', 'serviceType', 'coin', 'pulled')],
  });
}
