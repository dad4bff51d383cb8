import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import {
  allowlistRule,
  allowlist as allowlists,
  bearerCap as bearerCaps,
  delegate as delegates,
  policy,
  scopedCap as scopedCaps,
  type WalletTarget,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import { type Account, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import type { Cast } from './cast.ts';
import type { Adaptors } from './deploy.ts';
import { type Coins, type Core, dollars, findCreatedObject, milliSui, mintDollars, SUI } from './publish.ts';

const dayMs = 86_400_000;

/** Appends the owner's grants: to each service, an allowance of each coin that it takes out of the wallet. */
export function grantServices(
  tx: Transaction,
  wallet: WalletTarget,
  adaptors: Adaptors,
  { types }: Coins,
): void {
  const { dollar } = types;
  const grants = [
    { adaptor: adaptors.tipJar, coinType: SUI, allowance: milliSui(5_000) },
    { adaptor: adaptors.termSavings, coinType: SUI, allowance: milliSui(10_000) },
    { adaptor: adaptors.poolSwap, coinType: SUI, allowance: milliSui(20_000) },
    { adaptor: adaptors.poolSwap, coinType: dollar, allowance: dollars(100) },
    { adaptor: adaptors.relaySwap, coinType: SUI, allowance: milliSui(5_000) },
    { adaptor: adaptors.shareVault, coinType: SUI, allowance: milliSui(10_000) },
    { adaptor: adaptors.shareVault, coinType: types.reefSui, allowance: unlimitedAllowance },
    { adaptor: adaptors.flashLending, coinType: SUI, allowance: milliSui(10_000) },
    { adaptor: adaptors.flashLending, coinType: types.flashSui, allowance: unlimitedAllowance },
    { adaptor: adaptors.creditLending, coinType: dollar, allowance: dollars(200) },
    { adaptor: adaptors.creditLending, coinType: types.creditUsd, allowance: unlimitedAllowance },
    { adaptor: adaptors.accountLending, coinType: dollar, allowance: dollars(200) },
    { adaptor: adaptors.marketSupply, coinType: SUI, allowance: milliSui(10_000) },
    { adaptor: adaptors.stablecoinAccount, coinType: SUI, allowance: milliSui(10_000) },
    { adaptor: adaptors.stablecoinAccount, coinType: types.anchorUsd, allowance: unlimitedAllowance },
    { adaptor: adaptors.liquidStaking, coinType: SUI, allowance: milliSui(10_000) },
    { adaptor: adaptors.liquidStaking, coinType: types.tideSui, allowance: unlimitedAllowance },
    { adaptor: adaptors.concentratedLiquidity, coinType: SUI, allowance: milliSui(10_000) },
    { adaptor: adaptors.concentratedLiquidity, coinType: dollar, allowance: dollars(100) },
    { adaptor: adaptors.perpetualTrading, coinType: dollar, allowance: dollars(200) },
  ];
  for (const { adaptor, ...grant } of grants) {
    wallets.grantServiceCoin(tx, wallet, { service: adaptor.serviceType, ...grant });
  }
}

/** An address that spends for a wallet's owner, on which services and until when. Amounts in base units. */
export interface Delegate {
  address: string;
  services: { serviceType: string; amount: bigint }[];
  coins: { coinType: string; amount: bigint }[];
  expiresAtMs?: number;
}

export function addDelegate(
  tx: Transaction,
  wallet: WalletTarget,
  { address: delegate, services, coins, expiresAtMs }: Delegate,
): void {
  delegates.add(tx, wallet, delegate);
  for (const { serviceType: service, amount } of services) {
    delegates.setServiceAllowance(tx, wallet, { delegate, service, amount });
  }
  for (const { coinType, amount } of coins) {
    delegates.setCoinAllowance(tx, wallet, { delegate, coinType, amount });
  }
  if (expiresAtMs !== undefined) {
    delegates.setExpiry(tx, wallet, { delegate, expiresAtMs: BigInt(expiresAtMs) });
  }
}

/** The agent, who uses every adaptor. A service's budget is over all coins, so one for several has no sensible bound. */
export function agentAsDelegate(
  { agent }: Pick<Cast, 'agent'>,
  { types }: Coins,
  adaptors: Adaptors,
): Delegate {
  const { tipJar, termSavings, shareVault, marketSupply, ...others } = adaptors;
  const bounded = [
    { serviceType: tipJar.serviceType, amount: milliSui(1_000) },
    { serviceType: termSavings.serviceType, amount: milliSui(4_000) },
    { serviceType: shareVault.serviceType, amount: milliSui(6_000) },
    { serviceType: marketSupply.serviceType, amount: milliSui(6_000) },
  ];
  const unbounded = Object.values(others).map(({ serviceType }) => ({
    serviceType,
    amount: unlimitedAllowance,
  }));
  const { dollar, ...shares } = types;
  return {
    address: agent.address,
    services: [...bounded, ...unbounded],
    coins: [
      { coinType: SUI, amount: milliSui(25_000) },
      { coinType: dollar, amount: dollars(300) },
      ...Object.values(shares).map((coinType) => ({ coinType, amount: unlimitedAllowance })),
    ],
  };
}

/** The scout, who only tips and only for thirty days. */
export const scoutAsDelegate = ({ scout }: Cast, { tipJar }: Adaptors): Delegate => ({
  address: scout.address,
  services: [{ serviceType: tipJar.serviceType, amount: milliSui(200) }],
  coins: [{ coinType: SUI, amount: milliSui(200) }],
  expiresAtMs: Date.now() + 30 * dayMs,
});

export interface DemoWallet {
  owner: Account;
  walletId: string;
  target: WalletTarget;
  made: Executed;
}

/** Appends set-up calls to the transaction that creates a wallet, before the wallet is shared. */
export type SetUp = (tx: Transaction, wallet: WalletTarget) => void;

/** Opens a wallet with 30 SUI. `acting` become delegates with budgets. */
export async function openWallet(
  owner: Account,
  walletPackage: string,
  { acting, setUp }: { acting: Delegate[]; setUp: SetUp[] },
): Promise<DemoWallet> {
  const made = await execute(owner, (tx) => {
    const wallet = wallets.create(tx, walletPackage);
    wallets.deposit(tx, wallet, { coinType: SUI, coin: tx.splitCoins(tx.gas, [milliSui(30_000)]) });
    for (const append of setUp) append(tx, wallet);
    if (acting.length > 0) delegates.initialize(tx, wallet);
    for (const delegate of acting) addDelegate(tx, wallet, delegate);
    wallets.share(tx, wallet);
  });
  const walletId = findCreatedObject(made, '::wallet::Wallet');
  return { owner, walletId, target: { packageId: walletPackage, wallet: walletId }, made };
}

/** The owner of the treasury deposits dollars into each wallet. Anyone may deposit. */
export async function depositDollars(keeper: Account, coins: Coins, into: DemoWallet[]): Promise<void> {
  const coinType = coins.types.dollar;
  await execute(keeper, (tx) => {
    for (const { target } of into) {
      wallets.deposit(tx, target, { coinType, coin: mintDollars(tx, coins, dollars(500)) });
    }
  });
}

/** A policy for both caps: scoped caps spend their budgets, bearer caps pay those on the list, empty at first. */
export function setUpPolicy(core: Core, mintCaps: SetUp): SetUp {
  const { capAuth, scopedAuth, scopedBudget } = policy.walletRules(core.wallet);
  const rulesPackageId = core.rules.packageId;
  return (tx, wallet) => {
    policy.initialize(tx, wallet);
    policy.addAuthRule(tx, wallet, capAuth);
    policy.addCaveatRule(tx, wallet, { rule: allowlistRule(rulesPackageId), auth: capAuth });
    policy.addAuthRule(tx, wallet, scopedAuth);
    policy.addCaveatRule(tx, wallet, { rule: scopedBudget, auth: scopedAuth });
    allowlists.createAllowlist(tx, { rulesPackageId, wallet: wallet.wallet });
    mintCaps(tx, wallet);
  };
}

/** Finds the first caps and the allowlist of a wallet that `setUpPolicy` set up with one cap of each kind. */
export const findCaps = ({ made }: DemoWallet) => ({
  bearer: findCreatedObject(made, '::cap_auth::DelegateCap'),
  scoped: findCreatedObject(made, '::sub_delegate::ScopedCap'),
  allowlist: findCreatedObject(made, '::rule::Allowlist'),
});

/** The owner of the wallet lists the recipients that bearer caps may pay. */
export async function allow(wallet: DemoWallet, core: Core, recipients: string[]): Promise<void> {
  const { allowlist: listId } = findCaps(wallet);
  const target = { rulesPackageId: core.rules.packageId, wallet: wallet.walletId };
  await execute(wallet.owner, (tx) => {
    for (const recipient of recipients)
      allowlists.setAllowed(tx, target, { listId, recipient, allowed: true });
  });
}

interface Payment {
  recipient: string;
  amount: bigint;
}

function spendByBearerCap(tx: Transaction, core: Core, wallet: DemoWallet, payment: Payment): void {
  const { bearer, allowlist } = findCaps(wallet);
  const request = policy.beginSpend(tx, wallet.target, { coinType: SUI, ...payment });
  bearerCaps.prove(tx, core.wallet, { capId: bearer, request });
  allowlists.enforceAllowlist(tx, core.rules.packageId, { listId: allowlist, request });
  policy.confirmSpend(tx, wallet.target, { coinType: SUI, request });
}

function spendByScopedCap(
  tx: Transaction,
  core: Core,
  wallet: DemoWallet,
  { capId, ...payment }: Payment & { capId: string },
): void {
  const request = policy.beginSpend(tx, wallet.target, { coinType: SUI, ...payment });
  scopedCaps.spend(tx, core.wallet, { capId, request });
  policy.confirmSpend(tx, wallet.target, { coinType: SUI, request });
}

/**
 * The agent pays listed recipients by its bearer cap and delegates a part of its scoped cap to the scout, who delegates
 * a part of that to the runner. The runner spends some and burns the cap; what is left goes back to the scout's.
 */
export async function spendThroughCaps(cast: Cast, core: Core, wallet: DemoWallet): Promise<void> {
  const { agent, scout, runner, provider, harbour } = cast;
  const { scoped: root } = findCaps(wallet);
  const delegatePart = async (
    from: 'agent' | 'scout',
    capId: string,
    amount: bigint,
    to: 'scout' | 'runner',
  ) => {
    const executed = await execute(cast[from], (tx) => {
      scopedCaps.subdelegate(tx, wallet.target, { capId, amount, recipient: cast[to].address });
      const spent = { capId, recipient: provider.address, amount: milliSui(100) };
      spendByScopedCap(tx, core, wallet, spent);
    });
    return findCreatedObject(executed, '::sub_delegate::ScopedCap');
  };

  await execute(agent, (tx) => {
    spendByBearerCap(tx, core, wallet, { recipient: provider.address, amount: milliSui(150) });
    spendByBearerCap(tx, core, wallet, { recipient: harbour.address, amount: milliSui(50) });
  });
  const child = await delegatePart('agent', root, milliSui(2_000), 'scout');
  const grandchild = await delegatePart('scout', child, milliSui(800), 'runner');
  await execute(runner, (tx) => {
    spendByScopedCap(tx, core, wallet, {
      capId: grandchild,
      recipient: provider.address,
      amount: milliSui(300),
    });
    scopedCaps.burn(tx, wallet.target, grandchild);
  });
  await execute(scout, (tx) => scopedCaps.collectRefund(tx, wallet.target, child));
}

export async function revokeScopedCap(wallet: DemoWallet): Promise<void> {
  await execute(wallet.owner, (tx) => scopedCaps.revoke(tx, wallet.target, findCaps(wallet).scoped));
}

/** Revokes all caps of the wallet, after one of them was used. */
export async function revokePolicy({ agent, provider }: Cast, core: Core, wallet: DemoWallet): Promise<void> {
  const payment = { recipient: provider.address, amount: milliSui(70) };
  await execute(agent, (tx) => {
    spendByScopedCap(tx, core, wallet, { capId: findCaps(wallet).scoped, ...payment });
  });
  await execute(wallet.owner, (tx) => policy.revokeAll(tx, wallet.target));
}
