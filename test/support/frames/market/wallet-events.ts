import type { WalletEvents } from '../../../../lib/chain/events/wallet.ts';
import { packageIds } from '../packages.ts';
import type { World } from './world.ts';

type Makers = { [Name in keyof WalletEvents]: (world: World) => WalletEvents[Name] };

const policySpend = `${packageIds.wallet}::wallet::PolicySpend`;

const service = (w: World) => ({ walletId: w.walletId(), service: w.service() });
const serviceCoin = (w: World) => ({ ...service(w), coin: w.coin() });
const delegate = (w: World) => ({ walletId: w.walletId(), delegate: w.person() });
const debit = (w: World) => ({ amount: w.amount(), remaining: w.amount() });
const cap = (w: World) => {
  const { id, walletId } = w.known(w.often(w.caps), () => ({ id: w.id(), walletId: w.walletId() }));
  return { walletId, capId: id };
};
const newCap = (w: World) => {
  const { id, walletId } = { id: w.id(), walletId: w.walletId() };
  w.caps.push({ id, walletId });
  return { walletId, capId: id };
};
/** Whoever moved the coin: a service, the owner, or a policy. */
const mover = (w: World) => (w.random.chance(0.1) ? policySpend : w.maybe(() => w.service()));

/** Any event of a wallet package, about the world's few things. */
export const walletEventMakers: Makers = {
  'wallet::WalletCreated': (w) => {
    const wallet = { id: w.id(), owner: w.person() };
    w.wallets.push(wallet);
    return { walletId: wallet.id, owner: wallet.owner, signerAddress: w.id() };
  },
  'wallet::ServiceGranted': (w) => ({ ...serviceCoin(w), allowance: w.amount() }),
  'wallet::ServiceCoinRevoked': serviceCoin,
  'wallet::ServiceRevoked': service,
  'wallet::CoinDeposited': (w) => ({ ...serviceCoin(w), service: mover(w), amount: w.amount() }),
  'wallet::CoinWithdrawn': (w) => ({
    ...serviceCoin(w),
    service: mover(w),
    amount: w.amount(),
    allowanceLeft: w.maybe(() => w.amount()),
  }),
  'wallet::LegacyCoinSwept': (w) => ({ walletId: w.walletId(), coin: w.coin(), amount: w.amount() }),
  'wallet::AssetReclaimed': (w) => ({ walletId: w.walletId(), assetName: 'name' }),
  'wallet::ServiceAssetStored': (w) => ({ ...service(w), assetName: 'n', asset: w.coin(), assetId: w.id() }),
  'wallet::ServiceAssetTaken': (w) => ({ ...service(w), assetName: 'n', asset: w.coin(), assetId: w.id() }),
  'wallet::ServicePullGranted': (w) => ({ ...serviceCoin(w), cap: w.amount() }),
  'wallet::WalletPauseChanged': (w) => ({ walletId: w.walletId(), paused: w.random.chance(0.5) }),
  'wallet::OwnerChanged': (w) => ({ walletId: w.walletId(), previous: w.person(), owner: w.person() }),

  'delegate::Initialized': (w) => ({ walletId: w.walletId(), mainOwner: w.person() }),
  'delegate::Added': delegate,
  'delegate::Removed': delegate,
  'delegate::ServiceAllowanceChanged': (w) => ({
    ...delegate(w),
    service: w.service(),
    newAmount: w.amount(),
  }),
  'delegate::CoinAllowanceChanged': (w) => ({ ...delegate(w), coin: w.coin(), newAmount: w.amount() }),
  'delegate::ServiceAllowanceDebited': (w) => ({ ...service(w), spender: w.person(), ...debit(w) }),
  'delegate::CoinAllowanceDebited': (w) => ({
    walletId: w.walletId(),
    spender: w.person(),
    coin: w.coin(),
    ...debit(w),
  }),
  'delegate::ExpiryChanged': (w) => ({
    ...delegate(w),
    expiresAtMs: w.maybe(() => (w.random.chance(0.2) ? 8.64e15 : 1_800_000_000_000 + w.random.integer(1e9))),
  }),

  'intent::PaymentValidated': (w) => ({
    ...serviceCoin(w),
    mode: w.random.integer(3),
    payer: w.maybe(() => w.person()),
    recipient: w.person(),
    amount: w.amount(),
    sender: w.person(),
  }),
  'intent::PaymentVerified': (w) => ({ ...serviceCoin(w), amount: w.amount(), recipient: w.person() }),
  'intent::SwapValidated': (w) => ({
    ...service(w),
    coinIn: w.coin(),
    coinOut: w.coin(),
    spender: w.person(),
    amountIn: w.amount(),
    minAmountOut: w.amount(),
  }),
  'intent::SwapVerified': (w) => ({
    ...service(w),
    coinIn: w.coin(),
    coinOut: w.coin(),
    amountIn: w.amount(),
    amountOut: w.amount(),
  }),

  'action::ActionEnded': (w) => {
    const amounts = () => (w.random.chance(0.5) ? [{ coin: w.coin(), amount: w.amount() }] : []);
    return { ...service(w), sender: w.person(), taken: amounts(), brought: amounts() };
  },

  'policy::PolicyInitialized': (w) => ({ walletId: withoutPolicy(w), version: 1 }),
  'policy::AuthRuleChanged': (w) => ({ walletId: w.walletId(), rule: w.rule(), added: w.random.chance(0.6) }),
  'policy::CaveatRuleChanged': (w) => ({
    walletId: w.walletId(),
    rule: w.rule(),
    added: w.random.chance(0.6),
    auth: w.maybe(() => w.rule()),
  }),
  'policy::PolicyRevoked': (w) => ({ walletId: w.walletId(), newVersion: 2 + w.random.integer(1_000) }),
  'policy::SpendConfirmed': (w) => ({
    walletId: w.walletId(),
    coin: w.coin(),
    amount: w.amount(),
    recipient: w.person(),
    policyVersion: 1,
    sender: w.person(),
    auth: w.rule(),
    capId: w.maybe(() => w.id()),
    into: false,
  }),
  'policy::SpendIntoChanged': (w) => ({ walletId: w.walletId(), allowed: w.random.chance(0.5) }),

  'cap_auth::DelegateCapMinted': (w) => ({
    ...newCap(w),
    policyVersion: 1,
    recipient: w.maybe(() => w.person()),
  }),
  'cap_auth::DelegateCapBurned': cap,
  'cap_auth::DelegateCapRevoked': cap,
  'sub_delegate::ScopedCapMinted': (w) => ({
    parent: w.maybe(() => cap(w).capId),
    ...newCap(w),
    coin: w.coin(),
    budget: w.amount(),
    depth: 1,
    maxDepth: 3,
    policyVersion: 1,
    recipient: w.maybe(() => w.person()),
  }),
  'sub_delegate::ScopedSpent': (w) => ({ ...cap(w), coin: w.coin(), ...debit(w) }),
  'sub_delegate::ScopedCapBurned': (w) => ({ ...cap(w), coin: w.coin(), unused: w.amount(), parent: null }),
  'sub_delegate::ScopedRefunded': (w) => ({ ...cap(w), coin: w.coin(), ...debit(w) }),
  'sub_delegate::ScopedCapRevoked': cap,
};

/** A policy is made once for each wallet. */
function withoutPolicy(w: World): string {
  const walletId = w.walletId();
  if (w.policies.has(walletId)) return w.id();
  w.policies.add(walletId);
  return walletId;
}
