import type { z } from 'zod';
import { opSchema } from './op.ts';
import { findSubstitute, isObject } from './shown-form.ts';
import { labelMax, shorten } from './text-bounds.ts';

export const manifestWarningCodes = [
  'field_dropped',
  'field_shortened',
  'field_replaced',
  'items_dropped',
  'unknown_kind',
] as const;

/**
 * A place where the manifest that is shown differs from the published one. `field_dropped`: an optional field is left
 * out. `field_shortened`: a text is cut and ends in `…`. `field_replaced`: an empty text has a substitute.
 * `items_dropped`: items of a list are left out. `unknown_kind`: an op counts as `custom`.
 */
export interface ManifestWarning {
  code: (typeof manifestWarningCodes)[number];
  /** Path in the published manifest, such as `docsUrl` or `ops.0.kind`. */
  path: string;
  /** Sentences without any words from the manifest. */
  detail: string;
}

/** Bound on the warnings of one manifest. Those of top-level fields come first, and are fewer. */
export const manifestWarningsMax = 64;

/** Bound on the items of a list that are read: each costs some microseconds. */
const itemsReadMax = 1_024;

/** A manifest as it is shown, where that differs from the published one. */
export interface AdjustedManifest {
  shown: Record<string, unknown>;
  warnings: ManifestWarning[];
}

type Fields = Readonly<Record<string, z.ZodType>>;

interface Shape {
  /** Fields of the manifest's kind. Others of the same names are unknown keys, which stay as they are. */
  fields: Fields;
  /** Bounds on texts that can be cut without a change of their meaning, in code points. */
  texts: Readonly<Record<string, number>>;
  /** Bounds on lists whose items count independently. */
  lists: Readonly<Record<string, { item: z.ZodType; max: number }>>;
}

/**
 * Adjusts a stranger's manifest so that an odd field that is neither unsafe nor needed does not hide the listing. It
 * leaves everything else as it is, and the caller checks the result. Returns undefined if the manifest needs no change.
 */
export function adjustManifest(value: unknown, shape: Shape): AdjustedManifest | undefined {
  if (!isObject(value)) return undefined;
  const shown: Record<string, unknown> = { ...value };
  const warnings: ManifestWarning[] = [];
  const warn: Warn = (code, path, detail) => {
    if (warnings.length < manifestWarningsMax) warnings.push({ code, path, detail });
  };
  shortenTexts(shown, shape, warn);
  filterLists(shown, shape, warn);
  dropInvalidFields(shown, shape, warn);
  replaceEmptyTexts(shown, shape, warn);
  if ('ops' in shape.fields && Array.isArray(value.ops)) shown.ops = adjustOps(value.ops, warn);
  return warnings.length > 0 ? { shown, warnings } : undefined;
}

type Warn = (code: ManifestWarning['code'], path: string, detail: string) => void;

function shortenTexts(shown: Record<string, unknown>, { fields, texts }: Shape, warn: Warn): void {
  for (const [key, max] of Object.entries(texts)) {
    const [field, text] = [fields[key], shown[key]];
    if (!field || typeof text !== 'string' || text.length <= max || field.safeParse(text).success) continue;
    shown[key] = shorten(text, max);
    warn('field_shortened', key, `${key} is too long and is shown shortened.`);
  }
}

function filterLists(shown: Record<string, unknown>, { fields, lists }: Shape, warn: Warn): void {
  for (const [key, { item, max }] of Object.entries(lists)) {
    const [field, items] = [fields[key], shown[key]];
    if (!field || !Array.isArray(items) || (items.length <= max && field.safeParse(items).success)) continue;
    const distinct = [...new Set(items.slice(0, itemsReadMax))];
    const valid = distinct.filter((one) => item.safeParse(one).success).slice(0, max);
    if (valid.length > 0) shown[key] = valid;
    else delete shown[key];
    const left =
      valid.length > 0
        ? ` The others are invalid, repeated, or beyond ${max}.`
        : ' No item is valid, so the field is not shown.';
    warn('items_dropped', key, `${valid.length} of ${items.length} items are shown.${left}`);
  }
}

function dropInvalidFields(shown: Record<string, unknown>, { fields }: Shape, warn: Warn): void {
  for (const [key, field] of Object.entries(fields)) {
    if (!(key in shown) || !isDroppable(key, shown[key])) continue;
    // A required field makes the manifest invalid.
    if (!field.safeParse(undefined).success) continue;
    const parsed = field.safeParse(shown[key]);
    if (parsed.success) continue;
    delete shown[key];
    const [{ message }] = parsed.error.issues as [z.core.$ZodIssue];
    warn('field_dropped', key, `${message[0]!.toUpperCase()}${message.slice(1)}. The field is not shown.`);
  }
}

function replaceEmptyTexts(shown: Record<string, unknown>, { fields }: Shape, warn: Warn): void {
  for (const key of ['name', 'category', 'summary'] as const) {
    const substitute = key in fields && shown[key] === '' && findSubstitute(key, shown);
    if (!substitute) continue;
    shown[key] = substitute;
    warn('field_replaced', key, `${key} is empty. A substitute is shown.`);
  }
}

/** Without its declared fee, a listing would look cheaper than it is. So an invalid fee makes the manifest invalid. */
const isDroppable = (key: string, value: unknown) => key !== 'feeBps' || value === null;

const { kind: kindSchema, label: labelSchema } = opSchema.shape;

/** Returns the same list if no op needs a change. */
function adjustOps(ops: readonly unknown[], warn: Warn): readonly unknown[] {
  let isSame = true;
  const shown = ops.map((op, index) => {
    if (!isObject(op)) return op;
    const changes: Record<string, unknown> = {};
    if (typeof op.kind === 'string' && !kindSchema.safeParse(op.kind).success) {
      changes.kind = 'custom';
      warn('unknown_kind', `ops.${index}.kind`, 'The kind is unknown, so the op counts as custom.');
    }
    if ('label' in op && !labelSchema.safeParse(op.label).success) {
      const isLong = typeof op.label === 'string' && op.label !== '';
      changes.label = isLong ? shorten(op.label as string, labelMax) : undefined;
      if (isLong) warn('field_shortened', `ops.${index}.label`, 'label is too long and is shown shortened.');
      else warn('field_dropped', `ops.${index}.label`, 'The label is not shown. It is not a text, or empty.');
    }
    if (Object.keys(changes).length === 0) return op;
    isSame = false;
    const { label, ...rest } = { ...op, ...changes };
    return label === undefined ? rest : { ...rest, label };
  });
  return isSame ? ops : shown;
}
