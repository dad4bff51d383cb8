import { extend, type Path, type Step } from './path.ts';

/** An origin of a value, in terms of the function that has the value. There is one object for each key. */
export type Atom = Content & {
  readonly key: string;
  readonly id: number;
  /** The last union that met the atom. */
  mark: number;
  /** The atoms of parts, by the texts of the steps to them. */
  parts: Map<string, Atom> | undefined;
};

type Content =
  /** A part of a parameter, or of what a parameter refers to, as it was when the function was called. */
  | { kind: 'initial'; parameter: number; path: Path }
  | { kind: 'constant'; value: string }
  | { kind: PlainKind };

/**
 * `computed` is in no other place: the value is a result of a calculation. `made` is a new object or minted money.
 * `unread` may be anything.
 */
export type PlainKind =
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

const atoms = new Map<string, WeakRef<Atom>>();

/** Forgets atoms that nothing refers to, so that no analysis fills the memory. */
const unused = new FinalizationRegistry<string>((key) => {
  if (atoms.get(key)?.deref() === undefined) atoms.delete(key);
});

let count = 0;

function atom(key: string, content: Content): Atom {
  const known = atoms.get(key)?.deref();
  if (known) return known;
  const made: Atom = { ...content, key, id: ++count, mark: 0, parts: undefined };
  atoms.set(key, new WeakRef(made));
  unused.register(made, key);
  return made;
}

export const initial = (parameter: number, path: Path): Atom =>
  atom(`${parameter}${path.text}`, { kind: 'initial', parameter, path });

export const constant = (value: string): Atom => atom(`=${value}`, { kind: 'constant', value });

export const plain = (kind: PlainKind, key: string = kind): Atom => atom(key, { kind });

const computed = plain('computed');

/** The atom of a part of a value. */
export function selectAtom(from: Atom, step: Step): Atom {
  if (from.kind === 'constant') return computed;
  if (from.kind !== 'initial') return from;
  const known = from.parts?.get(step.text);
  if (known) return known;
  const part = initial(from.parameter, extend(from.path, step));
  from.parts ??= new Map();
  from.parts.set(step.text, part);
  return part;
}
