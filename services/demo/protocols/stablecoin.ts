import type { Transaction } from '@mysten/sui/transactions';
import type { Opened, Venue } from './venue.ts';

/**
 * Appends the issuer of a stablecoin, which `treasury` mints from then on for it alone, at the oracle's prices. The
 * cap that adds collateral goes to `admin`.
 */
export function createIssuer(
  tx: Transaction,
  packageId: string,
  coins: Record<'collateral' | 'stablecoin', string>,
  terms: { treasury: string; prices: string; savingsRateBps: number; admin: string },
): Opened<'collateral' | 'stablecoin'> {
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
