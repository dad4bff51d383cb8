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
import { layout } from '../structs.ts';
import { type EventsOf, eventCodec } from './codec.ts';

const service = { walletId: address, service: typeName };
const serviceCoin = { ...service, coin: typeName };
const cap = { walletId: address, capId: address };
const scoped = { ...cap, coin: typeName };

const walletLayouts = {
  'wallet::WalletCreated': layout({ walletId: address, owner: address, signerAddress: address }),
  /** `allowance`: amount that the service may pull from now on. 2^64 - 1 is unlimited. */
  'wallet::ServiceGranted': layout(serviceCoin, { allowance: amount }),
  'wallet::ServiceCoinRevoked': layout(serviceCoin),
  'wallet::ServiceRevoked': layout(service),
  /** `service` is null where no adaptor credited the coin. */
  'wallet::CoinDeposited': layout({
    walletId: address,
    service: optional(typeName),
    coin: typeName,
    amount,
  }),
  /** `service` is null where the owner took the coin; `allowanceLeft` is not null after a service's pull. */
  'wallet::CoinWithdrawn': layout(
    { walletId: address, service: optional(typeName), coin: typeName, amount },
    { allowanceLeft: optional(amount) },
  ),
  'wallet::LegacyCoinSwept': layout({ walletId: address, coin: typeName, amount }),
  'wallet::AssetReclaimed': layout({ walletId: address, assetName: text }),
  'wallet::ServiceAssetStored': layout({ ...service, assetName: text, asset: typeName, assetId: address }),
  'wallet::ServiceAssetTaken': layout({ ...service, assetName: text, asset: typeName, assetId: address }),
  'wallet::ServicePullGranted': layout({ ...serviceCoin, cap: amount }),
  'wallet::WalletPauseChanged': layout({ walletId: address, paused: flag }),
  'wallet::OwnerChanged': layout({ walletId: address, previous: address, owner: address }),
};

const delegate = { walletId: address, delegate: address };
const debit = { amount, remaining: amount };

const delegateLayouts = {
  'delegate::Initialized': layout({ walletId: address, mainOwner: address }),
  'delegate::Added': layout(delegate),
  'delegate::Removed': layout(delegate),
  /** `newAmount` 2^64 - 1 is unlimited, here and for coins. */
  'delegate::ServiceAllowanceChanged': layout({ ...delegate, service: typeName, newAmount: amount }),
  'delegate::CoinAllowanceChanged': layout({ ...delegate, coin: typeName, newAmount: amount }),
  'delegate::ServiceAllowanceDebited': layout({
    walletId: address,
    spender: address,
    service: typeName,
    ...debit,
  }),
  'delegate::CoinAllowanceDebited': layout({
    walletId: address,
    spender: address,
    coin: typeName,
    ...debit,
  }),
  'delegate::ExpiryChanged': layout({ ...delegate, expiresAtMs: optional(chosenTime) }),
};

const swapCoins = { ...service, coinIn: typeName, coinOut: typeName };

const intentLayouts = {
  /** `mode`: 0 if the sender's budgets are debited, 1 if the payer's, 2 if none. */
  'intent::PaymentValidated': layout(
    { ...service, mode: small, payer: optional(address), recipient: address, amount },
    { coin: typeName, sender: address },
  ),
  'intent::PaymentVerified': layout(
    { service: typeName, amount, recipient: address },
    { walletId: address, coin: typeName },
  ),
  'intent::SwapValidated': layout({
    ...swapCoins,
    spender: address,
    amountIn: amount,
    minAmountOut: amount,
  }),
  'intent::SwapVerified': layout({ ...swapCoins, amountIn: amount, amountOut: amount }),
};

const actionLayouts = {
  /**
   * Amounts that one service took and brought within one action, for each coin that the action named. Zero amounts are
   * left out. Both are gross: what the service put back is in `taken` and in `brought`.
   */
  'action::ActionEnded': layout({ ...service, sender: address, taken: coinAmounts, brought: coinAmounts }),
};

const ruleChange = { walletId: address, rule: typeName, added: flag };

const policyLayouts = {
  'policy::PolicyInitialized': layout({ walletId: address, version: count }),
  'policy::AuthRuleChanged': layout(ruleChange),
  /** `auth`: the auth rule whose caveat it is; null for a caveat of the whole wallet. */
  'policy::CaveatRuleChanged': layout(ruleChange, { auth: optional(typeName) }),
  'policy::PolicyRevoked': layout({ walletId: address, newVersion: count }),
  'policy::SpendConfirmed': layout(
    { walletId: address, coin: typeName, amount, recipient: address, policyVersion: count },
    { sender: address, auth: typeName, capId: optional(address), into: flag },
  ),
  'policy::SpendIntoChanged': layout({ walletId: address, allowed: flag }),
};

const capLayouts = {
  'cap_auth::DelegateCapMinted': layout({ ...cap, policyVersion: count }, { recipient: optional(address) }),
  'cap_auth::DelegateCapBurned': layout(cap),
  'cap_auth::DelegateCapRevoked': layout(cap),
  'sub_delegate::ScopedCapMinted': layout(
    { ...scoped, budget: amount, depth: small, maxDepth: small, parent: optional(address) },
    { policyVersion: count, recipient: optional(address) },
  ),
  'sub_delegate::ScopedSpent': layout({ ...scoped, ...debit }),
  'sub_delegate::ScopedCapBurned': layout({ ...scoped, unused: amount, parent: optional(address) }),
  /** `capId`: the parent, which received the unspent budget of a burned child. */
  'sub_delegate::ScopedRefunded': layout({ ...scoped, ...debit }),
  'sub_delegate::ScopedCapRevoked': layout(cap),
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

export const walletEvents = eventCodec(layouts);
