import {
  address,
  amount,
  chosenTime,
  coinAmounts,
  count,
  flag,
  optional,
  small,
  text,
  typeName,
} from '../fields.ts';
import { defineLayout } from '../structs.ts';
import { createEventCodec, type EventsOf } from './codec.ts';

const service = { walletId: address, service: typeName };
const serviceCoin = { ...service, coin: typeName };
const cap = { walletId: address, capId: address };
const scoped = { ...cap, coin: typeName };

const walletLayouts = {
  'wallet::WalletCreated': defineLayout({ walletId: address, owner: address, signerAddress: address }),
  /** `allowance`: amount that the service may pull from now on. 2^64 - 1 is unlimited. */
  'wallet::ServiceGranted': defineLayout(serviceCoin, { allowance: amount }),
  'wallet::ServiceCoinRevoked': defineLayout(serviceCoin),
  'wallet::ServiceRevoked': defineLayout(service),
  /** `service` is null where no adaptor credited the coin. */
  'wallet::CoinDeposited': defineLayout({
    walletId: address,
    service: optional(typeName),
    coin: typeName,
    amount,
  }),
  /** `service` is null where the owner took the coin; `allowanceLeft` is not null after a service's pull. */
  'wallet::CoinWithdrawn': defineLayout(
    { walletId: address, service: optional(typeName), coin: typeName, amount },
    { allowanceLeft: optional(amount) },
  ),
  'wallet::LegacyCoinSwept': defineLayout({ walletId: address, coin: typeName, amount }),
  'wallet::AssetReclaimed': defineLayout({ walletId: address, assetName: text }),
  'wallet::ServiceAssetStored': defineLayout({
    ...service,
    assetName: text,
    asset: typeName,
    assetId: address,
  }),
  'wallet::ServiceAssetTaken': defineLayout({
    ...service,
    assetName: text,
    asset: typeName,
    assetId: address,
  }),
  'wallet::ServicePullGranted': defineLayout({ ...serviceCoin, cap: amount }),
  'wallet::WalletPauseChanged': defineLayout({ walletId: address, paused: flag }),
  'wallet::OwnerChanged': defineLayout({ walletId: address, previous: address, owner: address }),
};

const delegate = { walletId: address, delegate: address };
const debit = { amount, remaining: amount };

const delegateLayouts = {
  'delegate::Initialized': defineLayout({ walletId: address, mainOwner: address }),
  'delegate::Added': defineLayout(delegate),
  'delegate::Removed': defineLayout(delegate),
  /** `newAmount` 2^64 - 1 is unlimited, here and for coins. */
  'delegate::ServiceAllowanceChanged': defineLayout({ ...delegate, service: typeName, newAmount: amount }),
  'delegate::CoinAllowanceChanged': defineLayout({ ...delegate, coin: typeName, newAmount: amount }),
  'delegate::ServiceAllowanceDebited': defineLayout({
    walletId: address,
    spender: address,
    service: typeName,
    ...debit,
  }),
  'delegate::CoinAllowanceDebited': defineLayout({
    walletId: address,
    spender: address,
    coin: typeName,
    ...debit,
  }),
  'delegate::ExpiryChanged': defineLayout({ ...delegate, expiresAtMs: optional(chosenTime) }),
};

const swapCoins = { ...service, coinIn: typeName, coinOut: typeName };

const intentLayouts = {
  /** `mode`: 0 if the sender's budgets are debited, 1 if the payer's, 2 if none. */
  'intent::PaymentValidated': defineLayout(
    { ...service, mode: small, payer: optional(address), recipient: address, amount },
    { coin: typeName, sender: address },
  ),
  'intent::PaymentVerified': defineLayout(
    { service: typeName, amount, recipient: address },
    { walletId: address, coin: typeName },
  ),
  'intent::SwapValidated': defineLayout({
    ...swapCoins,
    spender: address,
    amountIn: amount,
    minAmountOut: amount,
  }),
  'intent::SwapVerified': defineLayout({ ...swapCoins, amountIn: amount, amountOut: amount }),
};

const actionLayouts = {
  /**
   * Amounts that one service took and brought within one action, for each coin that the action named. Zero amounts are
   * left out. Both are gross: what the service put back is in `taken` and in `brought`.
   */
  'action::ActionEnded': defineLayout({
    ...service,
    sender: address,
    taken: coinAmounts,
    brought: coinAmounts,
  }),
};

const ruleChange = { walletId: address, rule: typeName, added: flag };

const policyLayouts = {
  'policy::PolicyInitialized': defineLayout({ walletId: address, version: count }),
  'policy::AuthRuleChanged': defineLayout(ruleChange),
  /** `auth`: the auth rule whose caveat it is; null for a caveat of the whole wallet. */
  'policy::CaveatRuleChanged': defineLayout(ruleChange, { auth: optional(typeName) }),
  'policy::PolicyRevoked': defineLayout({ walletId: address, newVersion: count }),
  'policy::SpendConfirmed': defineLayout(
    { walletId: address, coin: typeName, amount, recipient: address, policyVersion: count },
    { sender: address, auth: typeName, capId: optional(address), into: flag },
  ),
  'policy::SpendIntoChanged': defineLayout({ walletId: address, allowed: flag }),
};

const capLayouts = {
  'cap_auth::DelegateCapMinted': defineLayout(
    { ...cap, policyVersion: count },
    { recipient: optional(address) },
  ),
  'cap_auth::DelegateCapBurned': defineLayout(cap),
  'cap_auth::DelegateCapRevoked': defineLayout(cap),
  'sub_delegate::ScopedCapMinted': defineLayout(
    { ...scoped, budget: amount, depth: small, maxDepth: small, parent: optional(address) },
    { policyVersion: count, recipient: optional(address) },
  ),
  'sub_delegate::ScopedSpent': defineLayout({ ...scoped, ...debit }),
  'sub_delegate::ScopedCapBurned': defineLayout({ ...scoped, unused: amount, parent: optional(address) }),
  /** `capId`: the parent, which received the unspent budget of a burned child. */
  'sub_delegate::ScopedRefunded': defineLayout({ ...scoped, ...debit }),
  'sub_delegate::ScopedCapRevoked': defineLayout(cap),
};

const layouts = {
  ...walletLayouts,
  ...delegateLayouts,
  ...intentLayouts,
  ...actionLayouts,
  ...policyLayouts,
  ...capLayouts,
};

/** The events of the wallet package, by `module::Name`. */
export type WalletEvents = EventsOf<typeof layouts>;
export type WalletEventName = keyof WalletEvents;

export const walletEvents = createEventCodec(layouts);
