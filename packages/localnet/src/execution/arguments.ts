import { isFrameworkType } from '../vm/framework.ts';
import { COPY, hasAbility, sameType, type Type } from '../vm/types.ts';
import { copyValue, Ref, StructValue, type Value } from '../vm/values.ts';
import { Clique, isHotPotato } from './cliques.ts';
import { argumentFailure, CommandFailure } from './failures.ts';
import { idValue } from './framework.ts';
import type { Program } from './program.ts';
import { decodePure } from './pure.ts';
import { ObjectSlot, type Slot, type ValueSlot } from './slots.ts';
import type { Argument } from './types.ts';

/** The arguments of one command: taken by value, borrowed or borrowed mutably, by the chain's rules. */
export class Arguments {
  readonly #touched: { index: number; clique: Clique }[] = [];
  readonly #consumedShared: string[] = [];
  readonly #program: Program;
  readonly #mayTakeGas: boolean;
  readonly #borrows: { slot: ValueSlot; index: number; mutable: boolean }[] = [];
  /** What was borrowed mutably. */
  readonly mutated: { argument: Argument; slot: ValueSlot }[] = [];

  constructor(program: Program, options: { mayTakeGas: boolean }) {
    this.#program = program;
    this.#mayTakeGas = options.mayTakeGas;
  }

  /** The value for a parameter of a Move function. */
  forParameter(argument: Argument, index: number, type: Type): Value {
    const slot = this.#program.slot(argument, index);
    if (type.kind === 'reference') return this.borrow(argument, slot, index, type.to, type.mutable);
    return this.take(slot, index, type).value;
  }

  /** Takes a value (a copy of it, where its type allows); without `wanted`, of whatever type it is. */
  take(slot: Slot, index: number, wanted: Type | undefined): { type: Type; value: Value } {
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
    this.#touched.push({ index, clique: slot.clique });
    const borrowed = this.#borrows.some((borrow) => borrow.slot === slot);
    // The last use takes the value itself, so that one without `drop` is not left over.
    if (hasAbility(slot.type, COPY) && (slot.usesLeft > 0 || borrowed)) {
      return copyValue(value, this.#program.session.meter);
    }
    if (borrowed) throw argumentFailure(index, 'CannotMoveBorrowedValue');
    if (slot === this.#program.gas && !this.#mayTakeGas) throw argumentFailure(index, 'InvalidGasCoinUsage');
    if (slot instanceof ObjectSlot) this.#checkMayTake(slot, index);
    slot.cells[0] = undefined;
    if (isHotPotato(slot.type)) slot.clique.heat(-1);
    return value;
  }

  #checkMayTake({ mutable, object }: ObjectSlot, index: number): void {
    if (!mutable) throw argumentFailure(index, 'InvalidObjectByValue');
    if (object.owner.kind === 'shared') this.#consumedShared.push(object.id);
  }

  borrow(argument: Argument, slot: Slot, index: number, wanted: Type, mutable: boolean): Ref {
    const typed = this.#place(slot, index, wanted);
    this.#typed(typed, index, wanted);
    this.#borrows.push({ slot: typed, index, mutable });
    if (mutable) this.mutated.push({ argument, slot: typed });
    this.#touched.push({ index, clique: typed.clique });
    return new Ref(typed.cells, 0);
  }

  /**
   * Once all arguments are there: what is borrowed mutably is borrowed once, and may be changed. Of a conflict, the
   * first mutable reference is named, as on chain.
   */
  checkBorrows(): void {
    for (const { slot } of this.#borrows) {
      const all = this.#borrows.filter((each) => each.slot === slot);
      const mutable = all.find((each) => each.mutable);
      if (mutable && all.length > 1) throw argumentFailure(mutable.index, 'InvalidReferenceArgument');
    }
    for (const { slot, index, mutable } of this.#borrows) {
      if (mutable && slot instanceof ObjectSlot && !slot.mutable) {
        throw argumentFailure(index, 'InvalidObjectByMutRef');
      }
    }
  }

  #place(slot: Slot, index: number, wanted: Type | undefined): ValueSlot {
    if (slot.kind === 'value') return slot;
    if (wanted === undefined) throw argumentFailure(index, 'TypeMismatch');
    if (slot.kind === 'pure') return slot.as(wanted, () => this.#decode(slot.bytes, index, wanted));
    // `Receiving<T> { id, version }`: whether the object is a T shows when it is received.
    if (!isFrameworkType(wanted, 'sui', 'transfer', 'Receiving'))
      throw argumentFailure(index, 'TypeMismatch');
    const { id, version } = slot.object;
    return slot.as(wanted, () => new StructValue([idValue(id), version]));
  }

  #typed(slot: ValueSlot, index: number, wanted: Type | undefined): Value {
    if (slot instanceof ObjectSlot) slot.load();
    if (wanted !== undefined && !sameType(slot.type, wanted)) throw argumentFailure(index, 'TypeMismatch');
    const [value] = slot.cells;
    if (value === undefined) throw argumentFailure(index, 'ArgumentWithoutValue');
    return value;
  }

  #decode(bytes: Uint8Array, index: number, type: Type): Value {
    this.#program.session.meter.charge(bytes.length);
    const value = decodePure(type, bytes, this.#program.input.unchecked);
    if (typeof value === 'object' && 'error' in value) throw argumentFailure(index, value.error);
    return value;
  }
}
