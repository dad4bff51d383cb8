import type { Datatype, MoveType } from '../../introspect/code/move-type.ts';
import { bounds } from './bounds.ts';

/** One step from a value to a part of it. `text` identifies it among the parts of one value. */
export type Step =
  /** A field of a struct, or of an enum's variant. */
  | { kind: 'field'; name: string; text: string }
  /** An item of a vector. */
  | { kind: 'item'; text: string }
  /** A dynamic field of a `UID`. An unknown type matches each. */
  | { kind: 'dynamic'; key: MoveType | undefined; value: MoveType | undefined; text: string }
  /** The value itself or any part of it. */
  | { kind: 'any'; text: string };

/** Steps from a value to a part. An analysis has one object for each path, which its root leads to. */
export interface Path {
  readonly steps: readonly Step[];
  readonly text: string;
  /** The paths with one more step, by the text of the step. */
  readonly longer: Map<string, Path>;
}

/** Makes the path without steps, for one analysis. */
export const rootPath = (): Path => ({ steps: [], text: '', longer: new Map() });

export const item: Step = { kind: 'item', text: '[]' };
export const any: Step = { kind: 'any', text: '.*' };

export const field = (name: string): Step => ({ kind: 'field', name, text: `.${name}` });

export function dynamic(key: MoveType | undefined, value: MoveType | undefined): Step {
  return { kind: 'dynamic', key, value, text: `[${typeText(key)}:${typeText(value)}]` };
}

/** Appends a step. A path that is too long ends in `any`, which covers all that is below it. */
export function extend(path: Path, step: Step): Path {
  if (path.steps.at(-1)?.kind === 'any') return path;
  const last = path.steps.length >= bounds.depth ? any : step;
  const known = path.longer.get(last.text);
  if (known) return known;
  const made = { steps: [...path.steps, last], text: path.text + last.text, longer: new Map() };
  path.longer.set(last.text, made);
  return made;
}

export const concat = (path: Path, steps: readonly Step[]): Path => steps.reduce(extend, path);

const texts = new WeakMap<MoveType, string>();

/** Writes a type with original ids. It identifies the type. */
export function typeText(type: MoveType | undefined): string {
  if (type === undefined) return '?';
  const known = texts.get(type);
  if (known !== undefined) return known;
  const text = writeWhole(type);
  texts.set(type, text);
  return text;
}

function writeWhole(type: MoveType): string {
  switch (type.kind) {
    case 'primitive':
      return type.name;
    case 'parameter':
      return `T${type.index}`;
    case 'vector':
      return `vector<${typeText(type.item)}>`;
    case 'reference':
      return `${type.mutable ? '&mut ' : '&'}${typeText(type.to)}`;
    case 'datatype': {
      const args = type.args.length === 0 ? '' : `<${type.args.map(typeText).join(', ')}>`;
      return `${datatypeName(type)}${args}`;
    }
  }
}

export const datatypeName = ({ address, module, name }: Datatype): string => `${address}::${module}::${name}`;

/** Returns `true` if two steps may lead to the same part: a type parameter may be any type. */
export function mayOverlap(a: Step, b: Step): boolean {
  if (a.kind === 'any' || b.kind === 'any') return true;
  if (a.kind === 'dynamic' && b.kind === 'dynamic') {
    return mayEqual(a.key, b.key) && mayEqual(a.value, b.value);
  }
  return a.text === b.text;
}

function mayEqual(a: MoveType | undefined, b: MoveType | undefined): boolean {
  if (!a || !b || a.kind === 'parameter' || b.kind === 'parameter') return true;
  if (a.kind === 'vector' && b.kind === 'vector') return mayEqual(a.item, b.item);
  if (a.kind === 'datatype' && b.kind === 'datatype') {
    return datatypeName(a) === datatypeName(b) && a.args.every((arg, i) => mayEqual(arg, b.args[i]));
  }
  return typeText(a) === typeText(b);
}
