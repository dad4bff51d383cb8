import { dollars } from '../../../services/demo/coins.ts';
import { type Case, type Coin, sui } from './case.ts';

/** Ways in and out of a venue whose share is a coin, at the price of shares that nobody has earned on yet. */
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

export const shareVault = shares(
  { in: 'deposit', out: 'withdraw' },
  { asset: 'sui', share: 'reefSui' },
  sui(1),
  'vault',
);

export const flashLending = shares(
  { in: 'deposit', out: 'withdraw' },
  { asset: 'sui', share: 'flashSui' },
  sui(1),
  'flash_pool',
);

export const creditLending = shares(
  { in: 'deposit', out: 'withdraw' },
  { asset: 'dollar', share: 'creditUsd' },
  dollars(10),
  'credit_pool',
);

export const liquidStaking: Case = {
  uses: [
    // A share costs 1.004 SUI after the first reward; leaving costs half a percent.
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
