import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import type { Opened } from './venue.ts';

/** Appends a pool of two coins at a constant product. Its shares go to `holder`. */
export function openPool(
  tx: Transaction,
  packageId: string,
  coins: Record<'a' | 'b', string>,
  {
    a,
    b,
    feeBps,
    holder,
  }: { a: TransactionArgument; b: TransactionArgument; feeBps: number; holder: string },
): Opened<'a' | 'b'> {
  const shares = tx.moveCall({
    target: `${packageId}::pool::open`,
    typeArguments: [coins.a, coins.b],
    arguments: [a, b, tx.pure.u64(feeBps)],
  });
  tx.transferObjects([shares], holder);
  return { packageId, coins, objectType: `${packageId}::pool::Pool<${coins.a},${coins.b}>` };
}
