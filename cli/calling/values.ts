import type { Manifest } from '@adaptor-marketplace/adaptor/manifest';
import { pureTypeName } from '@adaptor-marketplace/adaptor/pure-type';
import { UsageError } from '../io.ts';

/**
 * The values that an op asks for by name, of the texts that they were given as: texts, addresses and wide numbers as
 * they are, all else as JSON.
 * @throws UsageError for a name that the op does not ask for, and for what is no JSON
 */
export function valuesOf(
  { call }: Manifest['ops'][number],
  given: readonly (readonly [name: string, text: string])[],
): Record<string, unknown> {
  const asked = new Map<string, string>();
  for (const one of call?.args ?? []) {
    if (one.role === 'pure' && one.value === undefined) asked.set(one.name ?? one.type, one.type);
  }
  const values = given.map(([name, text]) => {
    const type = asked.get(name);
    if (type !== undefined) return [name, parseValue(name, text, pureTypeName(type) ?? type)] as const;
    const known = [...asked.keys()].join(', ') || 'nothing by name';
    throw new UsageError(`--set ${name}: the op asks for ${known}.`);
  });
  return Object.fromEntries(values);
}

function parseValue(name: string, text: string, type: string): unknown {
  if (/^(string|address|id|u64|u128|u256)$/.test(type)) return text;
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError(`--set ${name}: a ${type} is given as JSON.`);
  }
}
