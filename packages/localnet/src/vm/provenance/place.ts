import { typeName } from '../type-names.ts';
import { BOOL, type DatatypeType, type Type } from '../types.ts';

/** A step from a value to a part of it. A field of an enum is named `Variant.field`. */
type PlaceStep =
  | { kind: 'field'; of: DatatypeType; name: string }
  | { kind: 'item' }
  /** A dynamic field of the `UID` before it. `value` is the type of the child object. */
  | { kind: 'dynamic'; key: Type | undefined; value: Type | undefined };

/** A place in a parameter of the observed call, or in what the parameter refers to. One instance for each place of a call. */
export class Place {
  readonly parameter: number;
  readonly parent: Place | undefined;
  readonly step: PlaceStep | undefined;
  readonly type: Type;
  /** The value that the place had when the function was called. */
  readonly initial: Atom;
  readonly #parts = new Map<string, Place>();

  constructor(parameter: number, type: Type, parent?: Place, step?: PlaceStep) {
    this.parameter = parameter;
    this.type = type;
    this.parent = parent;
    this.step = step;
    this.initial = { kind: 'initial', place: this };
  }

  field(of: DatatypeType, name: string, type: Type): Place {
    return this.#part(name, type, { kind: 'field', of, name });
  }

  item(type: Type): Place {
    return this.#part('[]', type, { kind: 'item' });
  }

  /** @param key undefined for the object in a dynamic object field, whose key has the field's own name */
  dynamic(key: Type | undefined, value: Type | undefined): Place {
    const name = `[${key === undefined ? '' : typeName(key)}:${value === undefined ? '' : typeName(value)}]`;
    return this.#part(name, value ?? BOOL, { kind: 'dynamic', key, value });
  }

  /** From the parameter to the place. */
  get steps(): PlaceStep[] {
    const steps: PlaceStep[] = [];
    for (let place: Place = this; place.parent && place.step; place = place.parent) steps.unshift(place.step);
    return steps;
  }

  #part(name: string, type: Type, step: PlaceStep): Place {
    let part = this.#parts.get(name);
    if (part === undefined) {
      part = new Place(this.parameter, type, this, step);
      this.#parts.set(name, part);
    }
    return part;
  }
}

/** A concrete origin of a value. */
export type Atom =
  | { readonly kind: 'initial'; readonly place: Place }
  /** As the code writes it: decimal, an address, `true`, `false`, bytes in hex. */
  | { readonly kind: 'constant'; readonly value: string }
  | { readonly kind: PlainKind };

type PlainKind = 'sender' | 'time' | 'transaction' | 'fresh' | 'type' | 'made' | 'received' | 'funds';

const plainAtom = <Kind extends PlainKind>(kind: Kind) => ({ kind }) as const;

export const plainAtoms: Readonly<Record<PlainKind, Atom>> = {
  sender: plainAtom('sender'),
  time: plainAtom('time'),
  transaction: plainAtom('transaction'),
  fresh: plainAtom('fresh'),
  type: plainAtom('type'),
  made: plainAtom('made'),
  received: plainAtom('received'),
  funds: plainAtom('funds'),
};

/** Everything that a value was calculated from. Never changed once made. */
export type Label = ReadonlySet<Atom>;

export const noAtoms: Label = new Set();

export const labelWith = (...atoms: Atom[]): Label => new Set(atoms);

/** Returns one of the two if the other adds nothing. */
export function union(a: Label, b: Label): Label {
  if (a === b || b.size === 0) return a;
  if (a.size === 0) return b;
  let all: Set<Atom> | undefined;
  for (const atom of b) {
    if (a.has(atom)) continue;
    all ??= new Set(a);
    all.add(atom);
  }
  return all ?? a;
}
