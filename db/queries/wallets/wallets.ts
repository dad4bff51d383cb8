import type { ClientBase } from 'pg';
import { columnTypes, type Item, insertColumns, type Row, readColumns, unnestColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { byPosition, type KeyedList, keyColumns, type Paging } from '../lists.ts';
import {
  type EventPosition,
  keyRows,
  orderByKeys,
  positionColumns,
  type Queryable,
  type Statement,
  toColumns,
  toPositionColumns,
} from '../queryable.ts';

const walletColumns = readColumns(tables.wallets, ['walletId', 'owner', 'identity', 'paused'], {
  createdMs: 'createdAt',
});

type WalletRow = Row<typeof walletColumns>;

/** A wallet after its latest event. */
export interface Wallet extends Item<typeof walletColumns> {}

export interface WalletKey {
  network: string;
  walletId: string;
}

export const walletKeyColumns = keyColumns(tables.wallets, 'network', 'walletId');

const findWallets: Statement = {
  name: 'find-wallets',
  text: `
select key.nth::int, ${walletColumns.select('w')}
from ${keyRows(columnTypes(tables.wallets, 'network', 'walletId'))}
join wallets w on w.network = key.network and w.wallet_id = key.wallet_id`,
};

/** Reads many wallets in one round trip, in the order of the keys. */
export async function readWallets(
  db: Queryable,
  keys: readonly WalletKey[],
): Promise<(Wallet | undefined)[]> {
  const { rows } = await db.query<WalletRow & { nth: number }>({
    ...findWallets,
    values: toColumns(keys, 'network', 'walletId'),
  });
  return orderByKeys(keys, rows, walletColumns.toItem);
}

interface OwnedWalletsKey extends Paging {
  network: string;
  owner: string;
}

/** The wallets of an owner, the newest first. */
export const ownedWalletList: KeyedList<OwnedWalletsKey, WalletRow, Wallet> = {
  name: 'wallets-of-owner',
  key: keyColumns(tables.wallets, 'network', 'owner'),
  from: 'wallets w',
  where: 'w.network = key.network and w.owner = key.owner',
  // Lists below a wallet take their keys from its row.
  select: `${walletColumns.select('w')}, w.network, w.wallet_id`,
  ...byPosition('w.created_checkpoint', 'w.created_tx_index', 'w.created_event_index'),
  toItem: walletColumns.toItem,
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
  toItem: (row) => ({ ...walletColumns.toItem(row), total: row.total }),
};

interface NewWallet extends Pick<Wallet, 'walletId' | 'owner' | 'identity' | 'paused'> {
  created: EventPosition;
}

const inserted = ['walletId', 'owner', 'identity', 'paused'] as const;
const insertText = insertColumns(tables.wallets, [...inserted, ...positionColumns('created')]);

/** Adds wallets. A wallet that is already stored stays as it is. */
export async function insertWallets(
  client: ClientBase,
  network: string,
  wallets: readonly NewWallet[],
): Promise<void> {
  if (wallets.length === 0) return;
  await client.query({
    name: 'insert-wallets',
    text: `${insertText} on conflict do nothing`,
    values: [
      network,
      ...toColumns(wallets, ...inserted),
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

const changed = ['walletId', 'owner', 'paused'] as const;

export async function updateWallets(
  client: ClientBase,
  network: string,
  changes: readonly WalletChange[],
): Promise<void> {
  if (changes.length === 0) return;
  await client.query({
    name: 'update-wallets',
    text: `update wallets w set owner = coalesce(c.owner, w.owner), paused = coalesce(c.paused, w.paused)
      from ${unnestColumns(tables.wallets, 2, changed)} where w.network = $1 and w.wallet_id = c.wallet_id`,
    values: [network, ...toColumns(changes, ...changed)],
  });
}

const ownerColumns = readColumns(tables.wallets, ['walletId', 'owner']);

/** Reads the stored owners of wallets, by wallet. A wallet that is not known is absent. */
export async function readOwners(
  client: ClientBase,
  network: string,
  walletIds: readonly string[],
): Promise<Map<string, string>> {
  const { rows } = await client.query<Row<typeof ownerColumns>>({
    name: 'find-owners',
    text: `select ${ownerColumns.select('w')} from wallets w
      where w.network = $1 and w.wallet_id = any ($2::text[])`,
    values: [network, walletIds],
  });
  return new Map(rows.map(({ walletId, owner }) => [walletId, owner]));
}
