/** Rights of others than the owner to spend from a wallet: services by grants, delegates by budgets. */
import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import {
  type AllowanceChange,
  type DelegateKey,
  insertDelegates,
  removeDelegates,
  setDelegateExpiry,
  writeAllowances,
} from '../../../db/queries/wallets/delegates.ts';
import {
  debitPullCaps,
  type GrantChange,
  type GrantKey,
  removeGrants,
  removeServiceGrants,
  setGrants,
} from '../../../db/queries/wallets/grants.ts';
import type { WalletEvents } from '../../../lib/chain/events/wallet.ts';
import type { Append, ChainEvent, DecodedEvent } from './source.ts';

type WalletEvent = DecodedEvent<WalletEvents>;
type Event = ChainEvent<WalletEvent>;

/** Changes that a batch makes to a grant. The grant exists afterwards if `knownAt` is set. */
interface Grant extends Omit<GrantChange, 'knownAt'> {
  /** `true` if the former grant is removed. */
  reset: boolean;
  knownAt?: Date;
}

/**
 * Modes of payments from the account of a delegate that is not the sender, or without a delegate. They are taken from
 * the pull cap.
 */
const pullModes = new Set([1, 2]);

/** Changes that a batch makes to the grants of a service. */
interface ServiceGrants {
  walletId: string;
  serviceType: string;
  /** `true` if the former grants of all coins are removed. */
  reset: boolean;
  coins: Map<string, Grant>;
}

/** Updates `service_grants` with events in chain order. */
export const foldGrants: Append<WalletEvent> = async (client, network, events) => {
  const services = collectGrantChanges(events);
  const coins = services.flatMap((service) => [...service.coins.values()]);
  await removeServiceGrants(
    client,
    network,
    services.filter(({ reset }) => reset),
  );
  await removeGrants(
    client,
    network,
    coins.filter(({ reset }) => reset),
  );
  await setGrants(
    client,
    network,
    coins.flatMap(({ knownAt, ...grant }) => (knownAt ? [{ ...grant, knownAt }] : [])),
  );
  await debitPullCaps(
    client,
    network,
    coins.filter(({ knownAt, pulled }) => !knownAt && pulled > 0n),
  );
};

function collectGrantChanges(events: readonly Event[]): ServiceGrants[] {
  const services = new Map<string, ServiceGrants>();
  const getService = (walletId: string, serviceType: string): ServiceGrants => {
    const key = `${walletId} ${serviceType}`;
    const change = services.get(key) ?? { walletId, serviceType, reset: false, coins: new Map() };
    services.set(key, change);
    return change;
  };
  const newGrant = (key: GrantKey, reset: boolean): Grant => ({ ...key, reset, pulled: 0n });
  const getGrant = (walletId: string, serviceType: string, coin: string): Grant => {
    const { coins } = getService(walletId, serviceType);
    const change = coins.get(coin) ?? newGrant({ walletId, serviceType, coin }, false);
    coins.set(coin, change);
    return change;
  };
  for (const { data, timestampMs } of events) {
    const at = new Date(timestampMs);
    switch (data?.name) {
      case 'wallet::ServiceGranted': {
        const { walletId, service, coin, allowance = null } = data.fields;
        const grant = getGrant(walletId, service, coin);
        grant.knownAt ??= at;
        Object.assign(grant, { grantedAt: at, allowance });
        break;
      }
      case 'wallet::ServicePullGranted': {
        const { walletId, service, coin, cap } = data.fields;
        const grant = getGrant(walletId, service, coin);
        grant.knownAt ??= at;
        Object.assign(grant, { pullCap: cap === '0' ? null : cap, pulled: 0n });
        break;
      }
      case 'wallet::CoinWithdrawn': {
        const { walletId, service, coin, allowanceLeft } = data.fields;
        if (service === null || typeof allowanceLeft !== 'string') break;
        const grant = getGrant(walletId, service, coin);
        grant.knownAt ??= at;
        grant.allowance = allowanceLeft;
        break;
      }
      case 'intent::PaymentValidated': {
        const { walletId, service, coin, mode, amount } = data.fields;
        if (coin !== undefined && pullModes.has(mode))
          pull(getGrant(walletId, service, coin), BigInt(amount));
        break;
      }
      case 'wallet::ServiceCoinRevoked': {
        const { walletId, service: serviceType, coin } = data.fields;
        const { coins } = getService(walletId, serviceType);
        coins.set(coin, newGrant({ walletId, serviceType, coin }, true));
        break;
      }
      case 'wallet::ServiceRevoked': {
        const { walletId, service } = data.fields;
        Object.assign(getService(walletId, service), { reset: true, coins: new Map() });
        break;
      }
    }
  }
  return [...services.values()];
}

function pull(grant: Grant, amount: bigint): void {
  if (grant.pullCap === undefined) grant.pulled += amount;
  else if (grant.pullCap !== null && BigInt(grant.pullCap) !== unlimitedAllowance) {
    // The value never goes below zero: an event that did not decode may have raised it before.
    const cap = BigInt(grant.pullCap);
    grant.pullCap = String(amount < cap ? cap - amount : 0n);
  }
}

/** Changes that a batch makes to a delegate. */
interface DelegateChange extends DelegateKey {
  /** `true` if the former delegate is removed, with all allowances. */
  reset: boolean;
  /** Time at which it was added; undefined if it was removed since. */
  addedAt?: Date;
  /** `undefined`: unchanged. `null`: it never expires. */
  expiresAtMs?: number | null;
  allowances: Map<string, AllowanceChange>;
}

type Budget = Pick<AllowanceChange, 'kind' | 'key' | 'amount'>;

/** Updates `delegates` and `delegate_allowances` with events in chain order. */
export const foldDelegates: Append<WalletEvent> = async (client, network, events) => {
  const all = collectDelegateChanges(events);
  await removeDelegates(
    client,
    network,
    all.filter(({ reset }) => reset),
  );
  await insertDelegates(
    client,
    network,
    all.flatMap(({ addedAt, expiresAtMs = null, ...key }) =>
      addedAt ? [{ ...key, addedAt, expiresAtMs }] : [],
    ),
  );
  await setDelegateExpiry(
    client,
    network,
    all.flatMap(({ addedAt, expiresAtMs, ...key }) =>
      !addedAt && expiresAtMs !== undefined ? [{ ...key, expiresAtMs }] : [],
    ),
  );
  await writeAllowances(
    client,
    network,
    all.flatMap(({ allowances }) => [...allowances.values()]),
  );
};

/** Returns the change of each delegate that the events make together. */
function collectDelegateChanges(events: readonly Event[]): DelegateChange[] {
  const changes = new Map<string, DelegateChange>();
  const getChange = (walletId: string, delegate: string) => {
    const key = `${walletId} ${delegate}`;
    const change: DelegateChange = changes.get(key) ?? {
      walletId,
      delegate,
      reset: false,
      allowances: new Map(),
    };
    changes.set(key, change);
    return change;
  };
  const allow = (walletId: string, delegate: string, budget: Budget) => {
    const { allowances } = getChange(walletId, delegate);
    allowances.set(`${budget.kind} ${budget.key}`, { walletId, delegate, ...budget, isSet: true });
  };
  const debit = (walletId: string, delegate: string, budget: Budget) => {
    const { allowances } = getChange(walletId, delegate);
    const key = `${budget.kind} ${budget.key}`;
    const isSet = allowances.get(key)?.isSet ?? false;
    allowances.set(key, { walletId, delegate, ...budget, isSet });
  };
  for (const { data, timestampMs } of events) {
    switch (data?.name) {
      case 'delegate::Added':
      case 'delegate::Removed': {
        const { walletId, delegate } = data.fields;
        const change: DelegateChange = { walletId, delegate, reset: true, allowances: new Map() };
        if (data.name === 'delegate::Added') {
          Object.assign(change, { addedAt: new Date(timestampMs), expiresAtMs: null });
        }
        changes.set(`${walletId} ${delegate}`, change);
        break;
      }
      case 'delegate::ExpiryChanged':
        getChange(data.fields.walletId, data.fields.delegate).expiresAtMs = data.fields.expiresAtMs;
        break;
      case 'delegate::ServiceAllowanceChanged': {
        const { walletId, delegate, service: key, newAmount: amount } = data.fields;
        allow(walletId, delegate, { kind: 'service', key, amount });
        break;
      }
      case 'delegate::CoinAllowanceChanged': {
        const { walletId, delegate, coin: key, newAmount: amount } = data.fields;
        allow(walletId, delegate, { kind: 'coin', key, amount });
        break;
      }
      case 'delegate::ServiceAllowanceDebited': {
        const { walletId, spender, service: key, remaining: amount } = data.fields;
        debit(walletId, spender, { kind: 'service', key, amount });
        break;
      }
      case 'delegate::CoinAllowanceDebited': {
        const { walletId, spender, coin: key, remaining: amount } = data.fields;
        debit(walletId, spender, { kind: 'coin', key, amount });
        break;
      }
    }
  }
  return [...changes.values()];
}
