import * as delegates from '@adaptor-marketplace/adaptor/calls/delegate';
import type { WalletTarget } from '@adaptor-marketplace/adaptor/calls/target';
import * as wallets from '@adaptor-marketplace/adaptor/calls/wallet';
import { type Account, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import { dollars, milliSui, SUI } from './coins.ts';
import { addDelegate, type Delegate } from './grants.ts';
import { type Coins, mintDollars } from './issue-coins.ts';
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
