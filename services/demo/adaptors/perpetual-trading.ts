import type { Prices } from '../protocols/prices.ts';
import type { Venue } from '../protocols/venue.ts';
import { adaptor, amount, asked, clock, type DemoAdaptor, read, shared, wallet } from './adaptor.ts';

export const perpetualTrading = (
  { objectId, coins: { base, quote } }: Venue<'base' | 'quote'>,
  prices: Prices,
): DemoAdaptor => {
  const market = shared(objectId);
  const oracle = read(prices.objectId);
  const order = [
    asked('long', 'bool'),
    asked('size', 'u64'),
    asked('limit', 'u64'),
    asked('reduceOnly', 'bool'),
  ];
  return adaptor('perpetual_trading', 'PerpetualTrading', {
    name: 'Lagoon Perpetuals',
    category: 'Trading',
    summary: 'Trades positions in the price of SUI on a margin of Harbour Dollars.',
    supportedCoins: [quote],
    integrator: 'lagoon',
    ops: [
      {
        ...{ kind: 'custom', entry: 'open_account', label: 'Open an account' },
        call: { typeArgs: [base, quote], args: [wallet, market, clock] },
      },
      {
        ...{ kind: 'custom', entry: 'deposit_margin', label: 'Deposit margin', intentMode: 'A' },
        call: { typeArgs: [base, 'coinIn'], args: [wallet, market, amount, clock] },
      },
      {
        ...{ kind: 'custom', entry: 'withdraw_margin', label: 'Withdraw margin' },
        call: { typeArgs: [base, 'coinOut'], args: [wallet, market, oracle, amount, clock] },
      },
      {
        ...{ kind: 'custom', entry: 'order', label: 'Buy or sell' },
        call: { typeArgs: [base, quote], args: [wallet, market, oracle, ...order, clock] },
      },
      {
        ...{ kind: 'custom', entry: 'close_account', label: 'Close the account' },
        call: { typeArgs: [base, quote], args: [wallet, market, clock] },
      },
    ],
  });
};
