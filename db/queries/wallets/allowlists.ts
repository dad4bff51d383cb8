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
  toColumns,
  toPositionColumns,
} from '../queryable.ts';
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

/** Reads many allowlists in one round trip, in the order of the keys. */
export async function readAllowlists(
  db: Queryable,
  keys: readonly AllowlistKey[],
): Promise<(Allowlist | undefined)[]> {
  const { rows } = await db.query<AllowlistRow & { nth: number }>({
    name: 'find-allowlists',
    text: `
select key.nth::int, ${allowlistColumns.select('a')}
from ${keyRows(columnTypes(tables.allowlists, 'network', 'allowlistId'))}
join allowlists a on a.network = key.network and a.allowlist_id = key.allowlist_id`,
    values: toColumns(keys, 'network', 'allowlistId'),
  });
  return orderByKeys(keys, rows, allowlistColumns.toItem);
}

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

const inserted = ['allowlistId', 'walletId'] as const;
const insertText = insertColumns(tables.allowlists, [...inserted, ...positionColumns('created')]);

/** Adds recipient lists. A list that is already stored stays as it is. */
export async function insertAllowlists(
  client: ClientBase,
  network: string,
  lists: readonly NewAllowlist[],
): Promise<void> {
  if (lists.length === 0) return;
  await client.query({
    name: 'insert-allowlists',
    text: `${insertText} on conflict do nothing`,
    values: [
      network,
      ...toColumns(lists, ...inserted),
      ...toPositionColumns(lists.map(({ created }) => created)),
    ],
  });
}

export async function retireAllowlists(
  client: ClientBase,
  network: string,
  lists: readonly { allowlistId: string; retiredAt: Date }[],
): Promise<void> {
  if (lists.length === 0) return;
  await client.query({
    name: 'retire-allowlists',
    text: `update allowlists a set retired_at = c.retired_at
      from ${unnestColumns(tables.allowlists, 2, ['allowlistId', 'retiredAt'])}
      where a.network = $1 and a.allowlist_id = c.allowlist_id`,
    values: [network, ...toColumns(lists, 'allowlistId', 'retiredAt')],
  });
}

const recipientKey = ['allowlistId', 'recipient'] as const;
export type RecipientKey = Record<(typeof recipientKey)[number], string>;

export async function removeRecipients(
  client: ClientBase,
  network: string,
  keys: readonly RecipientKey[],
): Promise<void> {
  if (keys.length === 0) return;
  await client.query({
    name: 'remove-recipients',
    text: `delete from allowlist_recipients r using ${unnestColumns(tables.allowlistRecipients, 2, recipientKey)}
      where r.network = $1 and r.allowlist_id = c.allowlist_id and r.recipient = c.recipient`,
    values: [network, ...toColumns(keys, ...recipientKey)],
  });
}

const insertedRecipients = [...recipientKey, 'addedAt'] as const;

/** Adds recipients. A recipient that is already stored stays as it is. */
export async function insertRecipients(
  client: ClientBase,
  network: string,
  recipients: readonly (RecipientKey & { addedAt: Date })[],
): Promise<void> {
  if (recipients.length === 0) return;
  await client.query({
    name: 'insert-recipients',
    text: `${insertColumns(tables.allowlistRecipients, insertedRecipients)} on conflict do nothing`,
    values: [network, ...toColumns(recipients, ...insertedRecipients)],
  });
}
