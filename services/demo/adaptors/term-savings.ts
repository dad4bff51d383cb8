import type { Venue } from '../protocols/venue.ts';
import { adaptor, amount, asked, clock, type DemoAdaptor, shared, wallet } from './adaptor.ts';

const name = asked('name', '0x1::string::String');

export const termSavings = ({ objectId, coins }: Venue<'asset'>): DemoAdaptor =>
  adaptor('term_savings', 'TermSavings', {
    name: 'Term Savings',
    category: 'Lend',
    summary: 'Deposits for a term at a rate that is set aside on the day of the deposit.',
    supportedCoins: [coins.asset],
    integrator: 'harbour',
    ops: [
      {
        ...{ kind: 'lend', entry: 'deposit', label: 'Deposit', intentMode: 'A' },
        call: { typeArgs: [], args: [wallet, shared(objectId), amount, name, clock] },
      },
      {
        ...{ kind: 'lend', entry: 'withdraw', label: 'Withdraw with interest' },
        call: { typeArgs: [], args: [wallet, shared(objectId), name, clock] },
      },
    ],
  });
