import type { ClientBase } from 'pg';
import { byPosition, type KeyedList, type Paging } from '../lists.ts';
import {
  type EventPosition,
  keyRows,
  orderByKeys,
  type Queryable,
  toColumns,
  toPositionColumns,
} from '../queryable.ts';
import { type WalletKey, walletKeyColumns } from './wallets.ts';

/** A list of recipients. Only the latest of a wallet that is not retired applies. */
interface Allowlist {
  allowlistId: string;
  walletId: string;
  createdMs: number;
  /** Null while it may apply. */
  retiredMs: number | null;
}

interface AllowlistRow {
  allowlist_id: string;
  wallet_id: string;
  created_at: Date;
  retired_at: Date | null;
}

const toAllowlist = (row: AllowlistRow): Allowlist => ({
  allowlistId: row.allowlist_id,
  walletId: row.wallet_id,
  createdMs: row.created_at.getTime(),
  retiredMs: row.retired_at?.getTime() ?? null,
});

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
select key.nth::int, a.*
from ${keyRows({ network: 'text', allowlist_id: 'text' })}
join allowlists a on a.network = key.network and a.allowlist_id = key.allowlist_id`,
    values: toColumns(keys, 'network', 'allowlistId'),
  });
  return orderByKeys(keys, rows, toAllowlist);
}

/** The allowlists of a wallet, the newest first. */
export const walletAllowlistList: KeyedList<WalletKey & Paging, AllowlistRow, Allowlist> = {
  name: 'allowlists-of-wallet',
  key: walletKeyColumns,
  from: 'allowlists a',
  where: 'a.network = key.network and a.wallet_id = key.wallet_id',
  select: 'a.allowlist_id, a.wallet_id, a.created_at, a.retired_at',
  times: ['created_at', 'retired_at'],
  ...byPosition('a.created_checkpoint', 'a.created_tx_index', 'a.created_event_index'),
  toItem: toAllowlist,
};

/** An address that an allowlist allows now. */
interface Recipient {
  address: string;
  addedMs: number;
}

/** The recipients of an allowlist, by address. */
export const recipientList: KeyedList<
  AllowlistKey & Paging,
  { recipient: string; added_at: Date },
  Recipient
> = {
  name: 'recipients',
  key: {
    network: ['text', ({ network }) => network],
    allowlist_id: ['text', ({ allowlistId }) => allowlistId],
  },
  from: 'allowlist_recipients r',
  where: 'r.network = key.network and r.allowlist_id = key.allowlist_id',
  select: 'r.recipient, r.added_at',
  order: [['r.recipient', 'id']],
  toItem: (row) => ({ address: row.recipient, addedMs: row.added_at.getTime() }),
};

export interface NewAllowlist {
  allowlistId: string;
  walletId: string;
  created: EventPosition;
}

/** Adds recipient lists. A list that is already stored stays as it is. */
export async function insertAllowlists(
  client: ClientBase,
  network: string,
  lists: readonly NewAllowlist[],
): Promise<void> {
  if (lists.length === 0) return;
  await client.query({
    name: 'insert-allowlists',
    text: `insert into allowlists (network, allowlist_id, wallet_id, created_at, created_checkpoint,
        created_tx_index, created_event_index)
      select $1, c.* from unnest($2::text[], $3::text[], $4::timestamptz[], $5::bigint[], $6::int[],
        $7::int[]) c
      on conflict do nothing`,
    values: [
      network,
      ...toColumns(lists, 'allowlistId', 'walletId'),
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
      from unnest($2::text[], $3::timestamptz[]) as c (allowlist_id, retired_at)
      where a.network = $1 and a.allowlist_id = c.allowlist_id`,
    values: [network, ...toColumns(lists, 'allowlistId', 'retiredAt')],
  });
}

export interface RecipientKey {
  allowlistId: string;
  recipient: string;
}

export async function removeRecipients(
  client: ClientBase,
  network: string,
  keys: readonly RecipientKey[],
): Promise<void> {
  if (keys.length === 0) return;
  await client.query({
    name: 'remove-recipients',
    text: `delete from allowlist_recipients r using unnest($2::text[], $3::text[])
        as c (allowlist_id, recipient)
      where r.network = $1 and r.allowlist_id = c.allowlist_id and r.recipient = c.recipient`,
    values: [network, ...toColumns(keys, 'allowlistId', 'recipient')],
  });
}

/** Adds recipients. A recipient that is already stored stays as it is. */
export async function insertRecipients(
  client: ClientBase,
  network: string,
  recipients: readonly (RecipientKey & { addedAt: Date })[],
): Promise<void> {
  if (recipients.length === 0) return;
  await client.query({
    name: 'insert-recipients',
    text: `insert into allowlist_recipients (network, allowlist_id, recipient, added_at)
      select $1, c.* from unnest($2::text[], $3::text[], $4::timestamptz[]) c
      on conflict do nothing`,
    values: [network, ...toColumns(recipients, 'allowlistId', 'recipient', 'addedAt')],
  });
}
