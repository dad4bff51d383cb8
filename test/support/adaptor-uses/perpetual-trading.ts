import { dollars } from '../../../services/demo/coins.ts';
import { type Case, overTheDelegatesBudget, sui } from './case.ts';

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
    // All but two fees of a thousandth of 15 dollars.
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
