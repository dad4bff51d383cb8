import { extend, type Path, type Step } from './path.ts';

/** An origin of a value, in terms of the function that has the value. */
export type Atom =
  /** A part of a parameter, or of what a parameter refers to, as it was when the function was called. */
  | { kind: 'initial'; parameter: number; path: Path; key: string; hash: number }
  | { kind: 'constant'; value: string; key: string; hash: number }
  | { kind: PlainKind; key: string; hash: number };

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

export function initial(parameter: number, path: Path): Atom {
  const key = `${parameter}${path.text}`;
  return { kind: 'initial', parameter, path, key, hash: hashText(key) };
}

export function constant(value: string): Atom {
  const key = `=${value}`;
  return { kind: 'constant', value, key, hash: hashText(key) };
}

export const plain = (kind: PlainKind, key: string = kind): Atom => ({ kind, key, hash: hashText(key) });

const computed = plain('computed');

/** The atom of a part of a value. */
export function selectAtom(atom: Atom, step: Step): Atom {
  if (atom.kind === 'initial') return initial(atom.parameter, extend(atom.path, step));
  return atom.kind === 'constant' ? computed : atom;
}

function hashText(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return hash;
}
