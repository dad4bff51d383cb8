import type { MoveType } from '../../introspect/code/move-type.ts';
import { type AtomSet, noAtoms } from './atom-set.ts';
import type { Path } from './path.ts';
import type { NotReadReason, Site } from './site.ts';
import type { Test, Value } from './value.ts';

/** Calls down to an instruction, as a list that the calls above it share. */
export interface Trail {
  site: Site;
  next?: Trail;
  /** Number of sites. */
  depth: number;
}

/** An effect at an instruction of the function, or of one that it calls. Values are in terms of the function. */
interface Effect {
  trail: Trail;
  /** Identifies the instruction. */
  leaf: string;
  /** Identifies the calls and the instruction. */
  key: string;
}

/** A kind of the forms that consume money or an object. */
export type FlowKind = 'transfer' | 'share' | 'freeze' | 'burn' | 'destroy' | 'put' | 'unread';

/** Money or an object is consumed. */
export interface Flow extends Effect {
  kind: FlowKind;
  sources: AtomSet;
  type: MoveType | undefined;
  /** The address, for `transfer`. */
  recipient?: Value;
  /** The place, for `put`: a part of what a parameter refers to. */
  into?: { parameter: number; path: Path };
  /** Origins of the values that decide whether it happens. */
  guards: AtomSet;
}

/** An amount of money is taken out of other money, or made; or a value that may hold money is moved out of its place. */
export interface Split extends Effect {
  /** Initial values of the places that it is taken from, as far as parameters refer to them. */
  places: AtomSet;
  /** Undefined: all of it. */
  amount: Value | undefined;
  /** Origins of the values that decide whether it happens. */
  guards: AtomSet;
  repeated: boolean;
}

/** A place that a parameter refers to changes, or a part of a parameter that was passed by value. */
export interface Write extends Effect {
  parameter: number;
  path: Path;
  value: Value;
  type: MoveType | undefined;
  /** Equalities that hold in each execution with this write. */
  facts: readonly Test[];
}

interface Read extends Effect {
  parameter: number;
  path: Path;
}

/** A check that aborts. */
export interface Gate extends Effect {
  /** Origins that decide. */
  on: AtomSet;
}

interface DroppedCheck extends Effect {
  check: string;
}

interface Unread extends Effect {
  reason: NotReadReason;
  what: string;
}

/** A datatype's value is made. */
export interface Pack extends Effect {
  datatype: string;
  facts: readonly Test[];
}

/** The effects of a function in terms of its parameters. */
export interface Summary {
  returns: readonly Value[];
  /** Origins of the values that decide which return is reached. */
  returnGuards: AtomSet;
  /** The returns of the function itself. */
  returnTrails: readonly Trail[];
  flows: readonly Flow[];
  splits: readonly Split[];
  writes: readonly Write[];
  reads: readonly Read[];
  gates: readonly Gate[];
  dropped: readonly DroppedCheck[];
  unread: readonly Unread[];
  packs: readonly Pack[];
  /** Equalities that hold in each execution that returns. */
  facts: readonly Test[];
  /** Present if the function was not read, or not within the bounds. Then nothing else is known. */
  failure?: { reason: NotReadReason; what: string };
  /** Steps that the analysis of the function took, without the functions that it calls. */
  steps: number;
}

/** The summary of a function that was not analyzed yet: it never returns. */
export function bottom(results: number, nothing: Value): Summary {
  return {
    returns: Array.from({ length: results }, () => nothing),
    returnGuards: noAtoms,
    returnTrails: [],
    flows: [],
    splits: [],
    writes: [],
    reads: [],
    gates: [],
    dropped: [],
    unread: [],
    packs: [],
    facts: [],
    steps: 0,
  };
}

export const noFacts: readonly Test[] = [];

const testKeys = new WeakMap<Test, string>();

/** Identifies the origins that a test compares, for facts. */
export function testKey(test: Test): string {
  const known = testKeys.get(test);
  if (known !== undefined) return known;
  const key = `${test.when} ${[test.left.is.key, test.right.is.key].sort().join(' = ')}`;
  testKeys.set(test, key);
  return key;
}

/** Removes repeated tests. */
export function distinctFacts(tests: readonly Test[]): readonly Test[] {
  return tests.length < 2 ? tests : [...new Map(tests.map((test) => [testKey(test), test])).values()];
}

/** The facts that are in both lists. */
export function commonFacts(a: readonly Test[], b: readonly Test[]): readonly Test[] {
  if (a === b || a.length === 0) return a;
  const keys = new Set(b.map(testKey));
  return a.filter((test) => keys.has(testKey(test)));
}
