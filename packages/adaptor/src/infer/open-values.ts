import type { IntrospectedParam } from '../introspect/types.ts';
import { opValueOf } from '../manifest/op-values.ts';
import { pureTypeName } from '../manifest/pure-type.ts';

/** Longer values are data rather than settings. Of a value's BCS. */
const bytesMax = 256;

/** Words of names for what each caller decides, whatever past callers had in common. */
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
  ...['margin', 'deposit', 'payment', 'budget', 'price', 'cost'],
  ...['min', 'minimum', 'least', 'max', 'maximum', 'most', 'limit', 'slippage', 'bound', 'threshold'],
  ...['id', 'ids', 'uid', 'identifier', 'address', 'addresses', 'addr', 'recipient', 'receiver', 'owner'],
  ...['sender', 'payer', 'payee', 'beneficiary', 'account', 'nonce'],
  ...['deadline', 'expiry', 'expires', 'expiration', 'until', 'timestamp'],
]);

/**
 * Whether a plain value stays the caller's to give, however many past calls agree on it: amounts and minimums, addresses
 * and ids, what an action gives by name, and times. Decided by the role and the type, and by the name where it is known.
 */
export function staysOpen({ role, type, name }: Pick<IntrospectedParam, 'role' | 'type' | 'name'>): boolean {
  if (role !== 'pure') return true;
  const pure = pureTypeName(type);
  if (pure === undefined || /\b(address|id)\b/.test(pure)) return true;
  if (name === undefined) return false;
  return opValueOf(name) !== undefined || wordsOf(name).some((word) => openWords.has(word));
}

/** `minOut2` is `min` and `out`. */
const wordsOf = (name: string) =>
  name
    .replaceAll(/([a-z])([A-Z])/g, '$1_$2')
    .toLowerCase()
    .split(/[^a-z]+/);

/**
 * Whether a value that strangers chose may stand in a manifest: it is short, and its texts are of visible characters
 * and spaces, so that no reader of manifests refuses it or shows it as something else.
 */
export function isPresentable(value: unknown, bytes: number): boolean {
  return bytes <= bytesMax && textsOf(value).every((text) => !/[\p{C}\p{Zl}\p{Zp}]/u.test(text));
}

function textsOf(value: unknown): string[] {
  if (Array.isArray(value)) return value.flatMap(textsOf);
  return typeof value === 'string' ? [value] : [];
}
