import type { SuiClientTypes } from '@mysten/sui/client';
import type { RunBounds } from '../../../db/schema/agent-runs.ts';
import { type WalletEventName, walletEvents } from '../../../lib/chain/events/wallet.ts';

/** Amounts that left a wallet and that came into it, by coin type in base units, summed over a transaction. */
export interface WalletFlows {
  paid: Map<string, bigint>;
  received: Map<string, bigint>;
  /** Ids of other wallets that existed before and that an event names. */
  others: string[];
  /** Names of the events that changed the wallet's owner or the rights to take from it. Only its owner does that. */
  rights: string[];
}

/**
 * Names each event of the wallet package, so that a new one does not compile before it is listed here. `true`: it
 * changes the wallet's owner or the rights to take from it. `asRoot`: only if no other cap was divided for it.
 */
const changesRights: Record<WalletEventName, boolean | 'asRoot'> = {
  'wallet::WalletCreated': false,
  'wallet::OwnerChanged': true,
  'wallet::WalletPauseChanged': true,
  'wallet::ServiceGranted': true,
  'wallet::ServicePullGranted': true,
  'wallet::ServiceCoinRevoked': true,
  'wallet::ServiceRevoked': true,
  'wallet::AssetReclaimed': true,
  'wallet::CoinDeposited': false,
  'wallet::CoinWithdrawn': false,
  'wallet::LegacyCoinSwept': false,
  'wallet::ServiceAssetStored': false,
  'wallet::ServiceAssetTaken': false,
  'delegate::Initialized': true,
  'delegate::Added': true,
  'delegate::Removed': true,
  'delegate::ServiceAllowanceChanged': true,
  'delegate::CoinAllowanceChanged': true,
  'delegate::ExpiryChanged': true,
  'delegate::ServiceAllowanceDebited': false,
  'delegate::CoinAllowanceDebited': false,
  'intent::PaymentValidated': false,
  'intent::PaymentVerified': false,
  'intent::SwapValidated': false,
  'intent::SwapVerified': false,
  'action::ActionEnded': false,
  'policy::PolicyInitialized': true,
  'policy::AuthRuleChanged': true,
  'policy::CaveatRuleChanged': true,
  'policy::PolicyRevoked': true,
  'policy::SpendIntoChanged': true,
  'policy::SpendConfirmed': false,
  'cap_auth::DelegateCapMinted': true,
  'cap_auth::DelegateCapRevoked': true,
  'cap_auth::DelegateCapBurned': false,
  'sub_delegate::ScopedCapMinted': 'asRoot',
  'sub_delegate::ScopedCapRevoked': true,
  'sub_delegate::ScopedCapBurned': false,
  'sub_delegate::ScopedSpent': false,
  'sub_delegate::ScopedRefunded': false,
};

/**
 * Reads from a transaction's events what it does to a wallet. The wallet package itself emits them, no matter what
 * called it. `packageIds` are all versions of the package: an event has the id of the version that first defined it.
 */
export function readWalletFlows(
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
      // An adaptor can cause both without an existing wallet. If they counted, any publisher could get its users'
      // wallets frozen.
      const isHarmless = created.has(named) || name === 'cap_auth::DelegateCapBurned';
      if (!isHarmless) flows.others.push(named);
      continue;
    }
    const changes = changesRights[name];
    if (changes === 'asRoot' ? fields.parent === null : changes) flows.rights.push(name);
    if (name === 'wallet::CoinWithdrawn') add(flows.paid, walletEvents.decode(name, bcs));
    if (name === 'wallet::CoinDeposited') add(flows.received, walletEvents.decode(name, bcs));
  }
  return flows;
}

function add(sums: Map<string, bigint>, { coin, amount }: { coin: string; amount: bigint | string }): void {
  sums.set(coin, (sums.get(coin) ?? 0n) + BigInt(amount));
}

/** Describes how a transaction exceeded its bounds, those of all steps, by its events; undefined if it kept to them. */
export function findExcess(
  { takes, brings }: RunBounds,
  { paid, received, others, rights }: WalletFlows,
): string | undefined {
  if (others.length > 0) return `it touches the wallet ${others[0]}`;
  if (rights.length > 0) return `it changes who may take what: ${rights[0]}`;
  const allowed = new Map(takes.map(({ coinType, amount }) => [coinType, BigInt(amount)]));
  for (const [coinType, amount] of paid) {
    const max = allowed.get(coinType) ?? 0n;
    if (amount > max) return `it takes ${amount - max} more of ${coinType}`;
  }
  for (const { coinType, amount } of brings) {
    if ((received.get(coinType) ?? 0n) < BigInt(amount))
      return `it brings less than ${amount} of ${coinType}`;
  }
  return undefined;
}
