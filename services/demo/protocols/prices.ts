import type { Transaction } from '@mysten/sui/transactions';

/** The oracle's package, its prices and what sets them. */
export interface Prices {
  packageId: string;
  objectId: string;
  capId: string;
}

/** Appends new prices that can be relied on for `maxAgeMs` after they are set, by the cap that goes to `keeper`. */
export function createPrices(
  tx: Transaction,
  packageId: string,
  { maxAgeMs, keeper }: { maxAgeMs: bigint; keeper: string },
): void {
  const cap = tx.moveCall({
    target: `${packageId}::prices::create`,
    arguments: [tx.pure.u64(maxAgeMs)],
  });
  tx.transferObjects([cap], keeper);
}

/** Appends the setting of a price: what 10^9 base units are worth, in millionths of a dollar. */
export function setPrice(
  tx: Transaction,
  { packageId, objectId, capId }: Prices,
  { coinType, price }: { coinType: string; price: bigint },
): void {
  tx.moveCall({
    target: `${packageId}::prices::set`,
    typeArguments: [coinType],
    arguments: [tx.object(objectId), tx.object(capId), tx.pure.u64(price), tx.object.clock()],
  });
}
