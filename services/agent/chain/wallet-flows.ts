import type { SuiClientTypes } from '@mysten/sui/client';
import type { RunBounds } from '../../../db/schema/agent-runs.ts';
import { type WalletEventName, walletEvents } from '../../../lib/chain/events/wallet.ts';

/** What left a wallet and what came into it, by coin type; the sums over a transaction. */
export interface WalletFlows {
  paid: Map<string, bigint>;
  received: Map<string, bigint>;
  /** Other wallets that were there before and that something happened to. */
  others: string[];
  /** Names of the events by which the wallet changed hands, or who may take from it did. Only its owner does that. */
  rights: string[];
}

const rightsEvents: ReadonlySet<WalletEventName> = new Set([
  'wallet::OwnerChanged',
  'wallet::WalletPauseChanged',
  'wallet::ServiceGranted',
  'wallet::ServicePullGranted',
  'wallet::ServiceCoinRevoked',
  'wallet::ServiceRevoked',
  'wallet::AssetReclaimed',
  'delegate::Initialized',
  'delegate::Added',
  'delegate::Removed',
  'delegate::ServiceAllowanceChanged',
  'delegate::CoinAllowanceChanged',
  'delegate::ExpiryChanged',
  'policy::PolicyInitialized',
  'policy::AuthRuleChanged',
  'policy::CaveatRuleChanged',
  'policy::PolicyRevoked',
  'policy::SpendIntoChanged',
  'cap_auth::DelegateCapMinted',
  'cap_auth::DelegateCapRevoked',
  'sub_delegate::ScopedCapRevoked',
]);

/**
 * Reads off a transaction's events what it does to a wallet: the wallet package itself says so, no matter what called
 * it. `packageIds` are all versions of the package: an event goes by the version that first defined it.
 */
export function walletFlows(
  events: readonly Pick<SuiClientTypes.Event, 'eventType' | 'bcs'>[],
  packageIds: ReadonlySet<string>,
  walletId: string,
): WalletFlows {
  const flows: WalletFlows = { paid: new Map(), received: new Map(), others: [], rights: [] };
  const created = new Set<string>();
  for (const { eventType, bcs } of events) {
    const [packageId, ...path] = eventType.split('::');
    const name = path.join('::');
    if (!packageIds.has(packageId ?? '') || !walletEvents.isName(name)) continue;
    const fields: { walletId?: string; parent?: string | null } = walletEvents.decode(name, bcs);
    const { walletId: named = walletId } = fields;
    if (named !== walletId) {
      if (name === 'wallet::WalletCreated') created.add(named);
      // For both an adaptor needs no wallet that was there: any publisher could have their users' wallets frozen.
      const harmless = created.has(named) || name === 'cap_auth::DelegateCapBurned';
      if (!harmless) flows.others.push(named);
      continue;
    }
    const root = name === 'sub_delegate::ScopedCapMinted' && fields.parent === null;
    if (root || rightsEvents.has(name)) flows.rights.push(name);
    if (name === 'wallet::CoinWithdrawn') add(flows.paid, walletEvents.decode(name, bcs));
    if (name === 'wallet::CoinDeposited') add(flows.received, walletEvents.decode(name, bcs));
  }
  return flows;
}

function add(sums: Map<string, bigint>, { coin, amount }: { coin: string; amount: bigint | string }): void {
  sums.set(coin, (sums.get(coin) ?? 0n) + BigInt(amount));
}

/**
 * What a transaction did to wallets beyond its bounds, as its events say; undefined where it kept to them.
 * @param bounds of all of its steps
 */
export function flowsBeyond(
  { takes, brings }: RunBounds,
  { paid, received, others, rights }: WalletFlows,
): string | undefined {
  if (others.length > 0) return `it touches the wallet ${others[0]}`;
  if (rights.length > 0) return `it changes who may take what: ${rights[0]}`;
  const most = new Map(takes.map(({ coinType, amount }) => [coinType, BigInt(amount)]));
  for (const [coinType, amount] of paid) {
    const max = most.get(coinType) ?? 0n;
    if (amount > max) return `it takes ${amount - max} more of ${coinType}`;
  }
  for (const { coinType, amount } of brings) {
    if ((received.get(coinType) ?? 0n) < BigInt(amount))
      return `it brings less than ${amount} of ${coinType}`;
  }
  return undefined;
}
