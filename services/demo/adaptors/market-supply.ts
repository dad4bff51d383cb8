import type { Venue } from '../protocols/venue.ts';
import { adaptor, amount, clock, type DemoAdaptor, minOut, read, shared, wallet } from './adaptor.ts';

export const marketSupply = ({ objectId, coins }: Venue<'asset'>): DemoAdaptor =>
  adaptor('market_supply', 'MarketSupply', {
    name: 'Harbour Supply',
    category: 'Lend',
    summary: 'Supplies SUI to a market that pays rewards for it; nothing is lent.',
    supportedCoins: [coins.asset],
    integrator: 'harbour',
    ops: [
      {
        ...{ kind: 'lend', entry: 'open_position', label: 'Open a position' },
        call: { typeArgs: [coins.asset], args: [wallet, read(objectId), clock] },
      },
      {
        ...{ kind: 'lend', entry: 'supply', label: 'Supply', intentMode: 'A' },
        call: { typeArgs: ['coinIn'], args: [wallet, shared(objectId), amount, clock] },
      },
      {
        ...{ kind: 'lend', entry: 'withdraw', label: 'Withdraw with rewards' },
        call: { typeArgs: ['coinOut'], args: [wallet, shared(objectId), amount, minOut, clock] },
      },
    ],
  });
