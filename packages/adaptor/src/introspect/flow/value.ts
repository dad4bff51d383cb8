/**
 * The possible origins of a value. A coin or a balance counts as the number that it holds, so that the analysis follows
 * an amount through `split`, `into_coin` and `value` alike.
 */
export interface Value {
  /**
   * Origins that may be this very value, in order: parameters by their index, and from `firstResult` on the numbered
   * results of one function's analysis. If there are many, only the first few.
   */
  readonly same: readonly number[];
  /** Bit set of the parameters that it may be computed from, including those in `same`. */
  readonly from: bigint;
  /** Fields of a struct that the analysis keeps separate. */
  readonly fields?: readonly Value[];
  /** Number of values in it, including itself. Absent without `fields`. */
  readonly size?: number;
  /** Target of a reference into a local: the local, and the path through its fields. */
  readonly place?: LocalPath;
  /** Name of the field that a reference points to. */
  readonly field?: string;
}

interface LocalPath {
  local: number;
  path: readonly number[];
}

/** Number of the first result. Functions in bytecode have at most 255 parameters. */
export const firstResult = 256;

const sameMax = 16;
const depthMax = 3;
/** Bound on `size`. Structs of structs are exponentially larger than the code that makes them. */
const sizeMax = 64;

export const nothing: Value = { same: [], from: 0n };

export function parameterValue(index: number): Value {
  return { same: [index], from: 1n << BigInt(index) };
}

/** Joins two values into one that may be either. Returns the object `a` itself if `b` adds nothing. */
export function join(a: Value, b: Value): Value {
  if (a === b) return a;
  const same = union(a.same, b.same);
  const from = a.from | b.from;
  const fields = joinFields(a, b);
  const place = samePlace(a.place, b.place) ? a.place : undefined;
  const field = a.field === b.field ? a.field : undefined;
  const unchanged =
    same === a.same && from === a.from && fields === a.fields && place === a.place && field === a.field;
  if (unchanged) return a;
  return { same, from, ...keepFields(fields), ...(place && { place }), ...(field && { field }) };
}

/** Returns the fields if they are few enough to keep separate. */
function keepFields(fields: readonly Value[] | undefined): Pick<Value, 'fields' | 'size'> {
  if (!fields) return {};
  const size = fields.reduce((sum, field) => sum + (field.size ?? 1), 1);
  return size > sizeMax ? {} : { fields, size };
}

export function joinAll(values: readonly Value[]): Value {
  return values.reduce(join, nothing);
}

/** Sorts and deduplicates origins, parameters before results, and returns the first few. */
export function origins(all: Iterable<number>): readonly number[] {
  return [...new Set(all)].sort((a, b) => a - b).slice(0, sameMax);
}

function union(a: readonly number[], b: readonly number[]): readonly number[] {
  if (b.length === 0 || b.every((origin) => a.includes(origin))) return a;
  const all = origins([...a, ...b]);
  return all.length === a.length && all.every((origin, i) => origin === a[i]) ? a : all;
}

function joinFields(a: Value, b: Value): readonly Value[] | undefined {
  // A value without any origin says nothing about its fields. It is a local that was not set yet.
  if (!a.fields && a.same.length === 0 && a.from === 0n) return b.fields;
  if (!b.fields && b.same.length === 0 && b.from === 0n) return a.fields;
  if (!a.fields || a.fields.length !== b.fields?.length) return undefined;
  const joined = a.fields.map((field, i) => join(field, b.fields![i]!));
  return joined.every((field, i) => field === a.fields![i]) ? a.fields : joined;
}

function samePlace(a: LocalPath | undefined, b: LocalPath | undefined): boolean {
  return a?.local === b?.local && a?.path.join() === b?.path.join();
}

/** A struct of these fields, or one opaque value of all of them if it is too large or too deep. */
export function struct(fields: readonly Value[]): Value {
  const held = fields.map(content);
  const from = held.reduce((all, field) => all | field.from, 0n);
  const kept = keepFields(held);
  if (!kept.fields || held.some((field) => computeDepth(field) >= depthMax))
    return joinAll(held.map(flatten));
  return { same: [], from, ...kept };
}

function computeDepth({ fields }: Value): number {
  return fields ? 1 + Math.max(0, ...fields.map(computeDepth)) : 0;
}

/** Reduces a value with all that is inside to one number: the worth of a coin, or of an unknown container. */
export function flatten(value: Value): Value {
  if (!value.fields) return value.place || value.field ? { same: value.same, from: value.from } : value;
  const inside = value.fields.map(flatten);
  const all = joinAll(inside);
  return { same: union(all.same, value.same), from: all.from | value.from };
}

/** Returns the value behind a reference, or the value itself. */
export function content(value: Value): Value {
  if (!value.place && value.field === undefined) return value;
  const { same, from, fields, size } = value;
  return fields ? { same, from, fields, size } : { same, from };
}

/** A value computed from these by some arithmetic. `origin` numbers the result. */
export function makeComputed(values: readonly Value[], origin: number): Value {
  return { same: [origin], from: values.reduce((all, value) => all | value.from, 0n) };
}

/** Joins another value into the one at the end of the path. */
export function writeAt(value: Value, path: readonly number[], written: Value): Value {
  const [first, ...rest] = path;
  if (first === undefined) return join(value, content(written));
  const { fields } = value;
  if (!fields?.[first]) return join(value, flatten(content(written)));
  const changed = fields.map((field, i) => (i === first ? writeAt(field, rest, written) : field));
  const from = value.from | written.from;
  if (changed.every((field, i) => field === fields[i]) && from === value.from) return value;
  const kept = keepFields(changed);
  return kept.fields ? { ...value, from, ...kept } : joinAll(changed.map(flatten));
}

/**
 * Returns a field's value behind a reference, and its place. For an opaque struct, the value is the numbered result.
 */
export function accessField(value: Value, index: number, name: string, origin: number): Value {
  const place = value.place && { local: value.place.local, path: [...value.place.path, index] };
  const held = value.fields?.[index] ?? { same: [origin], from: value.from };
  return { ...held, field: name, ...(place && place.path.length <= depthMax && { place }) };
}
