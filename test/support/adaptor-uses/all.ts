import type { AdaptorName } from '../../../services/demo/deploy.ts';
import { dollars } from '../../../services/demo/publish.ts';
import { type Case, type Coin, overTheDelegatesBudget, overTheServicesGrant, sui } from './case.ts';
import {
  accountLending,
  concentratedLiquidity,
  marketSupply,
  perpetualTrading,
  stablecoinAccount,
} from './position-uses.ts';

const tipJar: Case = {
  uses: [{ entry: 'tip', inputs: { amount: sui(1) }, changes: { sui: -sui(1) } }],
  refusals: [
    overTheDelegatesBudget('tip', { amount: sui(3) + 1n }),
    overTheServicesGrant('tip', { amount: sui(4) + 1n }),
  ],
};

const termSavings: Case = {
  uses: [
    {
      entry: 'deposit',
      inputs: { amount: sui(2), values: { name: 'rent' } },
      changes: { sui: -sui(2) },
    },
    // The term is not over: the withdrawal returns the principal alone.
    { entry: 'withdraw', inputs: { values: { name: 'rent' } }, changes: { sui: sui(2) } },
  ],
  refusals: [
    overTheDelegatesBudget('deposit', { amount: sui(2) + 1n, values: { name: 'more' } }),
    { entry: 'withdraw', inputs: { values: { name: 'nothing' } }, abort: ['wallet', 21] },
  ],
};

const poolSwap: Case = {
  uses: [
    {
      entry: 'swap_a_to_b',
      inputs: { amount: sui(1), minOut: dollars(2.9), coinIn: 'sui', coinOut: 'dollar' },
      changes: { sui: -sui(1), dollar: [dollars(2.9), dollars(3)] },
    },
    {
      entry: 'swap_b_to_a',
      inputs: { amount: dollars(3), minOut: sui(0.9), coinIn: 'dollar', coinOut: 'sui' },
      changes: { dollar: -dollars(3), sui: [sui(0.9), sui(1)] },
    },
  ],
  refusals: [
    {
      entry: 'swap_a_to_b',
      inputs: { amount: sui(1), minOut: dollars(3), coinIn: 'sui', coinOut: 'dollar' },
      abort: ['pool', 0],
    },
    overTheDelegatesBudget('swap_b_to_a', {
      amount: dollars(37) + 1n,
      minOut: 1n,
      coinIn: 'dollar',
      coinOut: 'sui',
    }),
  ],
};

const relaySwap: Case = {
  uses: [
    {
      entry: 'begin',
      inputs: { amount: sui(1), minOut: dollars(2.9), coinIn: 'sui', coinOut: 'dollar' },
      changes: { sui: -sui(1), dollar: [dollars(2.9), dollars(3)] },
    },
  ],
  refusals: [
    {
      entry: 'begin',
      inputs: { amount: sui(1), minOut: dollars(3), coinIn: 'sui', coinOut: 'dollar' },
      abort: ['pool', 0],
    },
    overTheDelegatesBudget('begin', {
      amount: sui(3) + 1n,
      minOut: 1n,
      coinIn: 'sui',
      coinOut: 'dollar',
    }),
  ],
};

/** Uses that enter and leave a venue whose share is a coin. The shares have earned nothing yet. */
function shares(
  ways: { in: string; out: string },
  coins: { asset: Coin; share: Coin },
  one: bigint,
  protocol: string,
): Case {
  const deposit = { amount: 2n * one, minOut: 2n * one, coinIn: coins.asset, coinOut: coins.share };
  const withdraw = { amount: one, minOut: one, coinIn: coins.share, coinOut: coins.asset };
  return {
    uses: [
      { entry: ways.in, inputs: deposit, changes: { [coins.asset]: -2n * one, [coins.share]: 2n * one } },
      { entry: ways.out, inputs: withdraw, changes: { [coins.asset]: one, [coins.share]: -one } },
    ],
    refusals: [
      { entry: ways.in, inputs: { ...deposit, amount: one, minOut: one + 1n }, abort: [protocol, 0] },
      { entry: ways.out, inputs: { ...withdraw, minOut: one + 1n }, abort: [protocol, 0] },
    ],
  };
}

const shareVault = shares(
  { in: 'deposit', out: 'withdraw' },
  { asset: 'sui', share: 'reefSui' },
  sui(1),
  'vault',
);

const flashLending = shares(
  { in: 'deposit', out: 'withdraw' },
  { asset: 'sui', share: 'flashSui' },
  sui(1),
  'flash_pool',
);

const creditLending = shares(
  { in: 'deposit', out: 'withdraw' },
  { asset: 'dollar', share: 'creditUsd' },
  dollars(10),
  'credit_pool',
);

const liquidStaking: Case = {
  uses: [
    // A share costs 1.004 SUI after the first reward. Leaving costs half a percent.
    {
      entry: 'stake',
      inputs: { amount: sui(2), minOut: sui(1.99), coinIn: 'sui', coinOut: 'tideSui' },
      changes: { sui: -sui(2), tideSui: [sui(1.99), sui(1.993)] },
    },
    {
      entry: 'unstake',
      inputs: { amount: sui(1), minOut: sui(0.998), coinIn: 'tideSui', coinOut: 'sui' },
      changes: { tideSui: -sui(1), sui: [sui(0.998), sui(0.999)] },
    },
  ],
  refusals: [
    {
      entry: 'stake',
      inputs: { amount: sui(1), minOut: sui(1), coinIn: 'sui', coinOut: 'tideSui' },
      abort: ['liquid_stake', 0],
    },
    {
      entry: 'unstake',
      inputs: { amount: sui(0.5), minOut: sui(0.5), coinIn: 'tideSui', coinOut: 'sui' },
      abort: ['liquid_stake', 0],
    },
  ],
};

/**
 * The uses of each adaptor by a delegate, in order, and the calls that the chain refuses afterwards. The wallet has 10
 * SUI and 100 dollars. The service has grants of 5 SUI and 50 dollars, and the delegate has budgets of 4 SUI and 40
 * dollars. Grants and budgets of all other coins are unlimited.
 */
export const cases: Record<AdaptorName, Case> = {
  tipJar,
  termSavings,
  poolSwap,
  relaySwap,
  shareVault,
  flashLending,
  creditLending,
  accountLending,
  marketSupply,
  stablecoinAccount,
  liquidStaking,
  concentratedLiquidity,
  perpetualTrading,
};
