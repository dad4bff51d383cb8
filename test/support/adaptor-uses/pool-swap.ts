import { dollars } from '../../../services/demo/coins.ts';
import { type Case, overTheDelegatesBudget, sui } from './case.ts';

export const poolSwap: Case = {
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
      ...{ amount: dollars(37) + 1n, minOut: 1n, coinIn: 'dollar', coinOut: 'sui' },
    }),
  ],
};
