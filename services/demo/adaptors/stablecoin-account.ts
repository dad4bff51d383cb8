import type { Prices } from '../protocols/prices.ts';
import type { Venue } from '../protocols/venue.ts';
import { adaptor, amount, clock, type DemoAdaptor, minOut, read, shared, wallet } from './adaptor.ts';

export const stablecoinAccount = (
  { objectId, coins }: Venue<'collateral' | 'stablecoin'>,
  prices: Prices,
): DemoAdaptor => {
  const issuer = shared(objectId);
  const oracle = read(prices.objectId);
  return adaptor('stablecoin_account', 'StablecoinAccount', {
    name: 'Anchor Dollar',
    category: 'Lend',
    summary: 'Borrows Anchor Dollars against SUI, repays them, and saves them.',
    supportedCoins: [coins.collateral, coins.stablecoin],
    integrator: 'anchor',
    ops: [
      {
        ...{ kind: 'lend', entry: 'open_account', label: 'Open an account' },
        call: { typeArgs: [], args: [wallet, clock] },
      },
      {
        ...{ kind: 'lend', entry: 'borrow', label: 'Pledge and borrow', intentMode: 'D' },
        call: { typeArgs: ['coinIn', 'coinOut'], args: [wallet, issuer, oracle, amount, minOut, clock] },
      },
      {
        ...{ kind: 'lend', entry: 'repay', label: 'Repay', intentMode: 'A' },
        call: { typeArgs: ['coinIn', coins.collateral], args: [wallet, issuer, amount, clock] },
      },
      {
        ...{ kind: 'lend', entry: 'repay_and_withdraw', label: 'Repay for collateral', intentMode: 'D' },
        call: { typeArgs: ['coinIn', 'coinOut'], args: [wallet, issuer, oracle, amount, minOut, clock] },
      },
      {
        ...{ kind: 'lend', entry: 'withdraw_collateral', label: 'Withdraw collateral' },
        call: { typeArgs: ['coinOut', coins.stablecoin], args: [wallet, issuer, oracle, amount, clock] },
      },
      {
        ...{ kind: 'lend', entry: 'save', label: 'Save', intentMode: 'A' },
        call: { typeArgs: ['coinIn'], args: [wallet, issuer, amount, clock] },
      },
      {
        ...{ kind: 'lend', entry: 'withdraw_savings', label: 'Withdraw savings' },
        call: { typeArgs: ['coinOut'], args: [wallet, issuer, amount, minOut, clock] },
      },
    ],
  });
};
