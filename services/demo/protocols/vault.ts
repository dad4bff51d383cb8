import type { Transaction, TransactionArgument } from '@mysten/sui/transactions';
import type { Opened, Venue } from './venue.ts';

/** Appends a vault, whose share coin `treasury` mints from then on for it alone. */
export function createVault(
  tx: Transaction,
  packageId: string,
  coins: Record<'asset' | 'share', string>,
  { treasury, seed }: { treasury: string; seed: TransactionArgument },
): Opened<'asset' | 'share'> {
  tx.moveCall({
    target: `${packageId}::vault::create`,
    typeArguments: [coins.asset, coins.share],
    arguments: [tx.object(treasury), seed],
  });
  return { packageId, coins, objectType: `${packageId}::vault::Vault<${coins.asset},${coins.share}>` };
}

/** Appends a yield for the vault's depositors, which anyone may give. */
export function addYield(
  tx: Transaction,
  { packageId, objectId, coins }: Venue<'asset' | 'share'>,
  coin: TransactionArgument,
): void {
  tx.moveCall({
    target: `${packageId}::vault::add_yield`,
    typeArguments: [coins.asset, coins.share],
    arguments: [tx.object(objectId), coin],
  });
}
