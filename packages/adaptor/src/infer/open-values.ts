import type { IntrospectedParam } from '../introspect/types.ts';
import { findOpValue } from '../manifest/op-values.ts';
import { pureTypeName } from '../manifest/pure-type.ts';

/** Size of a value's BCS in bytes. Longer values are data rather than settings. */
const bytesMax = 256;

/** Words in the names of values that each caller decides, whatever past callers had in common. */
const openWords = new Set([
  ...[
    'amount',
    'amounts',
    'amt',
    'quantity',
    'qty',
    'size',
    'shares',
    'liquidity',
    'principal',
    'collateral',
  ],
  'margin',
  'deposit',
  'payment',
  'budget',
  'price',
  'cost',
  'min',
  'minimum',
  'least',
  'max',
  'maximum',
  'most',
  'limit',
  'slippage',
  'bound',
  'threshold',
  'id',
  'ids',
  'uid',
  'identifier',
  'address',
  'addresses',
  'addr',
  'recipient',
  'receiver',
  'owner',
  'sender',
  'payer',
  'payee',
  'beneficiary',
  'account',
  'nonce',
  'deadline',
  'expiry',
  'expires',
  'expiration',
  'until',
  'timestamp',
]);

/**
 * Returns `true` for a plain value that callers always provide, however many past calls agree on it: amounts and
 * minimums, addresses and ids, values that an action provides by name, and times. The role and the type decide, and the
 * name if it is known.
 */
export function staysOpen({ role, type, name }: Pick<IntrospectedParam, 'role' | 'type' | 'name'>): boolean {
  if (role !== 'pure') return true;
  const pure = pureTypeName(type);
  if (pure === undefined || /\b(address|id)\b/.test(pure)) return true;
  if (name === undefined) return false;
  return findOpValue(name) !== undefined || splitWords(name).some((word) => openWords.has(word));
}

/** Splits a name into words: `minOut2` is `min` and `out`. */
const splitWords = (name: string) =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/);

/**
 * Returns `true` if a manifest can include a value that strangers chose: it is short, and its texts consist of visible
 * characters and spaces. No reader of manifests then refuses it or shows it as something else.
 */
export function isPresentable(value: unknown, bytes: number): boolean {
  return bytes <= bytesMax && collectTexts(value).every((text) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(text));
}

function collectTexts(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(collectTexts);
  return typeof value === 'string' ? [value] : [];
}
