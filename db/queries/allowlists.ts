import type { ClientBase } from 'pg';
import { type EventPosition, toColumns, toPositionColumns } from './queryable.ts';

export interface NewAllowlist {
  allowlistId: string;
  walletId: string;
  created: EventPosition;
}

/** Adds recipient lists; one that is stored stays as it is. */
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

/** Adds recipients; one that is stored stays as it is. */
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
