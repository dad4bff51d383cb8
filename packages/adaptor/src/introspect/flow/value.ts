/**
 * What is known of a value: where it comes from. A coin or a balance is taken for the number that it counts, so that
 * an amount is followed through `split`, `into_coin` and `value` alike.
 */
export interface Value {
  /**
   * Origins that it may be the very value of, in order: parameters by their index, and from `firstResult` on results
   * that the analysis of one function has numbered. The first few where there are many.
   */
  readonly same: readonly number[];
  /** Parameters that it may be computed from, a bit each; those in `same` among them. */
  readonly from: bigint;
  /** Of a struct whose fields are known apart. */
  readonly fields?: readonly Value[];
  /** Values in it, itself among them; absent where it has no fields. */
  readonly size?: number;
  /** Of a reference into a local: which one, and the way there through fields. */
  readonly place?: Place;
  /** Of a reference to a field: its name. */
  readonly field?: string;
}

interface Place {
  local: number;
  path: readonly number[];
}

/** Bytecode's functions have at most 255 parameters. */
export const firstResult = 256;

const sameMax = 16;
const depthMax = 3;
/** Structs of structs are exponentially larger than the code that makes them. */
const sizeMax = 64;

export const nothing: Value = { same: [], from: 0n };

export function parameterValue(index: number): Value {
  return { same: [index], from: 1n << BigInt(index) };
}

/** The one value of all that they may be; the same object where nothing is added to `a`. */
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
  return { same, from, ...apart(fields), ...(place && { place }), ...(field && { field }) };
}

/** The fields, as far as they are few enough to be known apart. */
function apart(fields: readonly Value[] | undefined): Pick<Value, 'fields' | 'size'> {
  if (!fields) return {};
  const size = fields.reduce((sum, field) => sum + (field.size ?? 1), 1);
  return size > sizeMax ? {} : { fields, size };
}

export function joinAll(values: readonly Value[]): Value {
  return values.reduce(join, nothing);
}

/** In order, each once, and the first few of many: parameters before results. */
export function origins(all: Iterable<number>): readonly number[] {
  return [...new Set(all)].sort((a, b) => a - b).slice(0, sameMax);
}

function union(a: readonly number[], b: readonly number[]): readonly number[] {
  if (b.length === 0 || b.every((origin) => a.includes(origin))) return a;
  const all = origins([...a, ...b]);
  return all.length === a.length && all.every((origin, i) => origin === a[i]) ? a : all;
}

function joinFields(a: Value, b: Value): readonly Value[] | undefined {
  // What has no origin at all says nothing of its fields: a local before it is set.
  if (!a.fields && a.same.length === 0 && a.from === 0n) return b.fields;
  if (!b.fields && b.same.length === 0 && b.from === 0n) return a.fields;
  if (!a.fields || a.fields.length !== b.fields?.length) return undefined;
  const joined = a.fields.map((field, i) => join(field, b.fields![i]!));
  return joined.every((field, i) => field === a.fields![i]) ? a.fields : joined;
}

function samePlace(a: Place | undefined, b: Place | undefined): boolean {
  return a?.local === b?.local && a?.path.join() === b?.path.join();
}

/** A struct of these fields, or one opaque value of all of them where it is too large or too deep to keep apart. */
export function struct(fields: readonly Value[]): Value {
  const held = fields.map(content);
  const from = held.reduce((all, field) => all | field.from, 0n);
  const kept = apart(held);
  if (!kept.fields || held.some((field) => depthOf(field) >= depthMax)) return joinAll(held.map(flat));
  return { same: [], from, ...kept };
}

function depthOf({ fields }: Value): number {
  return fields ? 1 + Math.max(0, ...fields.map(depthOf)) : 0;
}

/** All that is inside, as one number: what a coin or an unknown container of it gives. */
export function flat(value: Value): Value {
  if (!value.fields) return value.place || value.field ? { same: value.same, from: value.from } : value;
  const inside = value.fields.map(flat);
  const all = joinAll(inside);
  return { same: union(all.same, value.same), from: all.from | value.from };
}

/** The value behind a reference, or the value itself. */
export function content(value: Value): Value {
  if (!value.place && value.field === undefined) return value;
  const { same, from, fields, size } = value;
  return fields ? { same, from, fields, size } : { same, from };
}

/** The value computed from these by some arithmetic; `origin` numbers the result. */
export function computed(values: readonly Value[], origin: number): Value {
  return { same: [origin], from: values.reduce((all, value) => all | value.from, 0n) };
}

/** The value with what is at the end of the path joined by another. */
export function writeAt(value: Value, path: readonly number[], written: Value): Value {
  const [first, ...rest] = path;
  if (first === undefined) return join(value, content(written));
  const { fields } = value;
  if (!fields?.[first]) return join(value, flat(content(written)));
  const changed = fields.map((field, i) => (i === first ? writeAt(field, rest, written) : field));
  const from = value.from | written.from;
  if (changed.every((field, i) => field === fields[i]) && from === value.from) return value;
  const kept = apart(changed);
  return kept.fields ? { ...value, from, ...kept } : joinAll(changed.map(flat));
}

/** What a reference's field holds, and where; an opaque struct gives the numbered result. */
export function fieldOf(value: Value, index: number, name: string, origin: number): Value {
  const place = value.place && { local: value.place.local, path: [...value.place.path, index] };
  const held = value.fields?.[index] ?? { same: [origin], from: value.from };
  return { ...held, field: name, ...(place && place.path.length <= depthMax && { place }) };
}
