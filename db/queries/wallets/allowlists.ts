import { type Item, type Row, readColumns, unnestColumns } from '../../rows.ts';
import * as tables from '../../schema/index.ts';
import { byPosition, type KeyedList, keyColumns, type Paging } from '../lists.ts';
import { createLookup } from '../lookups.ts';
import type { EventPosition } from '../queryable.ts';
import {
  type BatchWrite,
  createDelete,
  createInsert,
  createPositionedInsert,
  createWrite,
} from '../writes.ts';
import { type WalletKey, walletKeyColumns } from './wallets.ts';

const allowlistColumns = readColumns(tables.allowlists, ['allowlistId', 'walletId'], {
  createdMs: 'createdAt',
  retiredMs: 'retiredAt',
});

type AllowlistRow = Row<typeof allowlistColumns>;

/** A list of recipients. Only the latest of a wallet that is not retired applies. */
type Allowlist = Item<typeof allowlistColumns>;

interface AllowlistKey {
  network: string;
  allowlistId: string;
}

export const readAllowlists = createLookup<AllowlistKey, AllowlistRow, Allowlist>({
  name: 'find-allowlists',
  key: keyColumns(tables.allowlists, 'network', 'allowlistId'),
  select: allowlistColumns.select('a'),
  join: 'join allowlists a on a.network = key.network and a.allowlist_id = key.allowlist_id',
  toItem: allowlistColumns.toItem,
});

/** The allowlists of a wallet, the newest first. */
export const walletAllowlistList: KeyedList<WalletKey & Paging, AllowlistRow, Allowlist> = {
  name: 'allowlists-of-wallet',
  key: walletKeyColumns,
  from: 'allowlists a',
  where: 'a.network = key.network and a.wallet_id = key.wallet_id',
  select: allowlistColumns.select('a'),
  times: allowlistColumns.times,
  ...byPosition('a.created_checkpoint', 'a.created_tx_index', 'a.created_event_index'),
  toItem: allowlistColumns.toItem,
};

const recipientColumns = readColumns(tables.allowlistRecipients, [], {
  address: 'recipient',
  addedMs: 'addedAt',
});

/** The addresses that an allowlist allows now, by address. */
export const recipientList: KeyedList<
  AllowlistKey & Paging,
  Row<typeof recipientColumns>,
  Item<typeof recipientColumns>
> = {
  name: 'recipients',
  key: keyColumns(tables.allowlistRecipients, 'network', 'allowlistId'),
  from: 'allowlist_recipients r',
  where: 'r.network = key.network and r.allowlist_id = key.allowlist_id',
  select: recipientColumns.select('r'),
  order: [['r.recipient', 'id']],
  toItem: recipientColumns.toItem,
};

export interface NewAllowlist {
  allowlistId: string;
  walletId: string;
  created: EventPosition;
}

export const insertAllowlists: BatchWrite<NewAllowlist> = createPositionedInsert(
  tables.allowlists,
  ['allowlistId', 'walletId'],
  'created',
);

export const retireAllowlists = createWrite<{ allowlistId: string; retiredAt: Date }>(
  'retire-allowlists',
  `update allowlists a set retired_at = c.retired_at
    from ${unnestColumns(tables.allowlists, 2, ['allowlistId', 'retiredAt'])}
    where a.network = $1 and a.allowlist_id = c.allowlist_id`,
  ['allowlistId', 'retiredAt'],
);

const recipientKey = ['allowlistId', 'recipient'] as const;
export type RecipientKey = Record<(typeof recipientKey)[number], string>;

export const removeRecipients: BatchWrite<RecipientKey> = createDelete(
  tables.allowlistRecipients,
  recipientKey,
);

export const insertRecipients: BatchWrite<RecipientKey & { addedAt: Date }> = createInsert(
  tables.allowlistRecipients,
  [...recipientKey, 'addedAt'],
);
