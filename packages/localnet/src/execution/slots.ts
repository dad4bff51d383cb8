import type { MoveObject } from '../state/objects.ts';
import { deserializeValue } from '../vm/bcs.ts';
import { sameType, type Type } from '../vm/types.ts';
import type { Value } from '../vm/values.ts';
import { Clique } from './cliques.ts';

/** A place that arguments name: an input, the gas coin, or one result of a command. */
export type Slot = PureSlot | ReceivingSlot | ValueSlot;

/** An input whose type is that of each use: each type has a value of its own, as on chain. */
class UntypedSlot {
  readonly #values: ValueSlot[] = [];

  /** The value of a type; `make` makes it when it is first wanted. */
  as(type: Type, make: () => Value): ValueSlot {
    let slot = this.#values.find((each) => sameType(each.type, type));
    if (slot === undefined) {
      slot = new ValueSlot(type, make());
      this.#values.push(slot);
    }
    return slot;
  }
}

export class PureSlot extends UntypedSlot {
  readonly kind = 'pure';
  readonly bytes: Uint8Array;

  constructor(bytes: Uint8Array) {
    super();
    this.bytes = bytes;
  }
}

export class ReceivingSlot extends UntypedSlot {
  readonly kind = 'receiving';
  readonly object: MoveObject;

  constructor(object: MoveObject) {
    super();
    this.object = object;
  }
}

/** A value with its type; the cell is empty once the value was moved out. */
export class ValueSlot {
  readonly kind = 'value';
  readonly type: Type;
  readonly cells: [Value | undefined];
  readonly clique = new Clique();
  /** How many arguments of later commands name this result: the last of them takes what can be copied, too. */
  usesLeft = Number.POSITIVE_INFINITY;

  constructor(type: Type, value: Value | undefined) {
    this.type = type;
    this.cells = [value];
  }
}

/** An input object or the gas coin; its bytes are read when a command first needs them. */
export class ObjectSlot extends ValueSlot {
  readonly object: MoveObject;
  /** Objects of addresses always are; immutable ones never; others where the input says so. */
  readonly mutable: boolean;
  #loaded = false;

  constructor(type: Type, object: MoveObject, mutable: boolean) {
    super(type, undefined);
    this.object = object;
    this.mutable = object.owner.kind === 'address' || (object.owner.kind !== 'immutable' && mutable);
  }

  get loaded(): boolean {
    return this.#loaded;
  }

  load(): void {
    if (this.#loaded) return;
    this.#loaded = true;
    this.cells[0] = deserializeValue(this.type, this.object.contents);
  }
}
