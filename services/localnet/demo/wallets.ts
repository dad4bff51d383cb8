import type { Transaction } from '@mysten/sui/transactions';
import * as delegates from '../../../lib/chain/calls/delegate.ts';
import type { WalletTarget } from '../../../lib/chain/calls/target.ts';
import * as wallets from '../../../lib/chain/calls/wallet.ts';
import { type Account, type Executed, execute } from './account.ts';
import type { Cast } from './cast.ts';
import { dollars, milliSui, SUI, unlimited } from './coins.ts';
import { type Core, mintDollars } from './core.ts';
import type { Listings } from './listings.ts';
import { createdObject } from './publish.ts';

/** A wallet of somebody's. */
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

const dayMs = 86_400_000;

/**
 * Opens a wallet with 30 SUI and grants to the four adaptors. `acting` become delegates with budgets.
 */
export async function openWallet(
  owner: Account,
  core: Core,
  listings: Listings,
  { acting = [], setUp = () => {} }: { acting?: Delegate[]; setUp?: SetUp },
): Promise<DemoWallet> {
  const made = await execute(owner, (tx) => {
    const wallet = wallets.create(tx, core.wallet);
    wallets.deposit(tx, wallet, { coinType: SUI, coin: tx.splitCoins(tx.gas, [milliSui(30_000)]) });
    grantAdaptors(tx, wallet, core, listings);
    if (acting.length > 0) delegates.initialize(tx, wallet);
    for (const delegate of acting) addDelegate(tx, wallet, delegate);
    setUp(tx, wallet);
    wallets.share(tx, wallet);
  });
  const walletId = createdObject(made, '::wallet::Wallet');
  return { owner, walletId, target: { packageId: core.wallet, wallet: walletId }, made };
}

function grantAdaptors(tx: Transaction, wallet: WalletTarget, { coins }: Core, listings: Listings) {
  const { jar, savings, swap, vault } = listings;
  const grants = [
    { of: jar, coinType: SUI, allowance: milliSui(5_000) },
    { of: savings, coinType: SUI, allowance: milliSui(10_000) },
    { of: swap, coinType: SUI, allowance: milliSui(20_000) },
    { of: swap, coinType: coins.dollar, allowance: dollars(100) },
    { of: vault, coinType: SUI, allowance: milliSui(10_000) },
    { of: vault, coinType: coins.reefSui, allowance: unlimited },
  ];
  for (const { of, ...grant } of grants) {
    wallets.grantServiceCoin(tx, wallet, { service: of.serviceType, ...grant });
  }
}

/** Who spends for a wallet's owner, on what and until when. Amounts in base units. */
export interface Delegate {
  address: string;
  services: { serviceType: string; amount: bigint }[];
  coins: { coinType: string; amount: bigint }[];
  expiresAtMs?: number;
}

function addDelegate(
  tx: Transaction,
  wallet: WalletTarget,
  { address: delegate, services, coins, expiresAtMs }: Delegate,
) {
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

/** The agent, who uses every adaptor. */
export function agentAsDelegate({ agent }: Cast, { coins }: Core, listings: Listings): Delegate {
  const { jar, savings, swap, vault } = listings;
  return {
    address: agent.address,
    services: [
      { serviceType: jar.serviceType, amount: milliSui(1_000) },
      { serviceType: savings.serviceType, amount: milliSui(4_000) },
      { serviceType: swap.serviceType, amount: unlimited },
      { serviceType: vault.serviceType, amount: milliSui(6_000) },
    ],
    coins: [
      { coinType: SUI, amount: milliSui(15_000) },
      { coinType: coins.dollar, amount: dollars(50) },
    ],
  };
}

/** The scout, who only tips and only for thirty days. */
export const scoutAsDelegate = ({ scout }: Cast, { jar }: Listings): Delegate => ({
  address: scout.address,
  services: [{ serviceType: jar.serviceType, amount: milliSui(200) }],
  coins: [{ coinType: SUI, amount: milliSui(200) }],
  expiresAtMs: Date.now() + 30 * dayMs,
});

/** Puts dollars into each wallet, which anyone may. */
export async function depositDollars({ operator }: Cast, core: Core, into: DemoWallet[]): Promise<void> {
  const { dollar } = core.coins;
  await execute(operator, (tx) => {
    for (const { target } of into) {
      const coin = mintDollars(tx, { dollar, treasury: core.treasuries.dollar }, dollars(200));
      wallets.deposit(tx, target, { coinType: dollar, coin });
    }
  });
}
