import { isFrameworkType } from '../vm/framework.ts';
import { COPY, hasAbility, sameType, type Type } from '../vm/types.ts';
import { copyValue, Ref, StructValue, type Value } from '../vm/values.ts';
import { Clique, isHotPotato } from './cliques.ts';
import { argumentFailure } from './failures.ts';
import { idValue } from './framework.ts';
import { outputOf, type Program } from './program.ts';
import { decodePure } from './pure.ts';
import { ObjectSlot, type ReceivingSlot, type Slot, ValueSlot } from './slots.ts';
import type { Argument, CommandOutput } from './types.ts';

/** The arguments of one command: taken by value, borrowed or borrowed mutably, by the chain's rules. */
export class Arguments {
  /** All values that this command touches, and so makes depend on each other. */
  readonly clique = new Clique();
  readonly #program: Program;
  readonly #mayTakeGas: boolean;
  readonly #borrowed = new Map<Slot, 'shared' | 'mutable'>();
  readonly #mutated: { argument: Argument; slot: ValueSlot }[] = [];

  constructor(program: Program, options: { mayTakeGas: boolean }) {
    this.#program = program;
    this.#mayTakeGas = options.mayTakeGas;
  }

  /** The value for a parameter of a Move function. */
  forParameter(argument: Argument, index: number, type: Type): Value {
    const slot = this.#program.slot(argument, index);
    if (type.kind === 'reference') {
      return type.mutable
        ? this.borrowMutably(argument, slot, index, type.to)
        : this.#borrow(slot, index, type.to);
    }
    return this.take(slot, index, type).value;
  }

  /** Takes a value (a copy of it, where its type allows); without `wanted`, of whatever type it is. */
  take(slot: Slot, index: number, wanted: Type | undefined): { type: Type; value: Value } {
    if (slot.kind === 'receiving') return this.#receiving(slot, index, wanted);
    const typed = slot.kind === 'pure' ? slot.typed : slot;
    if (slot.kind === 'pure' && typed === undefined) {
      if (wanted === undefined) throw argumentFailure(index, 'TypeMismatch');
      return { type: wanted, value: this.#decode(slot.bytes, index, wanted) };
    }
    const value = this.#typed(typed!, index, wanted);
    return { type: typed!.type, value: this.#takeTyped(typed!, index, value) };
  }

  #takeTyped(slot: ValueSlot, index: number, value: Value): Value {
    if (slot instanceof ObjectSlot && slot.isGas && !this.#mayTakeGas) {
      throw argumentFailure(index, 'InvalidGasCoinUsage');
    }
    slot.used = true;
    this.clique.join(slot.clique);
    const borrowed = this.#borrowed.get(slot);
    if (hasAbility(slot.type, COPY)) {
      if (borrowed === 'mutable') throw argumentFailure(index, 'InvalidValueUsage');
      return copyValue(value, this.#program.session.meter);
    }
    if (borrowed !== undefined) throw argumentFailure(index, 'InvalidValueUsage');
    if (slot instanceof ObjectSlot && !slot.mutable) throw argumentFailure(index, 'InvalidObjectByValue');
    slot.cells[0] = undefined;
    if (isHotPotato(slot.type)) this.clique.heat(-1);
    return value;
  }

  borrowMutably(argument: Argument, slot: Slot, index: number, wanted: Type | undefined): Ref {
    const typed = this.#place(slot, index, wanted);
    if (this.#borrowed.has(typed)) throw argumentFailure(index, 'InvalidValueUsage');
    if (typed instanceof ObjectSlot && !typed.mutable) throw argumentFailure(index, 'InvalidObjectByMutRef');
    this.#typed(typed, index, wanted);
    this.#borrowed.set(typed, 'mutable');
    this.#mutated.push({ argument, slot: typed });
    return this.#reference(typed);
  }

  #borrow(slot: Slot, index: number, wanted: Type): Ref {
    if (slot.kind === 'receiving') return new Ref([this.#receiving(slot, index, wanted).value], 0);
    if (slot.kind === 'pure' && slot.typed === undefined) {
      return new Ref([this.#decode(slot.bytes, index, wanted)], 0);
    }
    const typed = this.#place(slot, index, wanted);
    if (this.#borrowed.get(typed) === 'mutable') throw argumentFailure(index, 'InvalidValueUsage');
    this.#typed(typed, index, wanted);
    this.#borrowed.set(typed, 'shared');
    return this.#reference(typed);
  }

  /** What the command changed through references, for simulations. */
  mutatedOutputs(): CommandOutput['mutatedByRef'] {
    return this.#mutated.flatMap(({ argument, slot }) => {
      const [value] = slot.cells;
      return value === undefined ? [] : [{ argument, ...outputOf(slot.type, value) }];
    });
  }

  #reference(slot: ValueSlot): Ref {
    slot.used = true;
    this.clique.join(slot.clique);
    return new Ref(slot.cells, 0);
  }

  #place(slot: Slot, index: number, wanted: Type | undefined): ValueSlot {
    if (slot.kind === 'value') return slot;
    if (slot.kind === 'receiving' || wanted === undefined) throw argumentFailure(index, 'TypeMismatch');
    slot.typed ??= new ValueSlot(wanted, this.#decode(slot.bytes, index, wanted));
    return slot.typed;
  }

  #typed(slot: ValueSlot, index: number, wanted: Type | undefined): Value {
    if (slot instanceof ObjectSlot) slot.load();
    const [value] = slot.cells;
    if (value === undefined) throw argumentFailure(index, 'InvalidValueUsage');
    if (wanted !== undefined && !sameType(slot.type, wanted)) throw argumentFailure(index, 'TypeMismatch');
    return value;
  }

  #decode(bytes: Uint8Array, index: number, type: Type): Value {
    this.#program.session.meter.charge(bytes.length);
    const value = decodePure(type, bytes);
    if (typeof value === 'object' && 'error' in value) throw argumentFailure(index, value.error);
    return value;
  }

  /** `Receiving<T> { id, version }`: whether the object is a T shows when it is received. */
  #receiving(slot: ReceivingSlot, index: number, wanted: Type | undefined): { type: Type; value: Value } {
    if (wanted === undefined || !isFrameworkType(wanted, 'sui', 'transfer', 'Receiving')) {
      throw argumentFailure(index, 'TypeMismatch');
    }
    if (slot.taken) throw argumentFailure(index, 'InvalidValueUsage');
    slot.taken = true;
    return { type: wanted, value: new StructValue([idValue(slot.object.id), slot.object.version]) };
  }
}
