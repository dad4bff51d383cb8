import { bounds } from './bounds.ts';
import { extend, type Path, type Step } from './path.ts';

/** An origin of a value, in terms of the function that has the value. */
export type Atom =
  /** A part of a parameter, or of what a parameter refers to, as it was when the function was called. */
  | { kind: 'initial'; parameter: number; path: Path; key: string }
  | { kind: 'constant'; value: string; key: string }
  | { kind: PlainKind; key: string };

/**
 * `computed` is in no other place: the value is a result of a calculation. `made` is a new object or minted money.
 * `unread` may be anything.
 */
type PlainKind =
  | 'sender'
  | 'time'
  | 'transaction'
  | 'fresh'
  | 'type'
  | 'computed'
  | 'made'
  | 'received'
  | 'funds'
  | 'unread';

/** Atoms by their keys. Never changed once made. */
export type AtomSet = ReadonlyMap<string, Atom>;

export const noAtoms: AtomSet = new Map();

export const initial = (parameter: number, path: Path): Atom => ({
  kind: 'initial',
  parameter,
  path,
  key: `${parameter}${path.text}`,
});

export const constant = (value: string): Atom => ({ kind: 'constant', value, key: `=${value}` });

export const atomSet = (...atoms: Atom[]): AtomSet => new Map(atoms.map((atom) => [atom.key, atom]));

const plain = (kind: PlainKind): AtomSet => atomSet({ kind, key: kind });

export const plainSets: Readonly<Record<PlainKind, AtomSet>> = {
  sender: plain('sender'),
  time: plain('time'),
  transaction: plain('transaction'),
  fresh: plain('fresh'),
  type: plain('type'),
  computed: plain('computed'),
  made: plain('made'),
  received: plain('received'),
  funds: plain('funds'),
  unread: plain('unread'),
};

export const isUnread = (set: AtomSet): boolean => set.has('unread') || set.has('too many');

/** Too many atoms to list: it absorbs all others. */
const tooMany: AtomSet = new Map([...plainSets.unread, ['too many', { kind: 'unread', key: 'too many' }]]);
const isTooMany = (set: AtomSet): boolean => set.has('too many');

/** Returns `a` itself if `b` adds nothing. A set with too many atoms may be anything. */
export function union(a: AtomSet, b: AtomSet): AtomSet {
  if (a === b || b.size === 0 || isTooMany(a)) return a;
  if (a.size === 0 || isTooMany(b)) return b;
  let all: Map<string, Atom> | undefined;
  for (const [key, atom] of b) {
    if (a.has(key)) continue;
    all ??= new Map(a);
    all.set(key, atom);
  }
  if (!all) return a;
  return all.size > bounds.origins ? tooMany : all;
}

const keys = new WeakMap<AtomSet, string>();

/** Identifies the atoms of a set. */
export function setKey(set: AtomSet): string {
  if (set.size === 0) return '';
  const known = keys.get(set);
  if (known !== undefined) return known;
  const key = [...set.keys()].sort().join('|');
  keys.set(set, key);
  return key;
}

/** The atoms of a part of a value with these atoms. */
export function selectAtoms(set: AtomSet, step: Step): AtomSet {
  const parts = new Map<string, Atom>();
  for (const atom of set.values()) {
    const part = selectAtom(atom, step);
    parts.set(part.key, part);
  }
  return parts;
}

function selectAtom(atom: Atom, step: Step): Atom {
  if (atom.kind === 'initial') return initial(atom.parameter, extend(atom.path, step));
  return atom.kind === 'constant' ? { kind: 'computed', key: 'computed' } : atom;
}
