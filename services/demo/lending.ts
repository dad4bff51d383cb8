import {
  adaptor,
  amount,
  type DemoAdaptor,
  minOut,
  type Op,
  op,
  read,
  shared,
  type Venue,
} from './publish.ts';
import type { Prices } from './trading.ts';

/** Lending to a pool whose share is a coin: both ways are swaps, of type arguments in their direction. */
function shareLending(poolId: string): Op[] {
  const move = (entry: string, label: string) =>
    op('lend', entry, label, ['coinIn', 'coinOut'], [shared(poolId), amount, minOut], 'D');
  return [move('deposit', 'Deposit'), move('withdraw', 'Withdraw')];
}

export const creditLending = ({ objectId, coins }: Venue<'asset' | 'share'>): DemoAdaptor =>
  adaptor('credit_lending', 'CreditLending', {
    name: 'Anchor Credit',
    category: 'Lend',
    summary: 'Lends dollars to credit lines at a rate that follows demand.',
    supportedCoins: [coins.asset, coins.share],
    integrator: 'anchor',
    ops: shareLending(objectId),
  });

export const flashLending = ({ objectId, coins }: Venue<'asset' | 'share'>): DemoAdaptor =>
  adaptor('flash_lending', 'FlashLending', {
    name: 'Reef Flash',
    category: 'Lend',
    summary: 'Lends SUI to flash loans; their fees raise the price of the share.',
    supportedCoins: [coins.asset, coins.share],
    integrator: 'reef',
    ops: shareLending(objectId),
  });

export const accountLending = ({ objectId, coins }: Venue<'asset' | 'collateral'>): DemoAdaptor =>
  adaptor('account_lending', 'AccountLending', {
    name: 'Anchor Market',
    category: 'Lend',
    summary: 'Supplies dollars to a market that lends them against SUI.',
    supportedCoins: [coins.asset],
    integrator: 'anchor',
    ops: [
      op('lend', 'open_account', 'Open an account', [], []),
      op('lend', 'deposit', 'Deposit', ['coinIn', coins.collateral], [shared(objectId), amount], 'A'),
      op('lend', 'withdraw', 'Withdraw', ['coinOut', coins.collateral], [shared(objectId), amount, minOut]),
    ],
  });

export const marketSupply = ({ objectId, coins }: Venue<'asset'>): DemoAdaptor =>
  adaptor('market_supply', 'MarketSupply', {
    name: 'Harbour Supply',
    category: 'Lend',
    summary: 'Supplies SUI to a market that pays rewards for it; nothing is lent.',
    supportedCoins: [coins.asset],
    integrator: 'harbour',
    ops: [
      op('lend', 'open_position', 'Open a position', [coins.asset], [read(objectId)]),
      op('lend', 'supply', 'Supply', ['coinIn'], [shared(objectId), amount], 'A'),
      op('lend', 'withdraw', 'Withdraw with rewards', ['coinOut'], [shared(objectId), amount, minOut]),
    ],
  });

export const stablecoinAccount = (
  { objectId, coins }: Venue<'collateral' | 'stablecoin'>,
  prices: Prices,
): DemoAdaptor => {
  const issuer = shared(objectId);
  const oracle = read(prices.objectId);
  const both = ['coinIn', 'coinOut'];
  return adaptor('stablecoin_account', 'StablecoinAccount', {
    name: 'Anchor Dollar',
    category: 'Lend',
    summary: 'Borrows Anchor Dollars against SUI, repays them, and saves them.',
    supportedCoins: [coins.collateral, coins.stablecoin],
    integrator: 'anchor',
    ops: [
      op('lend', 'open_account', 'Open an account', [], []),
      op('lend', 'borrow', 'Pledge and borrow', both, [issuer, oracle, amount, minOut], 'D'),
      op('lend', 'repay', 'Repay', ['coinIn', coins.collateral], [issuer, amount], 'A'),
      op('lend', 'repay_and_withdraw', 'Repay for collateral', both, [issuer, oracle, amount, minOut], 'D'),
      op(
        'lend',
        'withdraw_collateral',
        'Withdraw collateral',
        ['coinOut', coins.stablecoin],
        [issuer, oracle, amount],
      ),
      op('lend', 'save', 'Save', ['coinIn'], [issuer, amount], 'A'),
      op('lend', 'withdraw_savings', 'Withdraw savings', ['coinOut'], [issuer, amount, minOut]),
    ],
  });
};
