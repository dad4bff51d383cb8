import { bcs, TypeTagSerializer } from '@mysten/sui/bcs';
import { isValidStructTag } from '@mysten/sui/utils';
import { LRUCache } from 'lru-cache';
import { coinPrefix } from '../state/objects.ts';
import { SUI } from '../vm/framework.ts';
import { LedgerError } from './types.ts';

export { coinBalance, coinTypeOf } from '../state/objects.ts';

export const suiType = `${SUI}::sui::SUI`;
export const suiCoinType = `${coinPrefix}${suiType}>`;
export const clockType = `${SUI}::clock::Clock`;
export const systemStateId = `0x${'5'.padStart(64, '0')}`;
export const clockId = `0x${'6'.padStart(64, '0')}`;
export const authenticatorStateId = `0x${'7'.padStart(64, '0')}`;
export const randomId = `0x${'8'.padStart(64, '0')}`;
export const aliasStateId = `0x${'a'.padStart(64, '0')}`;
export const denyListId = `0x${'403'.padStart(64, '0')}`;
export const accumulatorRootId = `0x${'acc'.padStart(64, '0')}`;
export const systemAddress = `0x${'0'.repeat(64)}`;

const balancePrefix = `${SUI}::balance::Balance<`;

export const suiBalanceType = `${balancePrefix}${suiType}>`;

/** `0x2::balance::Balance<T>`. */
export function balanceOf(coinType: string): string {
  return `${balancePrefix}${coinType}>`;
}

/** `T` of `0x2::balance::Balance<T>`, which is all that funds are made of. */
export function balanceCoinOf(type: string): string {
  return type.slice(balancePrefix.length, -1);
}

const tagBytes = new LRUCache<string, Uint8Array>({ max: 5_000 });

/** BCS of a type as a `TypeTag`; for structs the tag's first byte is followed by the `StructTag`. */
export function typeTagBytes(type: string): Uint8Array {
  let bytes = tagBytes.get(type);
  if (bytes === undefined) {
    bytes = bcs.TypeTag.serialize(TypeTagSerializer.parseFromStr(type, true)).toBytes();
    tagBytes.set(type, bytes);
  }
  return bytes;
}

/** A type in the chain's own form: full addresses, no spaces. @throws LedgerError when it is none. */
export function canonicalType(type: string): string {
  if (isWellFormed(type)) {
    try {
      return bcs.TypeTag.parse(typeTagBytes(type)).replaceAll(', ', ',');
    } catch {
      // Valid in form, but with an argument that is not a type.
    }
  }
  throw new LedgerError('INVALID_ARGUMENT', 'InvalidType', `"${type.slice(0, 200)}" is not a Move type`);
}

/** The parser alone takes halves of struct types for names; of other types it is strict. */
function isWellFormed(type: string): boolean {
  const element = /^vector<(.+)>$/.exec(type)?.[1];
  if (element !== undefined) return isWellFormed(element);
  return !type.includes('::') || isValidStructTag(type);
}

/** A copy of a coin's (or the clock's) contents with another u64 behind the id. */
export function withU64(contents: Uint8Array, value: bigint): Uint8Array {
  const copy = Uint8Array.from(contents);
  new DataView(copy.buffer).setBigUint64(32, value, true);
  return copy;
}
