import { isPlainValue } from '@adaptor-marketplace/adaptor/draft/plain-value';
import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import { pureTypeName } from '@adaptor-marketplace/adaptor/pure-type';
import { UsageError } from '../io.ts';

/** The values that an op asks its callers for, by name, with their Move types. */
export function askedOf({ call }: Manifest['ops'][number]): Map<string, string> {
  const asked = new Map<string, string>();
  for (const one of call?.args ?? []) {
    if (one.role === 'pure' && one.value === undefined) asked.set(one.name ?? one.type, one.type);
  }
  return asked;
}

/**
 * The values that an op asks for by name, of the texts that they were given as: texts, addresses and numbers as they
 * are, all else as JSON.
 * @throws UsageError for a name that the op does not ask for, and for what is no value of its type
 */
export function valuesOf(
  op: Manifest['ops'][number],
  given: readonly (readonly [name: string, text: string])[],
): Record<string, unknown> {
  const asked = askedOf(op);
  const values = given.map(([name, text]) => {
    const type = asked.get(name);
    if (type !== undefined) return [name, valueOfType(name, text, pureTypeName(type) ?? type)] as const;
    const known = [...asked].map(([own, ofType]) => `${own} (${ofType})`).join(', ') || 'nothing by name';
    throw new UsageError(`--set ${name}: the op asks for ${known}.`);
  });
  return Object.fromEntries(values);
}

function valueOfType(name: string, text: string, type: string): unknown {
  const value = /^(string|address|id|u\d+)$/.test(type) ? text : jsonOf(text);
  if (value !== undefined && isPlainValue(type as 'u64', value)) return value;
  throw new UsageError(
    `--set ${name}: ${JSON.stringify(text)} is not a valid ${type}. Expected ${expected(type)}.`,
  );
}

function expected(type: string): string {
  const bits = /^u(\d+)$/.exec(type)?.[1];
  if (bits !== undefined) return `a whole number from 0 to ${2n ** BigInt(bits) - 1n}, for example 100`;
  if (type === 'address' || type === 'id') return '0x and up to 64 hex digits, for example 0x2';
  return type === 'bool' ? 'true or false' : `JSON, for example ${JSON.stringify(exampleOf(type))}`;
}

function exampleOf(type: string): unknown {
  const [, outer, item = ''] = /^(vector|option)<(.+)>$/.exec(type) ?? [];
  if (outer === 'vector') return [exampleOf(item)];
  if (outer === 'option') return exampleOf(item);
  if (type === 'bool') return true;
  if (/^u\d+$/.test(type)) return 100;
  return type === 'string' ? 'text' : '0x2';
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
