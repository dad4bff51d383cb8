import { amount, clock, minOut, type Op, shared, wallet } from './adaptor.ts';

/** Lending to a pool whose share is a coin: both ways are swaps, of type arguments in their direction. */
export function shareLending(poolId: string): Op[] {
  const move = (entry: string, label: string): Op => ({
    ...{ kind: 'lend', entry, label, intentMode: 'D' },
    call: { typeArgs: ['coinIn', 'coinOut'], args: [wallet, shared(poolId), amount, minOut, clock] },
  });
  return [move('deposit', 'Deposit'), move('withdraw', 'Withdraw')];
}
