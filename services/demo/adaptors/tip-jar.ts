import type { Venue } from '../protocols/venue.ts';
import { adaptor, amount, clock, type DemoAdaptor, shared, wallet } from './adaptor.ts';

export const tipJar = ({ objectId, coins }: Venue<'asset'>): DemoAdaptor =>
  adaptor('tip_jar', 'TipJar', {
    name: 'Tip Jar',
    category: 'Other',
    summary: 'A jar that anyone tips from a wallet and only its owner empties.',
    supportedCoins: [coins.asset],
    feeBps: 0,
    integrator: 'harbour',
    ops: [
      {
        ...{ kind: 'pay', entry: 'tip', label: 'Tip', intentMode: 'A' },
        call: { typeArgs: [], args: [wallet, shared(objectId), amount, clock] },
      },
      { kind: 'custom', entry: 'empty', label: 'Empty your jar' },
    ],
  });
