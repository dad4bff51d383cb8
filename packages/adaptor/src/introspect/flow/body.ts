import type { CodeModule, FunctionHandle } from '../code/module.ts';
import type { MoveType } from '../code/move-type.ts';
import { type Fact, factsMax, isUseful, type Summary } from './summary.ts';
import { content, firstResult, flatten, join, nothing, type Value, writeAt } from './value.ts';

/** The effects of a call on the function that makes it. */
interface CallOutcome {
  returns: readonly Value[];
  facts: readonly Fact[];
  /** Value that the call writes behind its first argument, a reference. */
  writes?: Value;
}

/** Evaluates the calls of a body. */
export type CallHandler = (
  callee: FunctionHandle,
  args: readonly Value[],
  typeArgs: readonly MoveType[],
  number: (key: string) => number,
) => CallOutcome;

/** The state of a running function: its stack, its locals, and the facts so far. */
export class Body {
  readonly module: CodeModule;
  readonly handle: FunctionHandle;
  readonly onCall: CallHandler;
  readonly stack: Value[] = [];
  locals: (Value | undefined)[] = [];
  /** Index of the current instruction. */
  pc = 0;
  readonly #numbers = new Map<string, number>();
  readonly #facts = new Map<string, Fact>();
  #returns: Value[];
  #cut = false;

  constructor(module: CodeModule, handle: FunctionHandle, onCall: CallHandler) {
    this.module = module;
    this.handle = handle;
    this.onCall = onCall;
    this.#returns = handle.returns.map(() => nothing);
  }

  buildSummary(): Summary {
    return {
      returns: this.#returns.map(content),
      facts: [...this.#facts.values()],
      cut: this.#cut,
    };
  }

  pop(): Value {
    return this.stack.pop() ?? nothing;
  }

  /** Pops the top values. Returns them in the order in which they were pushed. */
  popMany(count: number): Value[] {
    const values = Array.from({ length: count }, () => this.pop());
    return values.reverse();
  }

  push(value: Value): void {
    this.stack.push(value);
  }

  /** Returns the number of a result of the current instruction. It is the same each time the instruction runs. */
  getNumber(key: string | number): number {
    const name = `${this.pc}:${key}`;
    const known = this.#numbers.get(name) ?? firstResult + this.#numbers.size;
    this.#numbers.set(name, known);
    return known;
  }

  /** Records what the current instruction does; `key` distinguishes the facts of one instruction. */
  note(key: string | number, fact: Fact): void {
    const name = `${this.pc}:${key}`;
    // A value grows in a loop, so a fact that was useful before may no longer be.
    if (!isUseful(fact)) this.#facts.delete(name);
    else if (this.#facts.size < factsMax || this.#facts.has(name)) this.#facts.set(name, fact);
    else this.#cut = true;
  }

  /** Records a write through a reference to the local that it leads to. */
  write(reference: Value, written: Value): void {
    const { place, field } = reference;
    if (field !== undefined) this.note('field', { kind: 'names', value: flatten(written), name: field });
    if (!place) return;
    this.locals[place.local] = writeAt(this.locals[place.local] ?? nothing, place.path, written);
  }

  noteReturn(values: readonly Value[]): void {
    this.#returns = this.#returns.map((value, i) => join(value, content(values[i] ?? nothing)));
  }

  /** Records that the summary is incomplete. */
  markCut(): void {
    this.#cut = true;
  }
}
