import type { Venue } from '../protocols/venue.ts';
import { adaptor, amount, clock, type DemoAdaptor, minOut, type Op, shared, wallet } from './adaptor.ts';

export const liquidStaking = ({ objectId, coins }: Venue<'asset' | 'share'>): DemoAdaptor => {
  const move = (entry: string, label: string, share: 'coinIn' | 'coinOut'): Op => ({
    ...{ kind: 'stake', entry, label, intentMode: 'D' },
    call: { typeArgs: [share], args: [wallet, shared(objectId), amount, minOut, clock] },
  });
  return adaptor('liquid_staking', 'LiquidStaking', {
    name: 'Tide Staking',
    category: 'Stake',
    summary: 'Stakes SUI for a share that rewards make dearer; leaving at once costs a fee.',
    supportedCoins: [coins.asset, coins.share],
    integrator: 'reef',
    ops: [move('stake', 'Stake', 'coinOut'), move('unstake', 'Unstake', 'coinIn')],
  });
};
