import { type FunctionDefJson, instructionParts } from '@adaptor-marketplace/move-bytecode';
import { isSystemPackage } from '../../packages/system.ts';
import type { CodeModule, FunctionHandle } from '../code/module.ts';
import type { Program } from '../code/program.ts';
import type { CallHandler } from './body.ts';
import { findCallModel } from './known-calls.ts';
import { type Fuel, summarize } from './summarize.ts';
import { type Fact, type Summary, translateFact, translateValue } from './summary.ts';
import { content, flatten, makeComputed, type Value } from './value.ts';

/** Bound on the depth of calls. The analysis treats deeper code like code that was not read. */
const callDepthMax = 48;

/** Summary of a function that is not followed, or not yet. */
const empty: Summary = { returns: [], facts: [], cut: false };

/**
 * The data flow of a program's functions. The analysis runs each function once, for all its callers, and caches its
 * effects in terms of its parameters. The fuel bounds the work for all of them together.
 */
export class Analysis {
  readonly #program: Program;
  readonly #fuel: Fuel;
  readonly #pause: () => Promise<void>;
  readonly #summaries = new Map<string, Summary>();
  #depth = 0;

  constructor(program: Program, fuel: Fuel, pause: () => Promise<void>) {
    this.#program = program;
    this.#fuel = fuel;
    this.#pause = pause;
  }

  /**
   * Returns a function's summary. It runs the functions that are called before their callers, so that no single run has
   * all the work. In a recursive call, the summary of a function that is still running is empty.
   */
  async getSummary(module: CodeModule, index: number): Promise<Summary> {
    const key = buildKey(module, index);
    const known = this.#summaries.get(key);
    if (known || this.#depth >= callDepthMax) return known ?? { ...empty, cut: true };
    const definition = module.functions[index]!;
    this.#summaries.set(key, empty);
    this.#depth++;
    for (const callee of listCallees(module, definition)) {
      const found = this.#getModel(callee) ? undefined : this.#program.find(callee);
      if (found) await this.getSummary(found.module, found.index);
    }
    this.#depth--;
    const summary = await summarize(module, definition, this.#onCall, this.#fuel, this.#pause);
    this.#summaries.set(key, summary);
    return summary;
  }

  #getModel(callee: FunctionHandle) {
    return findCallModel(callee, this.#program.definesWallet(callee.address));
  }

  readonly #onCall: CallHandler = (callee, args, typeArgs, number) => {
    const known = this.#getModel(callee);
    if (known) {
      const effect = known({
        args,
        typeArgs,
        result: (index, from = args) => makeComputed(from, number(`${index}`)),
      });
      return { returns: [], facts: [], ...effect };
    }
    const found = this.#program.find(callee);
    if (!found) return { returns: [], facts: isSystemPackage(callee.address) ? [] : escapes(args) };
    // A call that is too deep was not followed.
    const summary = this.#summaries.get(buildKey(found.module, found.index)) ?? { ...empty, cut: true };
    const carried = summary.returns.reduce((sum, { size = 1 }) => sum + size, summary.facts.length);
    this.#fuel.left -= carried * (1 + args.length);
    const site = { args: args.map(content), typeArgs, resultAt: (origin: number) => number(`>${origin}`) };
    const facts = summary.facts.map((fact) => translateFact(site, fact));
    return {
      returns: summary.returns.map((value) => translateValue(site, value)),
      facts: summary.cut ? [...facts, ...escapes(args)] : facts,
    };
  };
}

const buildKey = ({ address, name }: CodeModule, index: number) => `${address}::${name}::${index}`;

/** Returns the functions that the code of a function calls, in its order. */
function listCallees(module: CodeModule, { code }: FunctionDefJson): Set<FunctionHandle> {
  const calls = (code?.code ?? []).flatMap((instruction) => {
    const [name, operand] = instructionParts(instruction);
    return name === 'Call' || name === 'CallGeneric' ? module.callee(name, Number(operand)).handle : [];
  });
  return new Set(calls);
}

function escapes(args: readonly Value[]): Fact[] {
  return args.map((arg) => ({ kind: 'escapes', value: flatten(content(arg)) }));
}
