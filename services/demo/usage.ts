import {
  appendAction,
  appendOp,
  type CoinAmount,
  type OpInputs,
} from '@adaptor-marketplace/adaptor/transactions';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import type { AdaptorName, Adaptors, ListedAdaptor } from './deploy.ts';
import { type Coins, dollars, milliSui, SUI } from './publish.ts';
import { findTick, readAddedLiquidity } from './trading.ts';
import { price, tickSpacing } from './venues.ts';
import type { DemoWallet } from './wallets.ts';

/** Inputs of an op call, beside the wallet. */
interface OpUse extends Omit<OpInputs, 'wallet'> {
  /** Coins that may leave the wallet, for an op whose coins are not those of `amount`. */
  takes?: CoinAmount[];
}

/**
 * Appends the call of an adaptor's op as its manifest describes it, within bounds that the wallet enforces: `amount` of
 * `coinIn`, or of SUI if the op's code fixes the coin, and `minOut` of `coinOut`.
 */
function callOp(
  tx: Transaction,
  { manifest, packageId, serviceType }: ListedAdaptor,
  entry: string,
  { walletId: wallet, target }: DemoWallet,
  { takes, ...inputs }: OpUse = {},
): void {
  const op = manifest.ops.find((one) => one.entry === entry);
  if (!op) throw new Error(`${manifest.name} has no op ${entry}`);
  const { amount = 0n, minOut = 0n, coinIn = SUI, coinOut } = inputs;
  const pays = op.intentMode !== undefined;
  const bounds = {
    service: serviceType,
    takes: takes ?? (pays ? [{ coinType: coinIn, amount }] : []),
    brings: coinOut === undefined ? [] : [{ coinType: coinOut, amount: minOut }],
  };
  appendAction(tx, target, bounds, () => {
    appendOp(tx, packageId, op, { wallet, ...inputs });
  });
}

/** Rounds in which the agent uses all adaptors for all wallets that it may spend from. */
export const agentRounds = 1;
/** Rounds of each owner, for its own wallet. */
export const ownerRounds = 1;

/** A use of an adaptor for a wallet. `seed` varies amounts and direction, and `name` that of a deposit. */
interface OneUse {
  coins: Coins;
  adaptors: Adaptors;
  wallet: DemoWallet;
  seed: number;
  name: string;
}

export type Use = (tx: Transaction, use: OneUse) => void;

const pickAmount = (seed: number) => milliSui(20 + ((seed * 7) % 30));

export const appendTip: Use = (tx, { adaptors, wallet, seed }) =>
  callOp(tx, adaptors.tipJar, 'tip', wallet, { amount: pickAmount(seed) / 10n });

export const appendDeposit: Use = (tx, { adaptors, wallet, seed, name }) =>
  callOp(tx, adaptors.termSavings, 'deposit', wallet, { amount: pickAmount(seed), values: { name } });

/** Appends a swap. The pool opens at three dollars a SUI: a trade for less than nine tenths of that is refused. */
export const appendSwap: Use = (tx, { coins: { types }, adaptors, wallet, seed }) => {
  if (seed % 2 === 0) {
    const amount = pickAmount(seed);
    const minOut = ((amount / 1_000n) * 27n) / 10n;
    const sold = { amount, minOut, coinIn: SUI, coinOut: types.dollar };
    return callOp(tx, adaptors.poolSwap, 'swap_a_to_b', wallet, sold);
  }
  const amount = dollars(1) / 10n;
  const minOut = (amount * 1_000n * 9n) / 30n;
  callOp(tx, adaptors.poolSwap, 'swap_b_to_a', wallet, {
    amount,
    minOut,
    coinIn: types.dollar,
    coinOut: SUI,
  });
};

export const appendStake: Use = (tx, { coins: { types }, adaptors, wallet, seed }) => {
  const amount = pickAmount(seed);
  const staked = { amount, minOut: amount / 2n, coinIn: SUI, coinOut: types.reefSui };
  callOp(tx, adaptors.shareVault, 'deposit', wallet, staked);
};

/** The sender uses all adaptors for each of the wallets, `rounds` times over, a round in each transaction. */
export async function useAdaptors(
  sender: Account,
  coins: Coins,
  adaptors: Adaptors,
  { wallets, rounds, from }: { wallets: DemoWallet[]; rounds: number; from: number },
): Promise<void> {
  for (let round = from; round < from + rounds; round++) {
    await execute(sender, (tx) => {
      for (const wallet of wallets) {
        const use = { coins, adaptors, wallet, seed: round, name: `deposit ${round}` };
        for (const append of [appendTip, appendDeposit, appendSwap, appendStake]) append(tx, use);
      }
    });
  }
}

/** The owner brings a deposit and shares back into the wallet. */
export async function takeOut(wallet: DemoWallet, { types }: Coins, adaptors: Adaptors): Promise<void> {
  await execute(wallet.owner, (tx) => {
    const name = `deposit ${agentRounds}`;
    callOp(tx, adaptors.termSavings, 'withdraw', wallet, { values: { name } });
    callOp(tx, adaptors.shareVault, 'withdraw', wallet, {
      amount: milliSui(10),
      minOut: milliSui(10),
      coinIn: types.reefSui,
      coinOut: SUI,
    });
  });
}

export async function tip(sender: Account, wallet: DemoWallet, { tipJar }: Adaptors): Promise<void> {
  await execute(sender, (tx) => callOp(tx, tipJar, 'tip', wallet, { amount: milliSui(25) }));
}

/** Positions end at ticks around the price, one near and one far. */
const range = { lower: findTick(price * 0.8, tickSpacing), upper: findTick(price * 1.25, tickSpacing) };
const lasting = 'around three dollars';
const shortLived = 'for a moment';

type Call = (name: AdaptorName, entry: string, use?: OpUse) => void;

const bindCalls =
  (tx: Transaction, adaptors: Adaptors, wallet: DemoWallet): Call =>
  (name, entry, use) =>
    callOp(tx, adaptors[name], entry, wallet, use);

/** Appends the opening of accounts and positions, and what goes into each venue. */
function appendDeposits(call: Call, { types }: Coins): void {
  const { dollar, anchorUsd } = types;
  const sui = { amount: milliSui(1_000), minOut: milliSui(900), coinIn: SUI };
  call('flashLending', 'deposit', { ...sui, coinOut: types.flashSui });
  const relayed = { amount: milliSui(100), minOut: dollars(0.25), coinIn: SUI, coinOut: dollar };
  call('relaySwap', 'begin', relayed);
  call('liquidStaking', 'stake', { ...sui, coinOut: types.tideSui });
  const usd = { amount: dollars(20), minOut: dollars(19), coinIn: dollar };
  call('creditLending', 'deposit', { ...usd, coinOut: types.creditUsd });
  call('accountLending', 'open_account');
  call('accountLending', 'deposit', usd);
  call('marketSupply', 'open_position');
  call('marketSupply', 'supply', sui);
  call('stablecoinAccount', 'open_account');
  const loan = { amount: milliSui(2_000), minOut: dollars(3), coinIn: SUI, coinOut: anchorUsd };
  call('stablecoinAccount', 'borrow', loan);
  call('stablecoinAccount', 'save', { amount: dollars(1), coinIn: anchorUsd });
  const amounts = { amountA: milliSui(500), amountB: dollars(2), minLiquidity: 1 };
  const takes = [
    { coinType: SUI, amount: amounts.amountA },
    { coinType: dollar, amount: amounts.amountB },
  ];
  call('concentratedLiquidity', 'open', { takes, values: { name: lasting, ...range, ...amounts } });
  call('concentratedLiquidity', 'open', { takes, values: { name: shortLived, ...range, ...amounts } });
  call('concentratedLiquidity', 'add', { takes, values: { name: lasting, ...amounts } });
  call('perpetualTrading', 'open_account');
  call('perpetualTrading', 'deposit_margin', { amount: dollars(20), coinIn: dollar });
  const order = { size: milliSui(5_000), limit: dollars(3.1), reduceOnly: false };
  call('perpetualTrading', 'order', { values: { long: true, ...order } });
}

/** Appends what comes out of each venue again, a part of what went in. `liquidity` is that of a position to close. */
function appendWithdrawals(call: Call, { types }: Coins, liquidity: bigint): void {
  const { dollar, anchorUsd } = types;
  const sui = { amount: milliSui(300), minOut: milliSui(290), coinOut: SUI };
  call('flashLending', 'withdraw', { ...sui, coinIn: types.flashSui });
  call('liquidStaking', 'unstake', { ...sui, coinIn: types.tideSui });
  const usd = { amount: dollars(5), minOut: dollars(4.9), coinOut: dollar };
  call('creditLending', 'withdraw', { ...usd, coinIn: types.creditUsd });
  call('accountLending', 'withdraw', usd);
  call('marketSupply', 'withdraw', sui);
  const savings = { amount: dollars(0.5), minOut: dollars(0.4), coinOut: anchorUsd };
  call('stablecoinAccount', 'withdraw_savings', savings);
  call('stablecoinAccount', 'repay', { amount: dollars(0.5), coinIn: anchorUsd });
  const back = { amount: dollars(0.5), minOut: milliSui(200), coinIn: anchorUsd, coinOut: SUI };
  call('stablecoinAccount', 'repay_and_withdraw', back);
  call('stablecoinAccount', 'withdraw_collateral', { amount: milliSui(100), coinOut: SUI });
  const all = { name: shortLived, liquidity, minA: 1, minB: 1 };
  call('concentratedLiquidity', 'remove', { values: all });
  for (const name of [lasting, shortLived]) {
    call('concentratedLiquidity', 'collect_fees', { values: { name } });
    call('concentratedLiquidity', 'collect_reward', { values: { name } });
  }
  call('concentratedLiquidity', 'close', { values: { name: shortLived } });
  const order = { size: milliSui(2_000), limit: dollars(2.9), reduceOnly: true };
  call('perpetualTrading', 'order', { values: { long: false, ...order } });
  call('perpetualTrading', 'withdraw_margin', { amount: dollars(5), coinOut: dollar });
}

/** Appends the end of a perpetual account. Its fees are a thousandth of the 15 dollars bought, and of those sold. */
function appendAccountEnd(call: Call, { types }: Coins): void {
  const order = { size: milliSui(3_000), limit: dollars(2.9), reduceOnly: true };
  call('perpetualTrading', 'order', { values: { long: false, ...order } });
  call('perpetualTrading', 'withdraw_margin', { amount: dollars(14.97), coinOut: types.dollar });
  call('perpetualTrading', 'close_account');
}

/**
 * The sender takes the wallets' coins into every venue that holds something for them, and a part back out.
 * @param pass lets time pass on chain, in which positions earn something to collect
 */
export async function useVenues(
  sender: Account,
  { coins, adaptors }: { coins: Coins; adaptors: Adaptors },
  { wallets, ending, pass }: { wallets: readonly DemoWallet[]; ending: DemoWallet; pass(): void },
): Promise<void> {
  const positions = new Map<DemoWallet, bigint>();
  for (const wallet of wallets) {
    const entered = await execute(sender, (tx) => appendDeposits(bindCalls(tx, adaptors, wallet), coins));
    const [, liquidity] = await readAddedLiquidity(sender, entered);
    positions.set(wallet, liquidity ?? 0n);
  }
  pass();
  for (const [wallet, liquidity] of positions) {
    await execute(sender, (tx) => {
      const call = bindCalls(tx, adaptors, wallet);
      appendWithdrawals(call, coins, liquidity);
      if (wallet === ending) appendAccountEnd(call, coins);
    });
  }
}
