import type { VerifierMeter } from '../meter.ts';
import { BorrowGraph, type Path } from './borrow-graph.ts';

/** On the operand stack or in a local: the number of a reference, or undefined for any other value. */
export type Tracked = number | undefined;

/**
 * The references that are alive at one point of a function: those in locals, those on the operand stack, and the
 * frame itself, from which references to locals are made.
 */
export class BorrowState {
  readonly locals: Tracked[];
  readonly stack: Tracked[] = [];
  graph: BorrowGraph;
  readonly #frame: number;
  #next: number;
  readonly #meter: VerifierMeter;

  constructor(locals: Tracked[], graph: BorrowGraph, meter: VerifierMeter) {
    this.locals = locals;
    this.graph = graph;
    this.#meter = meter;
    // Numbers below are for references in locals, so that states can be compared; see `settle`.
    this.#frame = locals.length;
    this.#next = locals.length + 1;
  }

  /** Where a function begins: reference parameters come from outside and borrow from nothing here. */
  static begin(parameters: (boolean | undefined)[], locals: number, meter: VerifierMeter): BorrowState {
    const graph = new BorrowGraph((units) => meter.charge(units));
    const tracked = new Array<Tracked>(locals).fill(undefined);
    for (const [i, mutable] of parameters.entries()) {
      if (mutable === undefined) continue;
      graph.add(i, mutable);
      tracked[i] = i;
    }
    graph.add(locals, true);
    return new BorrowState(tracked, graph, meter);
  }

  copy(): BorrowState {
    this.#meter.charge(this.locals.length);
    return new BorrowState([...this.locals], this.graph.copy(), this.#meter);
  }

  /** A new reference that borrows from nothing yet. */
  fresh(mutable: boolean): number {
    const id = this.#next;
    this.#next += 1;
    this.graph.add(id, mutable);
    return id;
  }

  /** A reference to the same place as `id`. */
  alias(id: number, mutable: boolean): number {
    const copy = this.fresh(mutable);
    this.graph.borrowExactly(id, '', copy);
    return copy;
  }

  borrowLocal(local: number, mutable: boolean): number {
    const id = this.fresh(mutable);
    this.graph.borrowExactly(this.#frame, localPath(local), id);
    return id;
  }

  /** A reference to what `path` leads to from `id`. */
  borrowField(id: number, path: Path, mutable: boolean): number {
    const field = this.fresh(mutable);
    this.graph.borrowExactly(id, path, field);
    return field;
  }

  /** Whether nothing was made from `id` that is still alive. */
  isWritable(id: number): boolean {
    return !this.graph.isBorrowed(id, undefined, () => true);
  }

  /** Whether nothing mutable was made from `id` (below `path`, if given) that is still alive. */
  isReadable(id: number, path?: Path): boolean {
    return (
      !this.graph.isMutable(id) || !this.graph.isBorrowed(id, path, (each) => this.graph.isMutable(each))
    );
  }

  isLocalBorrowed(local: number): boolean {
    return this.graph.isBorrowed(this.#frame, localPath(local), () => true);
  }

  isLocalMutablyBorrowed(local: number): boolean {
    if (this.graph.hasFullBorrow(this.#frame)) return true;
    return this.graph.isBorrowed(this.#frame, localPath(local), (each) => this.graph.isMutable(each));
  }

  /** Whether nobody knows which local a reference was made from. */
  isFrameBorrowed(): boolean {
    return this.graph.hasFullBorrow(this.#frame);
  }

  isAnyLocalBorrowed(): boolean {
    return !this.isWritable(this.#frame);
  }

  release(value: Tracked): void {
    if (value !== undefined) this.graph.release(value);
  }

  /** Numbers the references in locals by their locals. Nothing is on the stack at the end of a block. */
  settle(): void {
    const names = new Map<number, number>();
    for (const [local, id] of this.locals.entries()) {
      if (id === undefined) continue;
      names.set(id, local);
      this.locals[local] = local;
    }
    this.graph = this.graph.renamed((id) => names.get(id) ?? id);
    this.#next = this.#frame + 1;
  }

  /** Keeps the references that both states have, with the borrows of both; whether that changed this one. */
  join(other: BorrowState): boolean {
    this.#meter.charge(this.locals.length);
    const theirs = other.graph.copy();
    let changed = false;
    for (const [local, id] of this.locals.entries()) {
      const their = other.locals[local];
      if (id === their) continue;
      if (id !== undefined) {
        this.graph.release(id);
        this.locals[local] = undefined;
        changed = true;
      } else if (their !== undefined) {
        theirs.release(their);
      }
    }
    return this.graph.join(theirs) || changed;
  }
}

function localPath(local: number): Path {
  return `l${local}/`;
}
