import { type Case, overTheDelegatesBudget, overTheServicesGrant, sui } from './case.ts';

export const tipJar: Case = {
  uses: [{ entry: 'tip', inputs: { amount: sui(1) }, changes: { sui: -sui(1) } }],
  refusals: [
    overTheDelegatesBudget('tip', { amount: sui(3) + 1n }),
    overTheServicesGrant('tip', { amount: sui(4) + 1n }),
  ],
};

export const termSavings: Case = {
  uses: [
    {
      entry: 'deposit',
      inputs: { amount: sui(2), values: { name: 'rent' } },
      changes: { sui: -sui(2) },
    },
    // Before the term is over: the principal alone.
    { entry: 'withdraw', inputs: { values: { name: 'rent' } }, changes: { sui: sui(2) } },
  ],
  refusals: [
    overTheDelegatesBudget('deposit', { amount: sui(2) + 1n, values: { name: 'more' } }),
    { entry: 'withdraw', inputs: { values: { name: 'nothing' } }, abort: ['wallet', 21] },
  ],
};
