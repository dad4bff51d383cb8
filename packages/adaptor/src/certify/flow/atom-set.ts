import { type Atom, type PlainKind, plain, selectAtom } from './atom.ts';
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
  /** Positions in `atoms` plus 1 by the hashes of the atoms, open addressed. */
  #positions: Int32Array | undefined;
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

  /** Identifies the atoms, in any order. */
  get key(): string {
    this.#key ??= this.atoms
      .map(({ key }) => key)
      .sort()
      .join('|');
    return this.#key;
  }

  has(atom: Atom): boolean {
    const { atoms } = this;
    if (atoms.length <= scannedMax) {
      for (let i = 0; i < atoms.length; i++) if (isSame(atoms[i]!, atom)) return true;
      return false;
    }
    this.#positions ??= indexAtoms(atoms);
    const mask = this.#positions.length - 1;
    for (let at = atom.hash & mask; ; at = (at + 1) & mask) {
      const position = this.#positions[at]!;
      if (position === 0) return false;
      if (isSame(atoms[position - 1]!, atom)) return true;
    }
  }

  /** The atoms that a condition accepts. */
  filter(accepts: (atom: Atom) => boolean): AtomSet {
    const kept = this.atoms.filter(accepts);
    return kept.length === this.atoms.length ? this : share(kept, hashAtoms(kept));
  }
}

/** Key of the atom of a set with too many atoms. */
const tooManyKey = 'too many';

/** Largest set in which a scan finds an atom faster than an index. */
const scannedMax = 8;

const isSame = (a: Atom, b: Atom): boolean => a === b || (a.hash === b.hash && a.key === b.key);

function indexAtoms(atoms: readonly Atom[]): Int32Array {
  let size = 32;
  while (size < atoms.length * 2) size *= 2;
  const positions = new Int32Array(size);
  for (let i = 0; i < atoms.length; i++) {
    let at = atoms[i]!.hash & (size - 1);
    while (positions[at] !== 0) at = (at + 1) & (size - 1);
    positions[at] = i + 1;
  }
  return positions;
}

const addHash = (hash: number, atom: Atom): number => Math.imul(hash ^ atom.hash, 0x01000193) + 1;
const hashAtoms = (atoms: readonly Atom[]): number => atoms.reduce(addHash, 0);

/** Slots of a cache. A new entry replaces the one in its slot, so that no analysis can fill the memory. */
const slots = 1 << 14;

const shared: (AtomSet | undefined)[] = new Array(slots);

/** Returns the known set with these atoms, or a new one. */
function share(atoms: readonly Atom[], hash: number): AtomSet {
  if (atoms.length === 0) return noAtoms;
  const slot = (hash ^ (hash >>> 14)) & (slots - 1);
  const known = shared[slot];
  if (known && known.hash === hash && isSameList(known.atoms, atoms)) return known;
  const made = new AtomSet(atoms, hash);
  shared[slot] = made;
  return made;
}

const isSameList = (a: readonly Atom[], b: readonly Atom[]): boolean =>
  a.length === b.length && a.every((atom, i) => isSame(atom, b[i]!));

export const noAtoms = new AtomSet([], 0);

export function atomSet(...atoms: Atom[]): AtomSet {
  const found = withoutRepeated(atoms);
  return share(found, hashAtoms(found));
}

const plainSet = (kind: PlainKind): AtomSet => atomSet(plain(kind));

export const plainSets: Readonly<Record<PlainKind, AtomSet>> = {
  sender: plainSet('sender'),
  time: plainSet('time'),
  transaction: plainSet('transaction'),
  fresh: plainSet('fresh'),
  type: plainSet('type'),
  computed: plainSet('computed'),
  made: plainSet('made'),
  received: plainSet('received'),
  funds: plainSet('funds'),
  unread: plainSet('unread'),
};

const tooMany = atomSet(plain('unread'), plain('unread', tooManyKey));

/** The atoms of a part of a value with these atoms. */
export const selectAtoms = (set: AtomSet, step: Step): AtomSet =>
  atomSet(...set.atoms.map((atom) => selectAtom(atom, step)));

function withoutRepeated(atoms: readonly Atom[]): readonly Atom[] {
  if (atoms.length < 2) return atoms;
  return [...new Map(atoms.map((atom) => [atom.key, atom])).values()];
}

interface Union {
  a: AtomSet;
  b: AtomSet;
  result: AtomSet;
}

const unions: (Union | undefined)[] = new Array(slots);

/** Returns `a` itself if `b` adds nothing. A set with too many atoms may be anything. */
export function union(a: AtomSet, b: AtomSet): AtomSet {
  if (a === b || b.size === 0 || a.isTooMany) return a;
  if (a.size === 0 || b.isTooMany) return b;
  const mixed = Math.imul(a.hash, 31) ^ b.hash;
  const slot = (mixed ^ (mixed >>> 14)) & (slots - 1);
  const known = unions[slot];
  if (known && known.a === a && known.b === b) return known.result;
  const result = unite(a, b);
  unions[slot] = { a, b, result };
  return result;
}

function unite(a: AtomSet, b: AtomSet): AtomSet {
  let all: Atom[] | undefined;
  let { hash } = a;
  for (const atom of b.atoms) {
    if (a.has(atom)) continue;
    all ??= a.atoms.slice();
    all.push(atom);
    hash = addHash(hash, atom);
  }
  if (!all) return a;
  return all.length > bounds.origins ? tooMany : share(all, hash);
}
