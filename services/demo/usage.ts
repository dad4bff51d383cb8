import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import { callOp as call } from './call-op.ts';
import { dollars, milliSui, SUI } from './coins.ts';
import type { Adaptors } from './deploy-adaptors.ts';
import type { Coins } from './issue-coins.ts';
import type { DemoWallet } from './wallets.ts';

/** How often the agent uses all adaptors for all wallets that it may spend from. */
export const agentRounds = 8;
/** How often each owner does. */
export const ownerRounds = 1;

/**
 * Appends one use of each of the four adaptors: a tip, a deposit into savings, a swap, a deposit into the vault.
 * `seed` makes amounts, and the deposit's name, differ. The swaps go one way and back in turn.
 */
function useAll(
  tx: Transaction,
  { types }: Coins,
  adaptors: Adaptors,
  wallet: DemoWallet,
  seed: number,
): void {
  const amount = milliSui(20 + ((seed * 7) % 30));
  call(tx, adaptors.tipJar, 'tip', wallet, { amount: amount / 10n });
  call(tx, adaptors.termSavings, 'deposit', wallet, { amount, values: { name: `deposit ${seed}` } });
  // The pool opens at three dollars a SUI: a trade for less than nine tenths of that is refused.
  if (seed % 2 === 0) {
    const minOut = ((amount / 1_000n) * 27n) / 10n;
    call(tx, adaptors.poolSwap, 'swap_a_to_b', wallet, {
      amount,
      minOut,
      coinIn: SUI,
      coinOut: types.dollar,
    });
  } else {
    const paid = dollars(1) / 10n;
    const minOut = (paid * 1_000n * 9n) / 30n;
    call(tx, adaptors.poolSwap, 'swap_b_to_a', wallet, {
      ...{ amount: paid, minOut, coinIn: types.dollar, coinOut: SUI },
    });
  }
  const minOut = amount / 2n;
  call(tx, adaptors.shareVault, 'deposit', wallet, {
    amount,
    minOut,
    coinIn: SUI,
    coinOut: types.reefSui,
  });
}

/** The sender uses all adaptors for each of the wallets, `rounds` times over, a round in each transaction. */
export async function useAdaptors(
  sender: Account,
  coins: Coins,
  adaptors: Adaptors,
  { wallets, rounds, from }: { wallets: DemoWallet[]; rounds: number; from: number },
): Promise<void> {
  for (let round = from; round < from + rounds; round++) {
    await execute(sender, (tx) => {
      for (const wallet of wallets) useAll(tx, coins, adaptors, wallet, round);
    });
  }
}

/** The owner brings a deposit and shares back into the wallet. */
export async function takeOut(wallet: DemoWallet, { types }: Coins, adaptors: Adaptors): Promise<void> {
  await execute(wallet.owner, (tx) => {
    const name = `deposit ${agentRounds}`;
    call(tx, adaptors.termSavings, 'withdraw', wallet, { values: { name } });
    call(tx, adaptors.shareVault, 'withdraw', wallet, {
      ...{ amount: milliSui(10), minOut: milliSui(10) },
      ...{ coinIn: types.reefSui, coinOut: SUI },
    });
  });
}

/** A delegate of the wallet tips. */
export async function tip(sender: Account, wallet: DemoWallet, { tipJar }: Adaptors): Promise<void> {
  await execute(sender, (tx) => call(tx, tipJar, 'tip', wallet, { amount: milliSui(25) }));
}
