import type { ClientBase } from 'pg';
import { type Item, type Row, readColumns, unnestColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { byPosition, type KeyedList, keyColumns, type Paging } from '../lists.ts';
import { createLookup } from '../lookups.ts';
import type { EventPosition } from '../queryable.ts';
import { type BatchWrite, createPositionedInsert, createWrite } from '../writes.ts';

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

export const readWallets = createLookup<WalletKey, WalletRow, Wallet>({
  name: 'find-wallets',
  key: walletKeyColumns,
  select: walletColumns.select('w'),
  join: 'join wallets w on w.network = key.network and w.wallet_id = key.wallet_id',
  toItem: walletColumns.toItem,
});

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

export const insertWallets: BatchWrite<NewWallet> = createPositionedInsert(
  tables.wallets,
  ['walletId', 'owner', 'identity', 'paused'],
  'created',
);

/** Changes to a wallet. An undefined field stays as it is. */
export interface WalletChange {
  walletId: string;
  owner?: string | undefined;
  paused?: boolean | undefined;
}

const changed = ['walletId', 'owner', 'paused'] as const;

export const updateWallets = createWrite<WalletChange>(
  'update-wallets',
  `update wallets w set owner = coalesce(c.owner, w.owner), paused = coalesce(c.paused, w.paused)
    from ${unnestColumns(tables.wallets, 2, changed)} where w.network = $1 and w.wallet_id = c.wallet_id`,
  changed,
);

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
