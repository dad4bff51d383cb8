import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import { SUI } from '../coins.ts';
import type { Opened, Venue } from './venue.ts';

/** Appends savings without a reserve, which earn `rateBps` over a term. */
export function createSavings(
  tx: Transaction,
  packageId: string,
  { termMs, rateBps }: { termMs: bigint; rateBps: number },
): Opened<'asset'> {
  tx.moveCall({
    target: `${packageId}::term_savings::create`,
    arguments: [tx.pure.u64(termMs), tx.pure.u64(rateBps)],
  });
  return { packageId, coins: { asset: SUI }, objectType: `${packageId}::term_savings::Savings` };
}

/** Appends to what interest is paid from. */
export function fundSavings(
  tx: Transaction,
  { packageId, objectId }: Venue<'asset'>,
  coin: TransactionArgument,
): void {
  tx.moveCall({
    target: `${packageId}::term_savings::fund`,
    arguments: [tx.object(objectId), coin],
  });
}
