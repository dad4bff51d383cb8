import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import {
  adaptor,
  amount,
  clock,
  type DemoAdaptor,
  minOut,
  type Op,
  type PendingVenue,
  read,
  shared,
  type Venue,
  wallet,
} from './publish.ts';
import type { Prices } from './trading.ts';

/**
 * Appends a pool of credit lines, whose share coin `treasury` mints from then on for it alone. The cap that opens
 * lines goes to `admin`. Borrowers pay `baseBps` a year while nothing is lent, and `slopeBps` more when all is.
 */
export function createCreditPool(
  tx: Transaction,
  packageId: string,
  coins: Record<'asset' | 'share', string>,
  terms: { treasury: string; seed: TransactionArgument; baseBps: number; slopeBps: number; admin: string },
): PendingVenue<'asset' | 'share'> {
  const cap = tx.moveCall({
    target: `${packageId}::credit_pool::create`,
    typeArguments: [coins.asset, coins.share],
    arguments: [
      tx.object(terms.treasury),
      terms.seed,
      tx.pure.u64(terms.baseBps),
      tx.pure.u64(terms.slopeBps),
      tx.object.clock(),
    ],
  });
  tx.transferObjects([cap], terms.admin);
  return { packageId, coins, objectType: `${packageId}::credit_pool::Pool<${coins.asset},${coins.share}>` };
}

/** Appends a pool of flash loans, whose share coin `treasury` mints from then on for it alone. */
export function createFlashPool(
  tx: Transaction,
  packageId: string,
  coins: Record<'asset' | 'share', string>,
  { treasury, seed, feeBps }: { treasury: string; seed: TransactionArgument; feeBps: number },
): PendingVenue<'asset' | 'share'> {
  tx.moveCall({
    target: `${packageId}::flash_pool::create`,
    typeArguments: [coins.asset, coins.share],
    arguments: [tx.object(treasury), seed, tx.pure.u64(feeBps)],
  });
  return { packageId, coins, objectType: `${packageId}::flash_pool::Pool<${coins.asset},${coins.share}>` };
}

/**
 * Appends a market that lends `asset` against `collateral`, at the oracle's prices. Borrowers pay `baseBps` a year
 * while nothing is lent, and `slopeBps` more when all is; the other rates are parts of what is pledged.
 */
export function createMoneyMarket(
  tx: Transaction,
  packageId: string,
  coins: Record<'asset' | 'collateral', string>,
  terms: {
    seed: TransactionArgument;
    prices: string;
    baseBps: number;
    slopeBps: number;
    borrowBps: number;
    liquidationBps: number;
    bonusBps: number;
  },
): PendingVenue<'asset' | 'collateral'> {
  const rates = [terms.baseBps, terms.slopeBps, terms.borrowBps, terms.liquidationBps, terms.bonusBps];
  tx.moveCall({
    target: `${packageId}::money_market::create`,
    typeArguments: [coins.asset, coins.collateral],
    arguments: [
      terms.seed,
      tx.object(terms.prices),
      ...rates.map((rate) => tx.pure.u64(rate)),
      tx.object.clock(),
    ],
  });
  const objectType = `${packageId}::money_market::Market<${coins.asset},${coins.collateral}>`;
  return { packageId, coins, objectType };
}

/** Appends a market that pays for supply, as yet without rewards. */
export function createSupplyMarket(
  tx: Transaction,
  packageId: string,
  coins: Record<'asset', string>,
): PendingVenue<'asset'> {
  tx.moveCall({
    target: `${packageId}::supply_market::create`,
    typeArguments: [coins.asset],
    arguments: [tx.object.clock()],
  });
  return { packageId, coins, objectType: `${packageId}::supply_market::Market<${coins.asset}>` };
}

/** Appends rewards that stream to the suppliers for `durationMs` from now on. */
export function sponsor(
  tx: Transaction,
  { packageId, objectId, coins }: Venue<'asset'>,
  { coin, durationMs }: { coin: TransactionArgument; durationMs: bigint },
): void {
  tx.moveCall({
    target: `${packageId}::supply_market::sponsor`,
    typeArguments: [coins.asset],
    arguments: [tx.object(objectId), coin, tx.pure.u64(durationMs), tx.object.clock()],
  });
}

/**
 * Appends the issuer of a stablecoin, which `treasury` mints from then on for it alone, at the oracle's prices. The
 * cap that adds collateral goes to `admin`.
 */
export function createIssuer(
  tx: Transaction,
  packageId: string,
  coins: Record<'collateral' | 'stablecoin', string>,
  terms: { treasury: string; prices: string; savingsRateBps: number; admin: string },
): PendingVenue<'collateral' | 'stablecoin'> {
  const cap = tx.moveCall({
    target: `${packageId}::stablecoin::create`,
    typeArguments: [coins.stablecoin],
    arguments: [
      tx.object(terms.treasury),
      tx.object(terms.prices),
      tx.pure.u64(terms.savingsRateBps),
      tx.object.clock(),
    ],
  });
  tx.transferObjects([cap], terms.admin);
  return { packageId, coins, objectType: `${packageId}::stablecoin::Issuer<${coins.stablecoin}>` };
}

/** Appends that the issuer takes its collateral from now on. `ceiling`: what all may owe, in base units. */
export function addCollateral(
  tx: Transaction,
  { packageId, objectId, coins }: Venue<'collateral' | 'stablecoin'>,
  terms: {
    capId: string;
    rateBps: number;
    borrowBps: number;
    liquidationBps: number;
    bonusBps: number;
    ceiling: bigint;
  },
): void {
  const rates = [terms.rateBps, terms.borrowBps, terms.liquidationBps, terms.bonusBps];
  tx.moveCall({
    target: `${packageId}::stablecoin::add_collateral`,
    typeArguments: [coins.collateral, coins.stablecoin],
    arguments: [
      tx.object(objectId),
      tx.object(terms.capId),
      ...rates.map((rate) => tx.pure.u64(rate)),
      tx.pure.u64(terms.ceiling),
      tx.object.clock(),
    ],
  });
}

/** Lending to a pool whose share is a coin: both ways are swaps, of type arguments in their direction. */
function shareLending(poolId: string): Op[] {
  const move = (entry: string, label: string): Op => ({
    kind: 'lend',
    entry,
    label,
    intentMode: 'D',
    call: { typeArgs: ['coinIn', 'coinOut'], args: [wallet, shared(poolId), amount, minOut, clock] },
  });
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
      {
        kind: 'lend',
        entry: 'open_account',
        label: 'Open an account',
        call: { typeArgs: [], args: [wallet, clock] },
      },
      {
        kind: 'lend',
        entry: 'deposit',
        label: 'Deposit',
        intentMode: 'A',
        call: { typeArgs: ['coinIn', coins.collateral], args: [wallet, shared(objectId), amount, clock] },
      },
      {
        kind: 'lend',
        entry: 'withdraw',
        label: 'Withdraw',
        call: {
          typeArgs: ['coinOut', coins.collateral],
          args: [wallet, shared(objectId), amount, minOut, clock],
        },
      },
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
      {
        kind: 'lend',
        entry: 'open_position',
        label: 'Open a position',
        call: { typeArgs: [coins.asset], args: [wallet, read(objectId), clock] },
      },
      {
        kind: 'lend',
        entry: 'supply',
        label: 'Supply',
        intentMode: 'A',
        call: { typeArgs: ['coinIn'], args: [wallet, shared(objectId), amount, clock] },
      },
      {
        kind: 'lend',
        entry: 'withdraw',
        label: 'Withdraw with rewards',
        call: { typeArgs: ['coinOut'], args: [wallet, shared(objectId), amount, minOut, clock] },
      },
    ],
  });

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
        kind: 'lend',
        entry: 'open_account',
        label: 'Open an account',
        call: { typeArgs: [], args: [wallet, clock] },
      },
      {
        kind: 'lend',
        entry: 'borrow',
        label: 'Pledge and borrow',
        intentMode: 'D',
        call: { typeArgs: ['coinIn', 'coinOut'], args: [wallet, issuer, oracle, amount, minOut, clock] },
      },
      {
        kind: 'lend',
        entry: 'repay',
        label: 'Repay',
        intentMode: 'A',
        call: { typeArgs: ['coinIn', coins.collateral], args: [wallet, issuer, amount, clock] },
      },
      {
        kind: 'lend',
        entry: 'repay_and_withdraw',
        label: 'Repay for collateral',
        intentMode: 'D',
        call: { typeArgs: ['coinIn', 'coinOut'], args: [wallet, issuer, oracle, amount, minOut, clock] },
      },
      {
        kind: 'lend',
        entry: 'withdraw_collateral',
        label: 'Withdraw collateral',
        call: { typeArgs: ['coinOut', coins.stablecoin], args: [wallet, issuer, oracle, amount, clock] },
      },
      {
        kind: 'lend',
        entry: 'save',
        label: 'Save',
        intentMode: 'A',
        call: { typeArgs: ['coinIn'], args: [wallet, issuer, amount, clock] },
      },
      {
        kind: 'lend',
        entry: 'withdraw_savings',
        label: 'Withdraw savings',
        call: { typeArgs: ['coinOut'], args: [wallet, issuer, amount, minOut, clock] },
      },
    ],
  });
};
