import type { Venue } from '../protocols/venue.ts';
import { adaptor, amount, clock, type DemoAdaptor, minOut, shared, wallet } from './adaptor.ts';

export const accountLending = ({ objectId, coins }: Venue<'asset' | 'collateral'>): DemoAdaptor =>
  adaptor('account_lending', 'AccountLending', {
    name: 'Anchor Market',
    category: 'Lend',
    summary: 'Supplies dollars to a market that lends them against SUI.',
    supportedCoins: [coins.asset],
    integrator: 'anchor',
    ops: [
      {
        ...{ kind: 'lend', entry: 'open_account', label: 'Open an account' },
        call: { typeArgs: [], args: [wallet, clock] },
      },
      {
        ...{ kind: 'lend', entry: 'deposit', label: 'Deposit', intentMode: 'A' },
        call: { typeArgs: ['coinIn', coins.collateral], args: [wallet, shared(objectId), amount, clock] },
      },
      {
        ...{ kind: 'lend', entry: 'withdraw', label: 'Withdraw' },
        call: {
          typeArgs: ['coinOut', coins.collateral],
          args: [wallet, shared(objectId), amount, minOut, clock],
        },
      },
    ],
  });
