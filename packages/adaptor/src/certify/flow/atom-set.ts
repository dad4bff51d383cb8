import { type Atom, computed, type PlainKind, plain, selectAtom } from './atom.ts';
import { bounds } from './bounds.ts';
import type { Step } from './path.ts';

/** Atoms in the order in which they were found. Never changed once made. Equal sets are often the same object. */
export class AtomSet {
  readonly atoms: readonly Atom[];
  /** Depends on the atoms and their order. */
  readonly hash: number;
  /** True if the value may be anything. */
  readonly isUnread: boolean;
  /** True if there were too many atoms to list. The set absorbs all others. */
  readonly isTooMany: boolean;
  #key: string | undefined;

  /** @param atoms without repetition */
  constructor(atoms: readonly Atom[], hash: number) {
    this.atoms = atoms;
    this.hash = hash;
    this.isUnread = atoms.some(({ kind }) => kind === 'unread');
    this.isTooMany = this.isUnread && atoms.some(({ key }) => key === tooManyKey);
  }

  get size(): number {
    return this.atoms.length;
  }

  /** Identifies the atoms, in any order, among the sets of one analysis. */
  get key(): string {
    this.#key ??= Int32Array.from(this.atoms, ({ id }) => id)
      .sort()
      .join();
    return this.#key;
  }

  has(atom: Atom): boolean {
    return this.atoms.includes(atom);
  }

  /** The atoms that a condition accepts. */
  filter(accepts: (atom: Atom) => boolean): AtomSet {
    const kept = this.atoms.filter(accepts);
    return kept.length === this.atoms.length ? this : share(kept);
  }
}

/** Key of the atom of a set with too many atoms. */
const tooManyKey = 'too many';

/** Slots of a cache. A new entry replaces the one in its slot, so that no analysis can fill the memory. */
const slots = 1 << 14;

const findSlot = (hash: number): number => (hash ^ (hash >>> 14)) & (slots - 1);

const addHash = (hash: number, { id }: Atom): number => Math.imul(hash ^ id, 0x9e3779b1) + 1;

const shared: (AtomSet | undefined)[] = new Array(slots).fill(undefined);

/** Clears the caches, so that the sets of an analysis do not stay after it. */
export function forgetSets(): void {
  shared.fill(undefined);
  unions.fill(undefined);
}

/** Returns the known set with these atoms, or a new one. */
function share(atoms: readonly Atom[], hash: number = atoms.reduce(addHash, 0)): AtomSet {
  if (atoms.length === 0) return noAtoms;
  const slot = findSlot(hash);
  const known = shared[slot];
  if (known && known.hash === hash && isSameList(known.atoms, atoms)) return known;
  const made = new AtomSet(atoms, hash);
  shared[slot] = made;
  return made;
}

const isSameList = (a: readonly Atom[], b: readonly Atom[]): boolean =>
  a.length === b.length && a.every((atom, i) => atom === b[i]);

export const noAtoms = new AtomSet([], 0);

export function atomSet(...atoms: readonly Atom[]): AtomSet {
  return share(atoms.length < 2 ? atoms : [...new Set(atoms)]);
}

const plainSet = (kind: PlainKind): AtomSet => atomSet(plain(kind));

export const plainSets: Readonly<Record<PlainKind, AtomSet>> = {
  sender: plainSet('sender'),
  time: plainSet('time'),
  transaction: plainSet('transaction'),
  fresh: plainSet('fresh'),
  type: plainSet('type'),
  computed: atomSet(computed),
  made: plainSet('made'),
  received: plainSet('received'),
  funds: plainSet('funds'),
  unread: plainSet('unread'),
};

const tooMany = atomSet(plain('unread'), plain('unread', tooManyKey));

/** The atoms of a part of a value with these atoms. */
export const selectAtoms = (set: AtomSet, step: Step): AtomSet =>
  atomSet(...set.atoms.map((atom) => selectAtom(atom, step)));

interface Union {
  a: AtomSet;
  b: AtomSet;
  result: AtomSet;
}

const unions: (Union | undefined)[] = new Array(slots).fill(undefined);

/** Returns `a` itself if `b` adds nothing. A set with too many atoms may be anything. */
export function union(a: AtomSet, b: AtomSet): AtomSet {
  if (a === b || b.size === 0 || a.isTooMany) return a;
  if (a.size === 0 || b.isTooMany) return b;
  const slot = findSlot(Math.imul(a.hash, 31) ^ b.hash);
  const known = unions[slot];
  if (known && known.a === a && known.b === b) return known.result;
  const result = unite([a, b]);
  unions[slot] = { a, b, result };
  return result;
}

/** The union of all sets, in their order. */
export function unionAll(sets: readonly AtomSet[]): AtomSet {
  const distinct = [...new Set(sets)].filter(({ size }) => size > 0);
  return distinct.length < 3 ? distinct.reduce(union, noAtoms) : unite(distinct);
}

/** The number of unions so far, by which each marks the atoms that it met. */
let mark = 0;

function unite(sets: readonly AtomSet[]): AtomSet {
  const [first] = sets;
  mark += 1;
  const found: Atom[] = [];
  let hash = 0;
  for (const set of sets) {
    if (set.isTooMany) return set;
    for (const atom of set.atoms) {
      if (atom.mark === mark) continue;
      atom.mark = mark;
      found.push(atom);
      hash = addHash(hash, atom);
    }
    if (found.length > bounds.origins) return tooMany;
  }
  return found.length === first!.size ? first! : share(found, hash);
}
