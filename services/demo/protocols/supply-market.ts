import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import type { Opened, Venue } from './venue.ts';

/** Appends a market that pays for supply, as yet without rewards. */
export function createSupplyMarket(
  tx: Transaction,
  packageId: string,
  coins: Record<'asset', string>,
): Opened<'asset'> {
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
