import type { FunctionDefJson } from '@adaptor-marketplace/move-toolchain/bytecode';
import type { CodeModule, FunctionHandle } from '../code/module.ts';
import type { MoveType } from '../code/move-type.ts';
import { type Block, blocksOf, type Instruction, instructionsOf } from './blocks.ts';
import { runInstruction } from './instructions.ts';
import { type Fact, factsMax, isTelling, type Summary } from './summary.ts';
import { content, firstResult, flat, join, nothing, parameterValue, type Value, writeAt } from './value.ts';

/** What a call gives to the function that makes it. */
export interface CallOutcome {
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

/** Instructions, values and facts that may still be handled, for the whole analysis. */
export interface Fuel {
  left: number;
}

/** Visits of instructions, loops counted as often as they are run through. */
const visitsMax = 60_000;

/**
 * Runs a function's code on what is known of its values, through all branches at once and through loops until nothing
 * is added. Bytecode that no verifier would pass gives some summary too: values that are not there are unknown.
 */
export class Body {
  readonly module: CodeModule;
  readonly handle: FunctionHandle;
  readonly onCall: CallHandler;
  readonly stack: Value[] = [];
  locals: (Value | undefined)[] = [];
  readonly #instructions: readonly Instruction[];
  readonly #blocks: readonly Block[];
  readonly #numbers = new Map<string, number>();
  readonly #facts = new Map<string, Fact>();
  #returns: Value[];
  #cut = false;
  #pc = 0;

  constructor(module: CodeModule, definition: FunctionDefJson, onCall: CallHandler) {
    this.module = module;
    this.handle = module.handle(definition.function);
    this.onCall = onCall;
    this.#returns = this.handle.returns.map(() => nothing);
    const { code } = definition;
    this.#instructions = code ? instructionsOf(code) : [];
    this.#blocks = code ? blocksOf(this.#instructions, code) : [];
  }

  summarize(fuel: Fuel): Summary {
    const atEntry: (Value | undefined)[][] = [];
    atEntry[0] = this.handle.parameters.map((_, i) => parameterValue(i));
    const open = new Set([0]);
    let visits = 0;
    for (const index of open) {
      open.delete(index);
      const block = this.#blocks[index];
      if (!block) continue;
      const length = block.end - block.start + 1;
      visits += length;
      fuel.left -= length + weightOf(atEntry[index]!) * (1 + block.successors.length);
      if (visits > visitsMax || fuel.left < 0) {
        this.#cut = true;
        break;
      }
      this.#run(block, [...atEntry[index]!]);
      for (const next of block.successors) {
        const known = atEntry[next];
        const joined = known ? joinLocals(known, this.locals) : [...this.locals];
        if (joined === known) continue;
        atEntry[next] = joined;
        open.add(next);
      }
    }
    return {
      returns: this.#returns.map(content),
      facts: [...this.#facts.values()],
      cut: this.#cut,
    };
  }

  #run({ start, end }: Block, locals: (Value | undefined)[]): void {
    this.locals = locals;
    this.stack.length = 0;
    for (this.#pc = start; this.#pc <= end; this.#pc++) runInstruction(this, this.#instructions[this.#pc]!);
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
    const name = `${this.#pc}:${key}`;
    const known = this.#numbers.get(name) ?? firstResult + this.#numbers.size;
    this.#numbers.set(name, known);
    return known;
  }

  /** Notes what the instruction that runs does; `key` tells apart what one instruction does. */
  note(key: string | number, fact: Fact): void {
    const name = `${this.#pc}:${key}`;
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

/** What it takes to hold the locals against those of another way to the same place. */
function weightOf(locals: readonly (Value | undefined)[]): number {
  return locals.reduce((sum, value) => sum + (value?.size ?? 1), 0);
}

function joinLocals(known: (Value | undefined)[], now: readonly (Value | undefined)[]) {
  let joined = known;
  for (const [i, value] of now.entries()) {
    if (!value) continue;
    const before = known[i];
    const after = before ? join(before, value) : value;
    if (after === before) continue;
    if (joined === known) joined = [...known];
    joined[i] = after;
  }
  return joined;
}
