import type { Venue } from '../protocols/venue.ts';
import { adaptor, amount, clock, type DemoAdaptor, minOut, type Op, shared, wallet } from './adaptor.ts';

export const shareVault = ({ objectId, coins }: Venue<'asset' | 'share'>): DemoAdaptor => {
  const move = (entry: string, label: string, typeArgs: ('coinIn' | 'coinOut')[]): Op => ({
    ...{ kind: 'stake', entry, label, intentMode: 'D' },
    call: { typeArgs, args: [wallet, shared(objectId), amount, minOut, clock] },
  });
  return adaptor('share_vault', 'ShareVault', {
    name: 'Reef Vault',
    category: 'Stake',
    summary:
      'Deposits into a vault are shares of what it holds; yield raises their price. Withdraw at any time.',
    supportedCoins: [coins.asset, coins.share],
    integrator: 'reef',
    ops: [
      move('deposit', 'Deposit', ['coinIn', 'coinOut']),
      move('withdraw', 'Withdraw', ['coinOut', 'coinIn']),
    ],
  });
};
