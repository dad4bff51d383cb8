import type { Transaction } from '@mysten/sui/transactions';
import { appendOp, type OpInputs } from '../../../lib/adaptor/append-op.ts';
import { type Account, execute } from './account.ts';
import { dollars, milliSui, SUI } from './coins.ts';
import type { Core } from './core.ts';
import type { Listed, Listings } from './listings.ts';
import type { DemoWallet } from './wallets.ts';

/** How often the agent uses all adaptors for all wallets that it may spend from. */
export const agentRounds = 11;
/** How often each owner does. */
export const ownerRounds = 1;

/** Appends a call of an adaptor as its manifest says. */
function call(tx: Transaction, { manifest, packageId }: Listed, entry: string, inputs: OpInputs): void {
  const op = manifest.ops.find((one) => one.entry === entry);
  if (!op) throw new Error(`${manifest.name} has no op ${entry}`);
  appendOp(tx, packageId, op, inputs);
}

/**
 * Appends one use of each of the four adaptors: a tip, a deposit into savings, a swap, a deposit into the vault.
 * `seed` makes amounts, and the deposit's name, differ. The swaps go one way and back in turn.
 */
function useAll(tx: Transaction, core: Core, listings: Listings, walletId: string, seed: number): void {
  const { coins } = core;
  const amount = milliSui(20 + ((seed * 7) % 30));
  const wallet = { wallet: walletId };
  call(tx, listings.jar, 'tip', { ...wallet, amount: amount / 10n });
  call(tx, listings.savings, 'deposit', { ...wallet, amount, values: { name: `deposit ${seed}` } });
  // The pool opens at three dollars a SUI: a trade for less than nine tenths of that is refused.
  if (seed % 2 === 0) {
    const minOut = ((amount / 1_000n) * 27n) / 10n;
    call(tx, listings.swap, 'swap_a_to_b', { ...wallet, amount, minOut, coinIn: SUI, coinOut: coins.dollar });
  } else {
    const paid = dollars(1) / 10n;
    const minOut = (paid * 1_000n * 9n) / 30n;
    call(tx, listings.swap, 'swap_b_to_a', {
      ...{ ...wallet, amount: paid, minOut, coinIn: coins.dollar, coinOut: SUI },
    });
  }
  const minOut = amount / 2n;
  call(tx, listings.vault, 'deposit', { ...wallet, amount, minOut, coinIn: SUI, coinOut: coins.reefSui });
}

/** The sender uses all adaptors for each of the wallets, `rounds` times over, a round in each transaction. */
export async function useAdaptors(
  sender: Account,
  core: Core,
  listings: Listings,
  { wallets, rounds, from }: { wallets: DemoWallet[]; rounds: number; from: number },
): Promise<void> {
  for (let round = from; round < from + rounds; round++) {
    await execute(sender, (tx) => {
      for (const { walletId } of wallets) useAll(tx, core, listings, walletId, round);
    });
  }
}

/** The owner brings a deposit and shares back into the wallet. */
export async function takeOut(wallet: DemoWallet, core: Core, listings: Listings): Promise<void> {
  const { walletId, owner } = wallet;
  await execute(owner, (tx) => {
    const name = `deposit ${agentRounds}`;
    call(tx, listings.savings, 'withdraw', { wallet: walletId, values: { name } });
    call(tx, listings.vault, 'withdraw', {
      ...{ wallet: walletId, amount: milliSui(10), minOut: milliSui(10) },
      ...{ coinIn: core.coins.reefSui, coinOut: SUI },
    });
  });
}

/** A delegate of the wallet tips. */
export async function tip(sender: Account, { walletId }: DemoWallet, { jar }: Listings): Promise<void> {
  await execute(sender, (tx) => call(tx, jar, 'tip', { wallet: walletId, amount: milliSui(25) }));
}
