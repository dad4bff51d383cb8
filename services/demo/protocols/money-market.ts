import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import type { Opened } from './venue.ts';

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
): Opened<'asset' | 'collateral'> {
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
