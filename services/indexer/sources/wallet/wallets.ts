import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import type { WalletChainEvent } from './event.ts';

interface Change {
  created?: WalletChainEvent;
  identity?: string;
  owner?: string;
  paused?: boolean;
}

/** Brings `wallets` up to date with events in chain order. */
export async function foldWallets(
  client: ClientBase,
  network: Network,
  events: WalletChainEvent[],
): Promise<void> {
  const changes = new Map<string, Change>();
  const changeOf = (walletId: string) => {
    const change = changes.get(walletId) ?? {};
    changes.set(walletId, change);
    return change;
  };
  for (const event of events) {
    switch (event.data?.name) {
      case 'wallet::WalletCreated': {
        const { walletId, owner, signerAddress } = event.data.fields;
        Object.assign(changeOf(walletId), { created: event, owner, identity: signerAddress });
        break;
      }
      case 'wallet::OwnerChanged':
        changeOf(event.data.fields.walletId).owner = event.data.fields.owner;
        break;
      case 'wallet::WalletPauseChanged':
        changeOf(event.data.fields.walletId).paused = event.data.fields.paused;
        break;
    }
  }
  const all = [...changes];
  await insert(
    client,
    network,
    all.filter(([, { created }]) => created),
  );
  await update(
    client,
    network,
    all.filter(([, { created }]) => !created),
  );
}

async function insert(client: ClientBase, network: Network, rows: [string, Change][]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'insert-wallets',
    text: `insert into wallets (network, wallet_id, owner, identity, paused, created_at, created_checkpoint,
        created_tx_index, created_event_index)
      select $1, w.* from unnest($2::text[], $3::text[], $4::text[], $5::boolean[], $6::timestamptz[],
        $7::bigint[], $8::int[], $9::int[]) w
      on conflict do nothing`,
    values: [
      network,
      rows.map(([walletId]) => walletId),
      rows.map(([, { owner }]) => owner),
      rows.map(([, { identity }]) => identity),
      rows.map(([, { paused }]) => paused ?? false),
      rows.map(([, { created }]) => new Date(created!.timestampMs)),
      rows.map(([, { created }]) => created!.checkpoint),
      rows.map(([, { created }]) => created!.txIndex),
      rows.map(([, { created }]) => created!.eventIndex),
    ],
  });
}

async function update(client: ClientBase, network: Network, rows: [string, Change][]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'update-wallets',
    text: `update wallets w set owner = coalesce(c.owner, w.owner), paused = coalesce(c.paused, w.paused)
      from unnest($2::text[], $3::text[], $4::boolean[]) as c (wallet_id, owner, paused)
      where w.network = $1 and w.wallet_id = c.wallet_id`,
    values: [
      network,
      rows.map(([walletId]) => walletId),
      rows.map(([, { owner }]) => owner ?? null),
      rows.map(([, { paused }]) => paused ?? null),
    ],
  });
}
