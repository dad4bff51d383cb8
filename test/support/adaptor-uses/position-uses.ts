import { type Executed, execute } from '@adaptor-marketplace/localnet/account';
import { dollars } from '../../../services/demo/publish.ts';
import { findTick, readAddedLiquidity, swapAToB } from '../../../services/demo/trading.ts';
import { price, tickSpacing } from '../../../services/demo/venues.ts';
import type { AdaptorNetwork } from '../adaptor-network.ts';
import { type Case, overTheDelegatesBudget, sui } from './case.ts';

export const accountLending: Case = {
  uses: [
    { entry: 'open_account', inputs: {}, changes: {} },
    {
      entry: 'deposit',
      inputs: { amount: dollars(20), coinIn: 'dollar' },
      changes: { dollar: -dollars(20) },
    },
    {
      entry: 'withdraw',
      inputs: { amount: dollars(5), minOut: dollars(5), coinOut: 'dollar' },
      changes: { dollar: dollars(5) },
    },
  ],
  refusals: [
    { entry: 'open_account', inputs: {}, abort: ['wallet', 20] },
    overTheDelegatesBudget('deposit', { amount: dollars(20) + 1n, coinIn: 'dollar' }),
    {
      entry: 'withdraw',
      inputs: { amount: dollars(50), minOut: dollars(16), coinOut: 'dollar' },
      abort: ['money_market', 0],
    },
  ],
};

export const marketSupply: Case = {
  uses: [
    { entry: 'open_position', inputs: {}, changes: {} },
    { entry: 'supply', inputs: { amount: sui(2), coinIn: 'sui' }, changes: { sui: -sui(2) } },
    // The reward covers the time by which the chain's clock has advanced meanwhile.
    {
      entry: 'withdraw',
      inputs: { amount: sui(1), minOut: sui(1), coinOut: 'sui' },
      changes: { sui: [sui(1), sui(21)] },
    },
  ],
  refusals: [
    overTheDelegatesBudget('supply', { amount: sui(2) + 1n, coinIn: 'sui' }),
    {
      entry: 'withdraw',
      inputs: { amount: sui(1), minOut: sui(30), coinOut: 'sui' },
      abort: ['supply_market', 5],
    },
  ],
};

export const stablecoinAccount: Case = {
  uses: [
    { entry: 'open_account', inputs: {}, changes: {} },
    {
      entry: 'borrow',
      inputs: { amount: sui(2), minOut: dollars(3), coinIn: 'sui', coinOut: 'anchorUsd' },
      changes: { sui: -sui(2), anchorUsd: dollars(3) },
    },
    {
      entry: 'save',
      inputs: { amount: dollars(1), coinIn: 'anchorUsd' },
      changes: { anchorUsd: -dollars(1) },
    },
    {
      entry: 'withdraw_savings',
      inputs: { amount: dollars(0.5), minOut: dollars(0.5), coinOut: 'anchorUsd' },
      changes: { anchorUsd: dollars(0.5) },
    },
    {
      entry: 'repay',
      inputs: { amount: dollars(1), coinIn: 'anchorUsd' },
      changes: { anchorUsd: -dollars(1) },
    },
    {
      entry: 'repay_and_withdraw',
      inputs: { amount: dollars(0.5), minOut: sui(0.25), coinIn: 'anchorUsd', coinOut: 'sui' },
      changes: { anchorUsd: -dollars(0.5), sui: sui(0.25) },
    },
    {
      entry: 'withdraw_collateral',
      inputs: { amount: sui(0.5), coinOut: 'sui' },
      changes: { sui: sui(0.5) },
    },
  ],
  refusals: [
    {
      entry: 'borrow',
      inputs: { amount: sui(1), minOut: dollars(4), coinIn: 'sui', coinOut: 'anchorUsd' },
      abort: ['stablecoin', 6],
    },
    {
      entry: 'withdraw_collateral',
      inputs: { amount: sui(1.2), coinOut: 'sui' },
      abort: ['stablecoin', 6],
    },
    {
      entry: 'withdraw_savings',
      inputs: { amount: dollars(1), minOut: dollars(1), coinOut: 'anchorUsd' },
      abort: ['stablecoin', 10],
    },
    overTheDelegatesBudget('borrow', {
      amount: sui(2) + 1n,
      minOut: 1n,
      coinIn: 'sui',
      coinOut: 'anchorUsd',
    }),
  ],
};

export const perpetualTrading: Case = {
  uses: [
    { entry: 'open_account', inputs: {}, changes: {} },
    {
      entry: 'deposit_margin',
      inputs: { amount: dollars(20), coinIn: 'dollar' },
      changes: { dollar: -dollars(20) },
    },
    {
      entry: 'order',
      inputs: { values: { long: true, size: sui(5), limit: dollars(3), reduceOnly: false } },
      changes: {},
    },
    {
      entry: 'order',
      inputs: { values: { long: false, size: sui(9), limit: dollars(3), reduceOnly: true } },
      changes: {},
    },
    // Everything comes back, except two fees of a thousandth of 15 dollars.
    {
      entry: 'withdraw_margin',
      inputs: { amount: dollars(19.97), coinOut: 'dollar' },
      changes: { dollar: dollars(19.97) },
    },
    { entry: 'close_account', inputs: {}, changes: {} },
    { entry: 'open_account', inputs: {}, changes: {} },
    {
      entry: 'deposit_margin',
      inputs: { amount: dollars(1), coinIn: 'dollar' },
      changes: { dollar: -dollars(1) },
    },
  ],
  refusals: [
    overTheDelegatesBudget('deposit_margin', { amount: dollars(19) + 1n, coinIn: 'dollar' }),
    {
      entry: 'order',
      inputs: { values: { long: true, size: sui(1), limit: dollars(3) - 1n, reduceOnly: false } },
      abort: ['perpetuals', 3],
    },
    {
      entry: 'order',
      inputs: { values: { long: true, size: sui(100), limit: dollars(3), reduceOnly: false } },
      abort: ['perpetuals', 5],
    },
    {
      entry: 'withdraw_margin',
      inputs: { amount: dollars(1) + 1n, coinOut: 'dollar' },
      abort: ['perpetuals', 5],
    },
    { entry: 'close_account', inputs: {}, abort: ['perpetuals', 7] },
  ],
};

const position = { name: 'around the price' };
const range = { lower: findTick(price * 0.8, tickSpacing), upper: findTick(price * 1.25, tickSpacing) };
const liquidity = { amountA: sui(1), amountB: dollars(3), minLiquidity: 1 };
/** Liquidity of the position, including all additions. */
let all = 0n;
const count = async ({ keeper }: AdaptorNetwork, executed: Executed) => {
  for (const added of await readAddedLiquidity(keeper, executed)) all += added;
};
const trade = async ({ keeper, venues }: AdaptorNetwork) => {
  await execute(keeper, (tx) => {
    const coin = tx.splitCoins(tx.gas, [sui(1)]);
    swapAToB(tx, venues.concentratedPool, { coin, recipient: keeper.address });
  });
};

export const concentratedLiquidity: Case = {
  uses: [
    {
      entry: 'open',
      inputs: { values: { ...position, ...range, ...liquidity } },
      changes: { sui: [-sui(1), -sui(0.5)], dollar: [-dollars(3), -dollars(1.5)] },
      afterwards: count,
    },
    {
      entry: 'add',
      inputs: { values: { ...position, ...liquidity } },
      changes: { sui: [-sui(1), -sui(0.5)], dollar: [-dollars(3), -dollars(1.5)] },
      afterwards: async (network, executed) => {
        await count(network, executed);
        await trade(network);
      },
    },
    {
      entry: 'remove',
      inputs: {
        values: {
          ...position,
          minA: sui(1),
          minB: dollars(3),
          get liquidity() {
            return all;
          },
        },
      },
      // The trade left more of one coin and less of the other in the range.
      changes: { sui: [sui(1), sui(2.5)], dollar: [dollars(3), dollars(6)] },
    },
    // The fee is three thousandths of the traded amount, for this position's share of the liquidity.
    { entry: 'collect_fees', inputs: { values: position }, changes: { sui: [1n, sui(0.003)] } },
    // The reward grows with time, and some milliseconds may be too few for one base unit.
    { entry: 'collect_reward', inputs: { values: position }, changes: { dollar: [0n, dollars(1_000)] } },
    { entry: 'close', inputs: { values: position }, changes: {} },
  ],
  refusals: [
    {
      entry: 'open',
      inputs: { values: { name: 'dear', ...range, ...liquidity, minLiquidity: 10n ** 15n } },
      abort: ['concentrated_liquidity', 2],
    },
    {
      entry: 'open',
      inputs: {
        values: { name: 'large', ...range, amountA: sui(4), amountB: dollars(100), minLiquidity: 1 },
      },
      abort: ['delegate', 8],
    },
    { entry: 'collect_fees', inputs: { values: position }, abort: ['wallet', 21] },
  ],
};
