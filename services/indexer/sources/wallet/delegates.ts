import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import { type AllowanceChange, applyAllowances } from './allowances.ts';
import type { WalletChainEvent } from './event.ts';

/** What a batch does to a delegate. */
interface Change {
  walletId: string;
  delegate: string;
  /** Who was there before is gone, with all allowances. */
  reset: boolean;
  /** Was added, and not removed since. */
  added?: WalletChainEvent;
  /** Undefined: as it was; null: never. */
  expiresAtMs?: number | null;
  allowances: Map<string, AllowanceChange>;
}

/** Brings `delegates` and `delegate_allowances` up to date with events in chain order. */
export async function foldDelegates(
  client: ClientBase,
  network: Network,
  events: WalletChainEvent[],
): Promise<void> {
  const changes = new Map<string, Change>();
  const changeOf = (walletId: string, delegate: string) => {
    const key = `${walletId} ${delegate}`;
    const change: Change = changes.get(key) ?? { walletId, delegate, reset: false, allowances: new Map() };
    changes.set(key, change);
    return change;
  };
  const allow = (
    walletId: string,
    delegate: string,
    kind: 'service' | 'coin',
    key: string,
    amount: string,
  ) => {
    changeOf(walletId, delegate).allowances.set(`${kind} ${key}`, { kind, key, amount, isSet: true });
  };
  const debit = (
    walletId: string,
    spender: string,
    kind: 'service' | 'coin',
    key: string,
    amount: string,
  ) => {
    const { allowances } = changeOf(walletId, spender);
    const isSet = allowances.get(`${kind} ${key}`)?.isSet ?? false;
    allowances.set(`${kind} ${key}`, { kind, key, amount, isSet });
  };
  for (const event of events) {
    const { data } = event;
    switch (data?.name) {
      case 'delegate::Added':
      case 'delegate::Removed': {
        const { walletId, delegate } = data.fields;
        const change: Change = { walletId, delegate, reset: true, allowances: new Map() };
        if (data.name === 'delegate::Added') Object.assign(change, { added: event, expiresAtMs: null });
        changes.set(`${walletId} ${delegate}`, change);
        break;
      }
      case 'delegate::ExpiryChanged':
        changeOf(data.fields.walletId, data.fields.delegate).expiresAtMs = data.fields.expiresAtMs;
        break;
      case 'delegate::ServiceAllowanceChanged':
        allow(
          data.fields.walletId,
          data.fields.delegate,
          'service',
          data.fields.service,
          data.fields.newAmount,
        );
        break;
      case 'delegate::CoinAllowanceChanged':
        allow(data.fields.walletId, data.fields.delegate, 'coin', data.fields.coin, data.fields.newAmount);
        break;
      case 'delegate::ServiceAllowanceDebited':
        debit(
          data.fields.walletId,
          data.fields.spender,
          'service',
          data.fields.service,
          data.fields.remaining,
        );
        break;
      case 'delegate::CoinAllowanceDebited':
        debit(data.fields.walletId, data.fields.spender, 'coin', data.fields.coin, data.fields.remaining);
        break;
    }
  }
  const all = [...changes.values()];
  await remove(
    client,
    network,
    all.filter(({ reset }) => reset),
  );
  await add(
    client,
    network,
    all.filter(({ added }) => added),
  );
  await setExpiry(
    client,
    network,
    all.filter(({ added, expiresAtMs }) => !added && expiresAtMs !== undefined),
  );
  await applyAllowances(client, network, all);
}

const keys = (network: Network, rows: Change[]) => [
  network,
  rows.map(({ walletId }) => walletId),
  rows.map(({ delegate }) => delegate),
];

async function remove(client: ClientBase, network: Network, rows: Change[]): Promise<void> {
  if (rows.length === 0) return;
  for (const table of ['delegates', 'delegate_allowances']) {
    await client.query({
      name: `remove-${table}`,
      text: `delete from ${table} d using unnest($2::text[], $3::text[]) as c (wallet_id, delegate)
        where d.network = $1 and d.wallet_id = c.wallet_id and d.delegate = c.delegate`,
      values: keys(network, rows),
    });
  }
}

/** By the number: JavaScript writes the years beyond 9999 in a form of its own. */
const time = (ms: string) => `to_timestamp(${ms} / 1000.0)`;

async function add(client: ClientBase, network: Network, rows: Change[]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'add-delegates',
    text: `insert into delegates (network, wallet_id, delegate, added_at, expires_at)
      select $1, wallet_id, delegate, added_at, ${time('expires_ms')}
      from unnest($2::text[], $3::text[], $4::timestamptz[], $5::bigint[])
        as c (wallet_id, delegate, added_at, expires_ms)`,
    values: [
      ...keys(network, rows),
      rows.map(({ added }) => new Date(added!.timestampMs)),
      rows.map(({ expiresAtMs }) => expiresAtMs ?? null),
    ],
  });
}

async function setExpiry(client: ClientBase, network: Network, rows: Change[]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'set-delegate-expiry',
    text: `update delegates d set expires_at = ${time('c.expires_ms')}
      from unnest($2::text[], $3::text[], $4::bigint[]) as c (wallet_id, delegate, expires_ms)
      where d.network = $1 and d.wallet_id = c.wallet_id and d.delegate = c.delegate`,
    values: [...keys(network, rows), rows.map(({ expiresAtMs }) => expiresAtMs ?? null)],
  });
}
