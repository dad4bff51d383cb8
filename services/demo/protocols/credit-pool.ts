import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import type { Opened } from './venue.ts';

/**
 * Appends a pool of credit lines, whose share coin `treasury` mints from then on for it alone. The cap that opens
 * lines goes to `admin`. Borrowers pay `baseBps` a year while nothing is lent, and `slopeBps` more when all is.
 */
export function createCreditPool(
  tx: Transaction,
  packageId: string,
  coins: Record<'asset' | 'share', string>,
  terms: { treasury: string; seed: TransactionArgument; baseBps: number; slopeBps: number; admin: string },
): Opened<'asset' | 'share'> {
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
