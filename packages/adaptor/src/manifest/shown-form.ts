import { parseServiceType } from '../chain/names.ts';
import { canonicalJson } from './hash.ts';
import { labelMax, shorten, textBounds } from './text-bounds.ts';

export const opKinds = ['swap', 'lend', 'stake', 'pay', 'custom'] as const;

type Json = Readonly<Record<string, unknown>>;

const texts = new Map(Object.entries({ ...textBounds, label: labelMax }));
const lists = ['supportedCoins', 'networks'];
const droppable = [
  'feeRecipient',
  'integrator',
  'docsUrl',
  'repoUrl',
  'auditUrl',
  'appUrl',
  'glyph',
  'profile',
  'label',
  'source',
  'deprecated',
  'successor',
  ...lists,
];

/**
 * Returns `true` if `shown` differs from the published manifest of an adaptor only in what a catalog adjusts: texts are
 * cut, empty ones replaced, optional fields and items left out, and unknown kinds of ops are `custom`. It needs no
 * schema, so it does not decide if an adjusted field is odd.
 */
export function isShownForm(published: Json, shown: Json): boolean {
  const keys = new Set([...Object.keys(published), ...Object.keys(shown)]);
  return [...keys].every((key) =>
    key === 'ops'
      ? areShownOps(published.ops, shown.ops)
      : isShownField(key, published[key], shown[key]) || isSubstituted(key, published[key], shown),
  );
}

/** Returns what is shown in place of an empty text of a manifest, `shown`, whose name already has its substitute. */
export function findSubstitute(key: 'name' | 'category' | 'summary', shown: Json): string | undefined {
  if (key === 'category') return 'Other';
  if (key === 'summary') return typeof shown.name === 'string' ? shown.name : undefined;
  const type = parseServiceType(String(shown.serviceType ?? shown.ruleType));
  return 'error' in type ? undefined : type.witness;
}

function isSubstituted(key: string, published: unknown, shown: Json): boolean {
  if (published !== '' || (key !== 'name' && key !== 'category' && key !== 'summary')) return false;
  return shown[key] !== undefined && shown[key] === findSubstitute(key, shown);
}

function isShownField(key: string, published: unknown, shown: unknown): boolean {
  if (shown === undefined) return droppable.includes(key) || published === null;
  if (isSame(published, shown)) return true;
  const max = texts.get(key);
  if (max !== undefined) {
    return typeof published === 'string' && published.length > max && shown === shorten(published, max);
  }
  if (!lists.includes(key) || !Array.isArray(published) || !Array.isArray(shown)) return false;
  return shown.every((item) => published.includes(item));
}

function areShownOps(published: unknown, shown: unknown): boolean {
  if (!Array.isArray(published) || !Array.isArray(shown)) return false;
  return (
    published.length === shown.length &&
    published.every((op: unknown, index) => isSame(op, shown[index]) || isShownOp(op, shown[index]))
  );
}

function isShownOp(published: unknown, shown: unknown): boolean {
  if (!isObject(published) || !isObject(shown)) return false;
  const { kind, label, ...others } = published;
  const { kind: shownKind, label: shownLabel, ...shownOthers } = shown;
  const isKind = kind === shownKind || (shownKind === 'custom' && !opKinds.includes(kind as 'custom'));
  return isKind && isShownField('label', label, shownLabel) && isSame(others, shownOthers);
}

/** Returns `true` for an object of JSON, which is not a list. */
export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isSame = (a: unknown, b: unknown): boolean =>
  a === b || (a !== undefined && b !== undefined && canonicalJson(a) === canonicalJson(b));
