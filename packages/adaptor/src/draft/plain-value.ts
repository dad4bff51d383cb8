import type { PureTypeName } from '@mysten/sui/bcs';
import { Transaction } from '@mysten/sui/transactions';

/** Returns `true` if a transaction accepts a JSON value for an argument of the type. */
export function isPlainValue(type: PureTypeName, value: unknown): boolean {
  if (!isLike(type, value)) return false;
  try {
    new Transaction().pure(type as 'u64', value as string);
    return true;
  } catch {
    return false;
  }
}

/**
 * Checks a value more strictly than the encoder, which accepts every value that converts to a number, such as null and
 * an empty list.
 */
function isLike(type: string, value: unknown): boolean {
  const [, outer, item = ''] = /^(vector|option)<(.+)>$/.exec(type) ?? [];
  if (outer === 'vector') return Array.isArray(value) && value.every((one) => isLike(item, one));
  if (outer === 'option') return value === null || isLike(item, value);
  if (type === 'bool') return typeof value === 'boolean';
  if (/^u\d+$/.test(type))
    return Number.isSafeInteger(value) || (typeof value === 'string' && /^\d{1,78}$/.test(value));
  return typeof value === 'string';
}
