import { extend, type Path, rootPath, type Step } from './path.ts';

/** An origin of a value, in terms of the function that has the value. An analysis has one object for each key. */
export type Atom = Content & {
  readonly key: string;
  readonly id: number;
  /** The last union that met the atom. */
  mark: number;
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

let count = 0;

function makeAtom(key: string, content: Content): Atom {
  count += 1;
  return { ...content, key, id: count, mark: 0 };
}

const initials = new WeakMap<Path, Atom[]>();

/** The atom of what a parameter was, or what it referred to. */
export function initial(parameter: number, path: Path): Atom {
  const known = initials.get(path) ?? [];
  initials.set(path, known);
  known[parameter] ??= makeAtom(`${parameter}${path.text}`, { kind: 'initial', parameter, path });
  return known[parameter];
}

/** The constants and the paths of one analysis. */
export class Origins {
  readonly root: Path = rootPath();
  readonly #constants = new Map<string, Atom>();

  constant(value: string): Atom {
    const known = this.#constants.get(value) ?? makeAtom(`=${value}`, { kind: 'constant', value });
    this.#constants.set(value, known);
    return known;
  }
}

export const plain = (kind: PlainKind, key: string = kind): Atom => makeAtom(key, { kind });

export const computed = plain('computed');

/** The atom of a part of a value. */
export function selectAtom(atom: Atom, step: Step): Atom {
  if (atom.kind === 'initial') return initial(atom.parameter, extend(atom.path, step));
  return atom.kind === 'constant' ? computed : atom;
}
