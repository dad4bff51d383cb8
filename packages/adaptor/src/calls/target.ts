import type {
  Transaction,
  TransactionArgument,
  TransactionObjectInput,
  TransactionResult,
} from '@mysten/sui/transactions';

/** A shared object and the package that its functions are called in. */
export interface SharedTarget {
  /** The version that is called; types are named after the first one. */
  packageId: string;
  objectId: string;
}

/** A wallet that calls go to. */
export interface WalletTarget {
  /** The version that is called; types are named after the first one. */
  packageId: string;
  /** The shared object's id, or what `create` answered in the same transaction. */
  wallet: TransactionObjectInput;
}

/** Appends a call of the wallet package whose first argument is the wallet. */
export function callWallet(
  tx: Transaction,
  { packageId, wallet }: WalletTarget,
  name: `${string}::${string}`,
  args: TransactionArgument[] = [],
  typeArguments: string[] = [],
): TransactionResult {
  return tx.moveCall({
    target: `${packageId}::${name}`,
    typeArguments,
    arguments: [tx.object(wallet), ...args],
  });
}
