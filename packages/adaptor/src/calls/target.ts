import type {
  Transaction,
  TransactionArgument,
  TransactionObjectInput,
  TransactionResult,
} from '@mysten/sui/transactions';

/** A shared object, and the package whose functions are called with it. */
export interface SharedTarget {
  /** Id of the version that is called. Types carry the id of the first version. */
  packageId: string;
  objectId: string;
}

/** A wallet that calls go to. */
export interface WalletTarget {
  /** Id of the version that is called. Types carry the id of the first version. */
  packageId: string;
  /** Id of the shared object, or the result of `create` in the same transaction. */
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
