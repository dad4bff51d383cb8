import { dollars } from '../../../services/demo/coins.ts';
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
    // The reward is for the time that the chain's clock went on meanwhile.
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
      ...{ amount: sui(2) + 1n, minOut: 1n, coinIn: 'sui', coinOut: 'anchorUsd' },
    }),
  ],
};
