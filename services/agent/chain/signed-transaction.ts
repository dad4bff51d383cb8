import { bcs } from '@mysten/sui/bcs';
import { toCoin } from './gas-data.ts';

/** Objects that a transaction names at a version, which no other transaction may have used. */
export function listNamedVersions(transaction: Uint8Array): Map<string, bigint> {
  const data = bcs.TransactionData.parse(transaction).V1;
  const owned = (data?.kind.ProgrammableTransaction?.inputs ?? []).flatMap(
    ({ Object: object }) => object?.ImmOrOwnedObject ?? [],
  );
  const named = [...(data?.gasData.payment ?? []), ...owned];
  return new Map(named.map(({ objectId, version }) => [objectId, BigInt(version)]));
}

/** Returns the price of a transaction's gas, in MIST per unit. */
export const parseGasPrice = (transaction: Uint8Array) =>
  BigInt(bcs.TransactionData.parse(transaction).V1?.gasData.price ?? 0);

/** Returns the coins that pay the gas of a transaction, at the versions that it names. */
export const parseGasPayment = (transaction: Uint8Array) =>
  (bcs.TransactionData.parse(transaction).V1?.gasData.payment ?? []).map(toCoin);
