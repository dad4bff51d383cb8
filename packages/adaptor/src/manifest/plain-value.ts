import { pureBcsSchemaFromTypeName } from '@mysten/sui/bcs';
import { fromBase64 } from '@mysten/sui/utils';
import { plainTypeName, pureTypeName } from './pure-type.ts';

/** Encodes a JSON value of a Move type as BCS in base64. Returns undefined if the value is not of the type. */
export function encodePure(type: string, value: unknown): string | undefined {
  const [name, plain] = [pureTypeName(type), plainTypeName(type)];
  if (!name || !plain || !isJsonOfType(plain, value)) return undefined;
  try {
    return pureBcsSchemaFromTypeName(name)
      .serialize(value as never)
      .toBase64();
  } catch {
    return undefined;
  }
}

/** Parses the BCS of a value in base64. Numbers of 64 bits and more become decimal digits. @throws Error if it is not of the type */
export function parsePure(type: string, bytes: string): unknown {
  const name = pureTypeName(type);
  if (name === undefined) throw new Error(`${type} is not a type of pure values`);
  return pureBcsSchemaFromTypeName(name).parse(fromBase64(bytes));
}

/** Returns `true` if a transaction accepts a JSON value for an argument of the Move type. */
export const isPlainValue = (type: string, value: unknown): boolean => encodePure(type, value) !== undefined;

/** Returns `true` if BCS in base64 is a value of a Move type. Like the chain, it checks the bytes of texts and options. */
export function isPlainBytes(type: string, bytes: string): boolean {
  try {
    return encodePure(type, parsePure(type, bytes)) === bytes;
  } catch {
    return false;
  }
}

/**
 * Checks a value more strictly than the encoder, which accepts every value that converts to a number, such as an empty
 * list. A number above 2^53 would be rounded when its JSON is parsed, so it must be a string.
 */
function isJsonOfType(type: string, value: unknown): boolean {
  const [, outer, item = ''] = /^(vector|option)<(.+)>$/.exec(type) ?? [];
  if (outer === 'vector') return Array.isArray(value) && value.every((one) => isJsonOfType(item, one));
  if (outer === 'option') return value === null || isJsonOfType(item, value);
  if (type === 'bool') return typeof value === 'boolean';
  if (/^u\d+$/.test(type))
    return Number.isSafeInteger(value) || (typeof value === 'string' && /^\d{1,78}$/.test(value));
  return typeof value === 'string' && (type !== 'ascii' || /^\p{ASCII}*$/u.test(value));
}
