import { isFrameworkType, SUI } from '../vm/framework.ts';
import type { Type } from '../vm/types.ts';
import { type ByteVector, StructValue, type Value } from '../vm/values.ts';

/** Canonical names of the framework's types that commands themselves make or take. */
export const UPGRADE_CAP = `${SUI}::package::UpgradeCap`;
export const UPGRADE_TICKET = `${SUI}::package::UpgradeTicket`;
export const UPGRADE_RECEIPT = `${SUI}::package::UpgradeReceipt`;

export const SUI_COIN = `${SUI}::coin::Coin<${SUI}::sui::SUI>`;

/** The right to withdraw coins of a type from somebody's funds. */
export function withdrawalOf(coinType: string): string {
  return `${SUI}::funds_accumulator::Withdrawal<${SUI}::balance::Balance<${coinType}>>`;
}

export function isCoin(type: Type): boolean {
  return isFrameworkType(type, 'sui', 'coin', 'Coin');
}

export function isTxContext(type: Type): boolean {
  return isFrameworkType(type, 'sui', 'tx_context', 'TxContext');
}

/** `sui::object::ID`. */
export function idValue(id: string): StructValue {
  return new StructValue([id]);
}

/** `sui::object::UID`. */
export function uidValue(id: string): StructValue {
  return new StructValue([idValue(id)]);
}

/** `sui::coin::Coin<T> { id: UID, balance: Balance { value } }`. */
export function coinValue(id: string, amount: bigint): StructValue {
  return new StructValue([uidValue(id), new StructValue([amount])]);
}

/** MIST, or whatever else it is a coin of. */
export function coinAmount(coin: Value): bigint {
  const balance = coin instanceof StructValue ? coin.fields[1] : undefined;
  if (!(balance instanceof StructValue)) throw new Error('a coin has a balance');
  return balance.fields[0] as bigint;
}

/** `sui::tx_context::TxContext`; natives answer most questions about the transaction, whatever this holds. */
export function txContextValue(
  sender: string,
  digest: ByteVector,
  epoch: bigint,
  timestampMs: bigint,
): StructValue {
  return new StructValue([sender, digest, epoch, timestampMs, 0n]);
}
