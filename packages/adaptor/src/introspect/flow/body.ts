import type { CodeModule, FunctionHandle } from '../code/module.ts';
import type { MoveType } from '../code/move-type.ts';
import { type Fact, factsMax, isTelling, type Summary } from './summary.ts';
import { content, firstResult, flat, join, nothing, type Value, writeAt } from './value.ts';

/** What a call gives to the function that makes it. */
interface CallOutcome {
  returns: readonly Value[];
  facts: readonly Fact[];
  /** Behind the reference that is the first argument. */
  writes?: Value;
}

/** Answers for the functions that a body calls. */
export type CallHandler = (
  callee: FunctionHandle,
  args: readonly Value[],
  typeArgs: readonly MoveType[],
  number: (key: string) => number,
) => CallOutcome;

/** What is known while a function's code runs: its stack, its locals, and the facts so far. */
export class Body {
  readonly module: CodeModule;
  readonly handle: FunctionHandle;
  readonly onCall: CallHandler;
  readonly stack: Value[] = [];
  locals: (Value | undefined)[] = [];
  /** Index of the instruction that runs. */
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

  summary(): Summary {
    return {
      returns: this.#returns.map(content),
      facts: [...this.#facts.values()],
      cut: this.#cut,
    };
  }

  pop(): Value {
    return this.stack.pop() ?? nothing;
  }

  /** The top values in the order in which they were pushed. */
  popMany(count: number): Value[] {
    const values = Array.from({ length: count }, () => this.pop());
    return values.reverse();
  }

  push(value: Value): void {
    this.stack.push(value);
  }

  /** The number of a result of the instruction that runs; the same each time it runs. */
  number(key: string | number): number {
    const name = `${this.pc}:${key}`;
    const known = this.#numbers.get(name) ?? firstResult + this.#numbers.size;
    this.#numbers.set(name, known);
    return known;
  }

  /** Records what the current instruction does; `key` distinguishes the facts of one instruction. */
  note(key: string | number, fact: Fact): void {
    const name = `${this.pc}:${key}`;
    // In a loop a value grows: what told something before may no longer.
    if (!isTelling(fact)) this.#facts.delete(name);
    else if (this.#facts.size < factsMax || this.#facts.has(name)) this.#facts.set(name, fact);
    else this.#cut = true;
  }

  /** What is written through a reference, to the local that it leads to. */
  write(reference: Value, written: Value): void {
    const { place, field } = reference;
    if (field !== undefined) this.note('field', { kind: 'names', value: flat(written), name: field });
    if (!place) return;
    this.locals[place.local] = writeAt(this.locals[place.local] ?? nothing, place.path, written);
  }

  returned(values: readonly Value[]): void {
    this.#returns = this.#returns.map((value, i) => join(value, content(values[i] ?? nothing)));
  }

  giveUp(): void {
    this.#cut = true;
  }
}
