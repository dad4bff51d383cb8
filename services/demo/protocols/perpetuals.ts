import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import type { Opened, Venue } from './venue.ts';

type Role = 'base' | 'quote';

/**
 * Appends a market of positions in the price of `base` at the oracle's prices, as yet without a house. The rates are
 * parts of what a position is worth. The cap that takes the house's money out goes to `house`.
 */
export function createPerpetualMarket(
  tx: Transaction,
  packageId: string,
  coins: Record<Role, string>,
  terms: {
    prices: string;
    feeBps: number;
    initialBps: number;
    maintenanceBps: number;
    liquidationBps: number;
    house: string;
  },
): Opened<Role> {
  const rates = [terms.feeBps, terms.initialBps, terms.maintenanceBps, terms.liquidationBps];
  const cap = tx.moveCall({
    target: `${packageId}::perpetuals::create`,
    typeArguments: [coins.base, coins.quote],
    arguments: [tx.object(terms.prices), ...rates.map((rate) => tx.pure.u64(rate))],
  });
  tx.transferObjects([cap], terms.house);
  return { packageId, coins, objectType: `${packageId}::perpetuals::Market<${coins.base},${coins.quote}>` };
}

/** Appends money of the house, out of which gains are paid. */
export function fundHouse(
  tx: Transaction,
  { packageId, objectId, coins }: Venue<Role>,
  coin: TransactionArgument,
): void {
  tx.moveCall({
    target: `${packageId}::perpetuals::fund_house`,
    typeArguments: [coins.base, coins.quote],
    arguments: [tx.object(objectId), coin],
  });
}
