import type { ClientBase } from 'pg';
import { byPosition, type KeyedList, type Paging } from '../lists.ts';
import {
  type EventPosition,
  keyRows,
  orderByKeys,
  type Queryable,
  type Statement,
  toColumns,
  toPositionColumns,
} from '../queryable.ts';

/** A wallet after its latest event. */
export interface Wallet {
  walletId: string;
  owner: string;
  /** Address that coins are sent to. */
  identity: string;
  paused: boolean;
  createdMs: number;
}

export interface WalletKey {
  network: string;
  walletId: string;
}

export const walletKeyColumns = {
  network: ['text', ({ network }: WalletKey) => network],
  wallet_id: ['text', ({ walletId }: WalletKey) => walletId],
} as const;

interface WalletRow {
  wallet_id: string;
  owner: string;
  identity: string;
  paused: boolean;
  created_at: Date;
}

const toWallet = (row: WalletRow): Wallet => ({
  walletId: row.wallet_id,
  owner: row.owner,
  identity: row.identity,
  paused: row.paused,
  createdMs: row.created_at.getTime(),
});

const findWallets: Statement = {
  name: 'find-wallets',
  text: `
select key.nth::int, w.*
from ${keyRows({ network: 'text', wallet_id: 'text' })}
join wallets w on w.network = key.network and w.wallet_id = key.wallet_id`,
};

/** Reads many wallets in one round trip, in the order of the keys. */
export async function readWallets(
  db: Queryable,
  keys: readonly WalletKey[],
): Promise<(Wallet | undefined)[]> {
  const { rows } = await db.query<WalletRow & { nth: number }>({
    ...findWallets,
    values: [keys.map((key) => key.network), keys.map((key) => key.walletId)],
  });
  return orderByKeys(keys, rows, toWallet);
}

interface OwnedWalletsKey extends Paging {
  network: string;
  owner: string;
}

/** The wallets of an owner, the newest first. */
export const ownedWalletList: KeyedList<OwnedWalletsKey, WalletRow, Wallet> = {
  name: 'wallets-of-owner',
  key: {
    network: ['text', ({ network }) => network],
    owner: ['text', ({ owner }) => owner],
  },
  from: 'wallets w',
  where: 'w.network = key.network and w.owner = key.owner',
  select: 'w.*',
  ...byPosition('w.created_checkpoint', 'w.created_tx_index', 'w.created_event_index'),
  toItem: toWallet,
};

/** The wallets of an owner, each with the total number of them. */
export const countedWalletList: KeyedList<
  OwnedWalletsKey,
  WalletRow & { total: number },
  Wallet & { total: number }
> = {
  ...ownedWalletList,
  name: 'counted-wallets-of-owner',
  beside: `cross join lateral (
  select count(*)::int as total from wallets w where w.network = key.network and w.owner = key.owner
) owned`,
  columns: 'at.*, owned.total',
  toItem: (row) => ({ ...toWallet(row), total: row.total }),
};

interface NewWallet extends Pick<Wallet, 'walletId' | 'owner' | 'identity' | 'paused'> {
  created: EventPosition;
}

/** Adds wallets. A wallet that is already stored stays as it is. */
export async function insertWallets(
  client: ClientBase,
  network: string,
  wallets: readonly NewWallet[],
): Promise<void> {
  if (wallets.length === 0) return;
  await client.query({
    name: 'insert-wallets',
    text: `insert into wallets (network, wallet_id, owner, identity, paused, created_at, created_checkpoint,
        created_tx_index, created_event_index)
      select $1, w.* from unnest($2::text[], $3::text[], $4::text[], $5::boolean[], $6::timestamptz[],
        $7::bigint[], $8::int[], $9::int[]) w
      on conflict do nothing`,
    values: [
      network,
      ...toColumns(wallets, 'walletId', 'owner', 'identity', 'paused'),
      ...toPositionColumns(wallets.map(({ created }) => created)),
    ],
  });
}

/** Changes to a wallet. An undefined field stays as it is. */
export interface WalletChange {
  walletId: string;
  owner?: string | undefined;
  paused?: boolean | undefined;
}

export async function updateWallets(
  client: ClientBase,
  network: string,
  changes: readonly WalletChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await client.query({
    name: 'update-wallets',
    text: `update wallets w set owner = coalesce(c.owner, w.owner), paused = coalesce(c.paused, w.paused)
      from unnest($2::text[], $3::text[], $4::boolean[]) as c (wallet_id, owner, paused)
      where w.network = $1 and w.wallet_id = c.wallet_id`,
    values: [network, ...toColumns(changes, 'walletId', 'owner', 'paused')],
  });
}

/** Reads the stored owners of wallets, by wallet. A wallet that is not known is absent. */
export async function readOwners(
  client: ClientBase,
  network: string,
  walletIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await client.query<{ id: string; owner: string }>({
    name: 'find-owners',
    text: 'select wallet_id as id, owner from wallets where network = $1 and wallet_id = any ($2::text[])',
    values: [network, walletIds],
  });
  return new Map(rows.map(({ id, owner }) => [id, owner]));
}
