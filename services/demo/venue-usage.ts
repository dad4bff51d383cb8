import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import type { Transaction } from '@mysten/sui/transactions';
import type { AdaptorName } from './adaptors/all.ts';
import { callOp, type OpUse } from './call-op.ts';
import { dollars, milliSui, SUI } from './coins.ts';
import type { Adaptors } from './deploy-adaptors.ts';
import type { Coins } from './issue-coins.ts';
import { addedLiquidity, tickAt } from './protocols/concentrated.ts';
import { price, tickSpacing } from './venues.ts';
import type { DemoWallet } from './wallets.ts';

/** Positions end at ticks around the price, one near and one far. */
const range = { lower: tickAt(price * 0.8, tickSpacing), upper: tickAt(price * 1.25, tickSpacing) };
const kept = 'around three dollars';
const given = 'for a moment';

interface Using {
  coins: Coins;
  adaptors: Adaptors;
}

type Call = (name: AdaptorName, entry: string, use?: OpUse) => void;

const callsFor =
  (tx: Transaction, adaptors: Adaptors, wallet: DemoWallet): Call =>
  (name, entry, use) =>
    callOp(tx, adaptors[name], entry, wallet, use);

/** Appends the opening of accounts and positions, and what goes into each venue. */
function goIn(call: Call, { types }: Coins): void {
  const { dollar, anchorUsd } = types;
  const sui = { amount: milliSui(1_000), minOut: milliSui(900), coinIn: SUI };
  call('flashLending', 'deposit', { ...sui, coinOut: types.flashSui });
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
  call('concentratedLiquidity', 'open', { takes, values: { name: kept, ...range, ...amounts } });
  call('concentratedLiquidity', 'open', { takes, values: { name: given, ...range, ...amounts } });
  call('concentratedLiquidity', 'add', { takes, values: { name: kept, ...amounts } });
  call('perpetualTrading', 'open_account');
  call('perpetualTrading', 'deposit_margin', { amount: dollars(20), coinIn: dollar });
  const order = { size: milliSui(5_000), limit: dollars(3.1), reduceOnly: false };
  call('perpetualTrading', 'order', { values: { long: true, ...order } });
}

/** Appends what comes out of each venue again, a part of what went in. `given`: the liquidity of a position to end. */
function comeOut(call: Call, { types }: Coins, liquidity: bigint): void {
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
  const all = { name: given, liquidity, minA: 1, minB: 1 };
  call('concentratedLiquidity', 'remove', { values: all });
  for (const name of [kept, given]) {
    call('concentratedLiquidity', 'collect_fees', { values: { name } });
    call('concentratedLiquidity', 'collect_reward', { values: { name } });
  }
  call('concentratedLiquidity', 'close', { values: { name: given } });
  const order = { size: milliSui(2_000), limit: dollars(2.9), reduceOnly: true };
  call('perpetualTrading', 'order', { values: { long: false, ...order } });
  call('perpetualTrading', 'withdraw_margin', { amount: dollars(5), coinOut: dollar });
}

/** Appends the end of a perpetual account. Its fees are a thousandth of the 15 dollars bought, and of those sold. */
function endAccount(call: Call, { types }: Coins): void {
  const order = { size: milliSui(3_000), limit: dollars(2.9), reduceOnly: true };
  call('perpetualTrading', 'order', { values: { long: false, ...order } });
  call('perpetualTrading', 'withdraw_margin', { amount: dollars(14.97), coinOut: types.dollar });
  call('perpetualTrading', 'close_account');
}

/** The sender takes the wallets' coins into every venue that keeps something for them, and a part back out. */
export async function useVenues(
  sender: Account,
  { coins, adaptors }: Using,
  { wallets, ending }: { wallets: DemoWallet[]; ending: DemoWallet },
): Promise<void> {
  for (const wallet of wallets) {
    const entered = await execute(sender, (tx) => goIn(callsFor(tx, adaptors, wallet), coins));
    const [, liquidity] = await addedLiquidity(sender, entered);
    await execute(sender, (tx) => {
      const call = callsFor(tx, adaptors, wallet);
      comeOut(call, coins, liquidity ?? 0n);
      if (wallet === ending) endAccount(call, coins);
    });
  }
}
