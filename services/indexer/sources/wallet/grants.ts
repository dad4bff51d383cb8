import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { ClientBase } from 'pg';
import type { WalletChainEvent } from './event.ts';

type Key = [walletId: string, service: string, coin: string];

/** What a batch does to a grant. */
interface Change {
  key: Key;
  /** The grant that was there before is gone. */
  reset: boolean;
  /** There is a grant afterwards, since then or before. */
  knownAtMs?: number;
  grantedAtMs?: number;
  /** Undefined: as it was. */
  allowance?: string | null;
  pullCap?: string | null;
  /** Taken from a pull cap that is not known here. */
  pulled: bigint;
}

const unlimited = 2n ** 64n - 1n;
/** Payments at a delegate's account who is not the sender, or at nobody's: they go off the pull cap. */
const pullModes = new Set([1, 2]);

/** What a batch does to the grants of a service. */
interface ServiceChange {
  walletId: string;
  service: string;
  /** The grants of all coins that were there before are gone. */
  reset: boolean;
  coins: Map<string, Change>;
}

/** Brings `service_grants` up to date with events in chain order. */
export async function foldGrants(
  client: ClientBase,
  network: Network,
  events: WalletChainEvent[],
): Promise<void> {
  const services = changesBy(events);
  const coins = services.flatMap((service) => [...service.coins.values()]);
  await removeServices(
    client,
    network,
    services.filter(({ reset }) => reset),
  );
  await removeCoins(
    client,
    network,
    coins.filter(({ reset }) => reset),
  );
  await set(
    client,
    network,
    coins.filter(({ knownAtMs }) => knownAtMs !== undefined),
  );
  await debit(
    client,
    network,
    coins.filter(({ knownAtMs, pulled }) => knownAtMs === undefined && pulled > 0n),
  );
}

function changesBy(events: readonly WalletChainEvent[]): ServiceChange[] {
  const services = new Map<string, ServiceChange>();
  const serviceOf = (walletId: string, service: string): ServiceChange => {
    const text = `${walletId} ${service}`;
    const change = services.get(text) ?? { walletId, service, reset: false, coins: new Map() };
    services.set(text, change);
    return change;
  };
  const changeOf = (...key: Key): Change => {
    const { coins } = serviceOf(key[0], key[1]);
    const change = coins.get(key[2]) ?? { key, reset: false, pulled: 0n };
    coins.set(key[2], change);
    return change;
  };
  for (const { data, timestampMs } of events) {
    switch (data?.name) {
      case 'wallet::ServiceGranted': {
        const { walletId, service, coin, allowance = null } = data.fields;
        const change = changeOf(walletId, service, coin);
        Object.assign(change, { knownAtMs: timestampMs, grantedAtMs: timestampMs, allowance });
        break;
      }
      case 'wallet::ServicePullGranted': {
        const { walletId, service, coin, cap } = data.fields;
        const change = changeOf(walletId, service, coin);
        change.knownAtMs ??= timestampMs;
        Object.assign(change, { pullCap: cap === '0' ? null : cap, pulled: 0n });
        break;
      }
      case 'wallet::CoinWithdrawn': {
        const { walletId, service, coin, allowanceLeft } = data.fields;
        if (service === null || typeof allowanceLeft !== 'string') break;
        const change = changeOf(walletId, service, coin);
        change.knownAtMs ??= timestampMs;
        change.allowance = allowanceLeft;
        break;
      }
      case 'intent::PaymentValidated': {
        const { walletId, service, coin, mode, amount } = data.fields;
        if (coin !== undefined && pullModes.has(mode))
          pull(changeOf(walletId, service, coin), BigInt(amount));
        break;
      }
      case 'wallet::ServiceCoinRevoked': {
        const { walletId, service, coin } = data.fields;
        const { coins } = serviceOf(walletId, service);
        coins.set(coin, { key: [walletId, service, coin], reset: true, pulled: 0n });
        break;
      }
      case 'wallet::ServiceRevoked':
        Object.assign(serviceOf(data.fields.walletId, data.fields.service), {
          reset: true,
          coins: new Map(),
        });
        break;
    }
  }
  return [...services.values()];
}

function pull(change: Change, amount: bigint): void {
  if (change.pullCap === undefined) change.pulled += amount;
  else if (change.pullCap !== null && BigInt(change.pullCap) !== unlimited) {
    change.pullCap = String(less(BigInt(change.pullCap), amount));
  }
}

/** Never below zero: an event that did not decode may have raised it before. */
const less = (left: bigint, amount: bigint) => (amount < left ? left - amount : 0n);

const columns = (rows: readonly Change[]) => [0, 1, 2].map((at) => rows.map(({ key }) => key[at]));
const dates = (all: (number | undefined)[]) => all.map((ms) => (ms === undefined ? null : new Date(ms)));

async function removeServices(client: ClientBase, network: Network, rows: ServiceChange[]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'remove-service-grants',
    text: `delete from service_grants g using unnest($2::text[], $3::text[]) as c (wallet_id, service_type)
      where g.network = $1 and g.wallet_id = c.wallet_id and g.service_type = c.service_type`,
    values: [network, rows.map(({ walletId }) => walletId), rows.map(({ service }) => service)],
  });
}

async function removeCoins(client: ClientBase, network: Network, rows: Change[]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'remove-coin-grants',
    text: `delete from service_grants g using unnest($2::text[], $3::text[], $4::text[])
        as c (wallet_id, service_type, coin)
      where g.network = $1 and g.wallet_id = c.wallet_id and g.service_type = c.service_type
        and g.coin = c.coin`,
    values: [network, ...columns(rows)],
  });
}

const capLess = `case when g.pull_cap = ${unlimited} then g.pull_cap else g.pull_cap - least(c.pulled, g.pull_cap) end`;

async function set(client: ClientBase, network: Network, rows: Change[]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'set-grants',
    text: `insert into service_grants (network, wallet_id, service_type, coin, allowance, pull_cap, granted_at)
      select $1, c.wallet_id, c.service_type, c.coin,
        case when c.sets_allowance then c.allowance else g.allowance end,
        case when c.sets_cap then c.pull_cap else ${capLess} end,
        coalesce(c.granted_at, g.granted_at, c.known_at)
      from unnest($2::text[], $3::text[], $4::text[], $5::boolean[], $6::numeric[], $7::boolean[],
        $8::numeric[], $9::numeric[], $10::timestamptz[], $11::timestamptz[])
        as c (wallet_id, service_type, coin, sets_allowance, allowance, sets_cap, pull_cap, pulled,
        granted_at, known_at)
      left join service_grants g on g.network = $1 and g.wallet_id = c.wallet_id
        and g.service_type = c.service_type and g.coin = c.coin
      on conflict (network, wallet_id, service_type, coin) do update set allowance = excluded.allowance,
        pull_cap = excluded.pull_cap, granted_at = excluded.granted_at`,
    values: [
      network,
      ...columns(rows),
      rows.map(({ allowance }) => allowance !== undefined),
      rows.map(({ allowance }) => allowance ?? null),
      rows.map(({ pullCap }) => pullCap !== undefined),
      rows.map(({ pullCap }) => pullCap ?? null),
      rows.map(({ pulled }) => pulled),
      dates(rows.map(({ grantedAtMs }) => grantedAtMs)),
      dates(rows.map(({ knownAtMs }) => knownAtMs)),
    ],
  });
}

async function debit(client: ClientBase, network: Network, rows: Change[]): Promise<void> {
  if (rows.length === 0) return;
  await client.query({
    name: 'debit-pull-caps',
    text: `update service_grants g set pull_cap = ${capLess}
      from unnest($2::text[], $3::text[], $4::text[], $5::numeric[])
        as c (wallet_id, service_type, coin, pulled)
      where g.network = $1 and g.wallet_id = c.wallet_id and g.service_type = c.service_type
        and g.coin = c.coin`,
    values: [network, ...columns(rows), rows.map(({ pulled }) => pulled)],
  });
}
