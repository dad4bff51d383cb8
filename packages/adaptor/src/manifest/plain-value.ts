import { type PureTypeName, pureBcsSchemaFromTypeName } from '@mysten/sui/bcs';
import { pureTypeName } from './pure-type.ts';

/** Encodes a JSON value of a Move type as BCS in base64. Returns undefined if the value is not of the type. */
export function encodePure(type: string, value: unknown): string | undefined {
  const name = pureTypeName(type);
  return name && encode(name, value);
}

/** Returns `true` if a transaction accepts a JSON value for an argument of the type. */
export const isPlainValue = (type: PureTypeName, value: unknown): boolean =>
  encode(type, value) !== undefined;

function encode(type: PureTypeName, value: unknown): string | undefined {
  if (!isLike(type, value)) return undefined;
  try {
    return pureBcsSchemaFromTypeName(type)
      .serialize(value as never)
      .toBase64();
  } catch {
    return undefined;
  }
}

/**
 * Checks a value more strictly than the encoder, which accepts every value that converts to a number, such as an empty
 * list. A number above 2^53 was rounded when its JSON was read, so it is stated as text.
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
