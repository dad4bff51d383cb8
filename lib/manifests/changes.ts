/** A field that differs between two versions of a listing or a manifest. */
export interface FieldChange {
  /** Path, such as `manifest.ops[0].label`. */
  path: string;
  /** Null if it was not there. */
  before: unknown;
  /** Null if it is not there. */
  after: unknown;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

/** Yields the innermost fields in which two JSON values differ: those of `before` in its order, then the added ones. */
export function* findChanges(before: unknown, after: unknown, path: string): Generator<FieldChange> {
  if (before === after) return;
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) {
    yield { path, before: before ?? null, after: after ?? null };
    return;
  }
  const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
  for (const key of keys) {
    const keyPath = Array.isArray(before) ? `${path}[${key}]` : path === '' ? key : `${path}.${key}`;
    yield* findChanges(Reflect.get(before, key), Reflect.get(after, key), keyPath);
  }
}
