import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import type { Opened } from './venue.ts';

/** Appends a pool of flash loans, whose share coin `treasury` mints from then on for it alone. */
export function createFlashPool(
  tx: Transaction,
  packageId: string,
  coins: Record<'asset' | 'share', string>,
  { treasury, seed, feeBps }: { treasury: string; seed: TransactionArgument; feeBps: number },
): Opened<'asset' | 'share'> {
  tx.moveCall({
    target: `${packageId}::flash_pool::create`,
    typeArguments: [coins.asset, coins.share],
    arguments: [tx.object(treasury), seed, tx.pure.u64(feeBps)],
  });
  return { packageId, coins, objectType: `${packageId}::flash_pool::Pool<${coins.asset},${coins.share}>` };
}
