import { isFrameworkType } from '../vm/framework.ts';
import { COPY, hasAbility, sameType, type Type } from '../vm/types.ts';
import { copyValue, Ref, StructValue, type Value } from '../vm/values.ts';
import { Clique, isHotPotato } from './cliques.ts';
import { argumentFailure, CommandFailure } from './failures.ts';
import { idValue } from './framework.ts';
import type { Program } from './program.ts';
import { decodePure } from './pure.ts';
import { ObjectSlot, type ReceivingSlot, type Slot, type ValueSlot } from './slots.ts';
import type { Argument } from './types.ts';

/** The arguments of one command: taken by value, borrowed or borrowed mutably, by the chain's rules. */
export class Arguments {
  readonly #touched: { index: number; clique: Clique }[] = [];
  readonly #consumedShared: string[] = [];
  readonly #program: Program;
  readonly #mayTakeGas: boolean;
  readonly #borrowed = new Map<Slot, 'shared' | 'mutable'>();
  /** What was borrowed mutably. */
  readonly mutated: { argument: Argument; slot: ValueSlot }[] = [];

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
    const typed = this.#place(slot, index, wanted);
    const value = this.#typed(typed, index, wanted);
    return { type: typed.type, value: this.#takeTyped(typed, index, value) };
  }

  /** Refuses values that depend on a hot potato, once all are taken: for functions that only a transaction calls. */
  checkCold(): void {
    const hot = this.#touched.find(({ clique }) => clique.isHot);
    if (hot) throw argumentFailure(hot.index, 'InvalidArgumentToPrivateEntryFunction');
  }

  /**
   * Ends the command: all that it touched depends on each other from now on, and on the results, whose clique is
   * the answer.
   *
   * @throws CommandFailure when a shared object that was taken by value was neither deleted nor shared again.
   */
  entangle(): Clique {
    const together = new Clique();
    for (const { clique } of this.#touched) together.join(clique);
    const { deleted, transfers } = this.#program.session.objects;
    for (const id of this.#consumedShared) {
      if (!deleted.has(id) && transfers.get(id)?.owner.kind !== 'shared') {
        throw new CommandFailure({ kind: 'SharedObjectOperationNotAllowed' });
      }
      together.heatForever();
    }
    return together;
  }

  #takeTyped(slot: ValueSlot, index: number, value: Value): Value {
    if (slot instanceof ObjectSlot && slot.isGas && !this.#mayTakeGas) {
      throw argumentFailure(index, 'InvalidGasCoinUsage');
    }
    slot.used = true;
    this.#touched.push({ index, clique: slot.clique });
    const borrowed = this.#borrowed.get(slot);
    if (hasAbility(slot.type, COPY)) {
      if (borrowed === 'mutable') throw argumentFailure(index, 'InvalidValueUsage');
      return copyValue(value, this.#program.session.meter);
    }
    if (borrowed !== undefined) throw argumentFailure(index, 'InvalidValueUsage');
    if (slot instanceof ObjectSlot && !slot.mutable) throw argumentFailure(index, 'InvalidObjectByValue');
    slot.cells[0] = undefined;
    if (isHotPotato(slot.type)) slot.clique.heat(-1);
    if (slot instanceof ObjectSlot && slot.object.owner.kind === 'shared') {
      this.#consumedShared.push(slot.object.id);
    }
    return value;
  }

  borrowMutably(argument: Argument, slot: Slot, index: number, wanted: Type | undefined): Ref {
    const typed = this.#place(slot, index, wanted);
    if (this.#borrowed.has(typed)) throw argumentFailure(index, 'InvalidValueUsage');
    if (typed instanceof ObjectSlot && !typed.mutable) throw argumentFailure(index, 'InvalidObjectByMutRef');
    this.#typed(typed, index, wanted);
    this.#borrowed.set(typed, 'mutable');
    this.mutated.push({ argument, slot: typed });
    return this.#reference(typed, index);
  }

  #borrow(slot: Slot, index: number, wanted: Type): Ref {
    if (slot.kind === 'receiving') return new Ref([this.#receiving(slot, index, wanted).value], 0);
    const typed = this.#place(slot, index, wanted);
    if (this.#borrowed.get(typed) === 'mutable') throw argumentFailure(index, 'InvalidValueUsage');
    this.#typed(typed, index, wanted);
    this.#borrowed.set(typed, 'shared');
    return this.#reference(typed, index);
  }

  #reference(slot: ValueSlot, index: number): Ref {
    slot.used = true;
    this.#touched.push({ index, clique: slot.clique });
    return new Ref(slot.cells, 0);
  }

  #place(slot: Slot, index: number, wanted: Type | undefined): ValueSlot {
    if (slot.kind === 'value') return slot;
    if (slot.kind === 'receiving' || wanted === undefined) throw argumentFailure(index, 'TypeMismatch');
    return slot.as(wanted, () => this.#decode(slot.bytes, index, wanted));
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
    this.#touched.push({ index, clique: slot.clique });
    return { type: wanted, value: new StructValue([idValue(slot.object.id), slot.object.version]) };
  }
}
