import type { Venue } from '../protocols/venue.ts';
import { adaptor, amount, clock, type DemoAdaptor, minOut, type Op, shared, wallet } from './adaptor.ts';

export const poolSwap = ({ objectId, coins }: Venue<'a' | 'b'>): DemoAdaptor => {
  const swap = (entry: string, label: string, typeArgs: ('coinIn' | 'coinOut')[]): Op => ({
    ...{ kind: 'swap', entry, label, intentMode: 'D' },
    call: { typeArgs, args: [wallet, shared(objectId), amount, minOut, clock] },
  });
  return adaptor('pool_swap', 'PoolSwap', {
    name: 'Lagoon Swap',
    category: 'Swap',
    summary: 'Swaps SUI and Harbour Dollars in a pool at a constant product.',
    supportedCoins: [coins.a, coins.b],
    feeBps: 30,
    integrator: 'lagoon',
    ops: [
      swap('swap_a_to_b', 'Swap SUI to dollars', ['coinIn', 'coinOut']),
      swap('swap_b_to_a', 'Swap dollars to SUI', ['coinOut', 'coinIn']),
    ],
  });
};
