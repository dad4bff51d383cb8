import { type AtomSet, noAtoms, plainSets, selectAtoms, union } from './atom-set.ts';
import { bounds } from './bounds.ts';
import { any, mayOverlap, type Path, type Step } from './path.ts';

/** A place in memory: a local (from 0 on), or what the parameter `-1 - root` refers to (below 0). */
export interface Place {
  root: number;
  path: Path;
  key: string;
}

/** An equality that holds if a bool is `when`. */
export interface Test {
  left: Value;
  right: Value;
  when: boolean;
}

/** An abstract value: each value that the code can have at this point is within it. Never changed once made. */
export interface Value {
  /** The value, or each part that is not in `parts`, is one of these. */
  is: AtomSet;
  /** The value may be chosen or computed from these too. */
  from: AtomSet;
  parts?: ReadonlyMap<string, Part>;
  /**
   * True if all parts are in `parts`. Then `is` says where the value itself comes from: the sources of a balance, or of
   * an object.
   */
  closed: boolean;
  /** Places that a reference may lead to. */
  places?: ReadonlyMap<string, Place>;
  test?: Test;
  /** A bool that a check returned, by the function that checked. */
  check?: string;
  /** Number of nodes. */
  size: number;
}

export interface Part {
  step: Step;
  value: Value;
}

export const nothing: Value = { is: noAtoms, from: noAtoms, closed: true, size: 1 };
export const unread: Value = { is: plainSets.unread, from: noAtoms, closed: false, size: 1 };

export const scalar = (is: AtomSet, from: AtomSet = noAtoms): Value => ({ is, from, closed: false, size: 1 });

export const makeComputed = (values: readonly Value[]): Value =>
  scalar(
    plainSets.computed,
    values.reduce((all, value) => union(all, influences(value)), noAtoms),
  );

export function place(root: number, path: Path): Place {
  return { root, path, key: `${root}:${path.text}` };
}

export const reference = (places: readonly Place[], from: AtomSet = noAtoms): Value => ({
  is: noAtoms,
  from,
  closed: true,
  places: new Map(places.map((each) => [each.key, each])),
  size: 1,
});

/** A value whose parts are all known. */
export function closed(parts: readonly Part[], is: AtomSet = noAtoms, from: AtomSet = noAtoms): Value {
  return limitSize({
    is,
    from,
    closed: true,
    parts: new Map(parts.map((part) => [part.step.text, part])),
    size: parts.reduce((sum, { value }) => sum + value.size, 1),
  });
}

/** Adds origins that chose the value. */
export function withInfluence(value: Value, from: AtomSet): Value {
  const all = union(value.from, from);
  return all === value.from ? value : { ...value, from: all };
}

const known = {
  influences: new WeakMap<Value, AtomSet>(),
  identities: new WeakMap<Value, AtomSet>(),
};

/** Everything that the value, or a part of it, is or comes from. */
export function influences(value: Value): AtomSet {
  if (!value.parts) return union(value.is, value.from);
  let all = known.influences.get(value);
  if (all) return all;
  all = union(identities(value), value.from);
  for (const part of value.parts.values()) all = union(all, influences(part.value));
  known.influences.set(value, all);
  return all;
}

/** Everything that the value or a part of it may be. */
export function identities(value: Value): AtomSet {
  if (!value.parts) return value.is;
  let all = known.identities.get(value);
  if (all) return all;
  all = value.is;
  for (const part of value.parts.values()) all = union(all, identities(part.value));
  known.identities.set(value, all);
  return all;
}

function collectFrom(value: Value): AtomSet {
  let all = value.from;
  for (const part of value.parts?.values() ?? []) all = union(all, collectFrom(part.value));
  return all;
}

/** Returns a part of a value. */
export function select(value: Value, step: Step): Value {
  if (step.kind === 'any') return smear(value);
  let found: Value | undefined;
  if (!value.closed) found = scalar(selectAtoms(value.is, step));
  for (const part of value.parts?.values() ?? []) {
    if (!mayOverlap(part.step, step)) continue;
    found = found ? join(found, part.value) : part.value;
  }
  return withInfluence(found ?? nothing, value.from);
}

export const selectPath = (value: Value, steps: readonly Step[]): Value => steps.reduce(select, value);

/** The value without structure: each part may be any of the parts. */
function smear(value: Value): Value {
  return scalar(selectAtoms(identities(value), any), collectFrom(value));
}

function limitSize(value: Value): Value {
  return value.size > bounds.nodes ? smear(value) : value;
}

/** Joins two values. Returns `a` itself if `b` adds nothing. */
export function join(a: Value, b: Value): Value {
  if (a === b || b === nothing) return a;
  if (a === nothing) return b;
  const is = union(a.is, b.is);
  const from = union(a.from, b.from);
  const parts = joinParts(a.parts, b.parts);
  const places = joinPlaces(a.places, b.places);
  const isClosed = a.closed && b.closed;
  const test = a.test && b.test && isSameTest(a.test, b.test) ? a.test : undefined;
  const check = a.check === b.check ? a.check : undefined;
  const same =
    is === a.is && from === a.from && parts === a.parts && places === a.places && isClosed === a.closed;
  if (same && test === a.test && check === a.check) return a;
  return limitSize({
    is,
    from,
    closed: isClosed,
    size: countNodes(parts),
    ...(parts && { parts }),
    ...(places && { places }),
    ...(test && { test }),
    ...(check !== undefined && { check }),
  });
}

type Parts = Value['parts'];

function joinParts(a: Parts, b: Parts): Parts {
  if (!b || a === b) return a;
  if (!a) return b;
  let all: Map<string, Part> | undefined;
  for (const [key, part] of b) {
    const known = a.get(key);
    const value = known ? join(known.value, part.value) : part.value;
    if (value === known?.value) continue;
    all ??= new Map(a);
    all.set(key, { step: part.step, value });
  }
  return all ?? a;
}

function joinPlaces(a: Value['places'], b: Value['places']): Value['places'] {
  if (!b || a === b) return a;
  if (!a) return b;
  if ([...b.keys()].every((key) => a.has(key))) return a;
  return new Map([...a, ...b]);
}

function countNodes(parts: Parts): number {
  let nodes = 1;
  for (const { value } of parts?.values() ?? []) nodes += value.size;
  return nodes;
}

/** Returns `true` if two tests compare the same origins. */
function isSameTest(a: Test, b: Test): boolean {
  return a.when === b.when && isSameSet(a.left.is, b.left.is) && isSameSet(a.right.is, b.right.is);
}

const isSameSet = (a: AtomSet, b: AtomSet): boolean =>
  a === b || (a.size === b.size && a.atoms.every((atom) => b.has(atom)));

/** Joins `written` into the part of `value` at the path, which may also keep what it has. */
export function writeInto(value: Value, steps: readonly Step[], written: Value): Value {
  const [step, ...rest] = steps;
  if (!step) return join(value, written);
  const known = value.parts?.get(step.text);
  const before = known?.value ?? nothing;
  // Anything below may have been written, so any part of it may be read there.
  const after = step.kind === 'any' ? join(before, smear(written)) : writeInto(before, rest, written);
  if (after === before && known) return value;
  const parts = new Map(value.parts);
  parts.set(step.text, { step, value: after });
  const { test: _, check: __, ...kept } = value;
  return limitSize({ ...kept, parts, size: countNodes(parts) });
}
