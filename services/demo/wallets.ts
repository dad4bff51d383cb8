import {
  delegate as delegates,
  type WalletTarget,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import { type Account, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import type { Cast } from './cast.ts';
import { type Coins, dollars, milliSui, mintDollars, SUI, unlimited } from './coins.ts';
import type { Adaptors } from './deploy.ts';
import { createdObject } from './publish.ts';

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
    { of: adaptors.tipJar, coinType: SUI, allowance: milliSui(5_000) },
    { of: adaptors.termSavings, coinType: SUI, allowance: milliSui(10_000) },
    { of: adaptors.poolSwap, coinType: SUI, allowance: milliSui(20_000) },
    { of: adaptors.poolSwap, coinType: dollar, allowance: dollars(100) },
    { of: adaptors.shareVault, coinType: SUI, allowance: milliSui(10_000) },
    { of: adaptors.shareVault, coinType: types.reefSui, allowance: unlimited },
    { of: adaptors.flashLending, coinType: SUI, allowance: milliSui(10_000) },
    { of: adaptors.flashLending, coinType: types.flashSui, allowance: unlimited },
    { of: adaptors.creditLending, coinType: dollar, allowance: dollars(200) },
    { of: adaptors.creditLending, coinType: types.creditUsd, allowance: unlimited },
    { of: adaptors.accountLending, coinType: dollar, allowance: dollars(200) },
    { of: adaptors.marketSupply, coinType: SUI, allowance: milliSui(10_000) },
    { of: adaptors.stablecoinAccount, coinType: SUI, allowance: milliSui(10_000) },
    { of: adaptors.stablecoinAccount, coinType: types.anchorUsd, allowance: unlimited },
    { of: adaptors.liquidStaking, coinType: SUI, allowance: milliSui(10_000) },
    { of: adaptors.liquidStaking, coinType: types.tideSui, allowance: unlimited },
    { of: adaptors.concentratedLiquidity, coinType: SUI, allowance: milliSui(10_000) },
    { of: adaptors.concentratedLiquidity, coinType: dollar, allowance: dollars(100) },
    { of: adaptors.perpetualTrading, coinType: dollar, allowance: dollars(200) },
  ];
  for (const { of, ...grant } of grants) {
    wallets.grantServiceCoin(tx, wallet, { service: of.serviceType, ...grant });
  }
}

/** An address that spends for a wallet's owner, on which services and until when. Amounts in base units. */
export interface Delegate {
  address: string;
  services: { serviceType: string; amount: bigint }[];
  coins: { coinType: string; amount: bigint }[];
  expiresAtMs?: number;
}

/** Appends a delegate with budgets. */
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
  const unbounded = Object.values(others).map(({ serviceType }) => ({ serviceType, amount: unlimited }));
  const { dollar, ...shares } = types;
  return {
    address: agent.address,
    services: [...bounded, ...unbounded],
    coins: [
      { coinType: SUI, amount: milliSui(25_000) },
      { coinType: dollar, amount: dollars(300) },
      ...Object.values(shares).map((coinType) => ({ coinType, amount: unlimited })),
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

/** A wallet and its owner. */
export interface DemoWallet {
  owner: Account;
  /** The shared object's id. */
  walletId: string;
  target: WalletTarget;
  /** What made it. */
  made: Executed;
}

/** What the story does with a wallet before it is shared. */
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
  const walletId = createdObject(made, '::wallet::Wallet');
  return { owner, walletId, target: { packageId: walletPackage, wallet: walletId }, made };
}

/** The owner of their treasury puts dollars into each wallet, which anyone may. */
export async function depositDollars(keeper: Account, coins: Coins, into: DemoWallet[]): Promise<void> {
  const coinType = coins.types.dollar;
  await execute(keeper, (tx) => {
    for (const { target } of into) {
      wallets.deposit(tx, target, { coinType, coin: mintDollars(tx, coins, dollars(500)) });
    }
  });
}
