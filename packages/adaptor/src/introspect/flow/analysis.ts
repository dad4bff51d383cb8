import { isSystemPackage } from '../../packages/system.ts';
import type { CodeModule } from '../code/module.ts';
import type { Program } from '../code/program.ts';
import type { CallHandler } from './body.ts';
import { knownCall } from './known-calls.ts';
import { type Fuel, summarize } from './summarize.ts';
import { type Fact, factAt, type Summary, valueAt } from './summary.ts';
import { computed, content, flat, type Value } from './value.ts';

/** Bound on the depth of calls. The analysis treats deeper code like code that was not read. */
const callDepthMax = 48;

/**
 * The data flow of a program's functions. The analysis runs each function once, for all its callers, and caches its
 * effects in terms of its parameters. The fuel bounds the work for all of them together.
 */
export class Analysis {
  readonly #program: Program;
  readonly #fuel: Fuel;
  readonly #summaries = new Map<string, Summary | 'running'>();
  #depth = 0;

  constructor(program: Program, fuel: Fuel) {
    this.#program = program;
    this.#fuel = fuel;
  }

  /** Returns a function's summary. In a recursive call, the summary of a function that is still running is empty. */
  getSummary(module: CodeModule, index: number): Summary {
    const definition = module.functions[index]!;
    const { address, name: moduleName } = module;
    const key = `${address}::${moduleName}::${index}`;
    const known = this.#summaries.get(key);
    if (known) return known === 'running' ? { returns: [], facts: [], cut: false } : known;
    if (this.#depth >= callDepthMax) return { returns: [], facts: [], cut: true };
    this.#summaries.set(key, 'running');
    this.#depth++;
    const summary = summarize(module, definition, this.#onCall, this.#fuel);
    this.#depth--;
    this.#summaries.set(key, summary);
    return summary;
  }

  readonly #onCall: CallHandler = (callee, args, typeArgs, number) => {
    const isWallet = this.#program.definesWallet(callee.address);
    const known = knownCall(callee, isWallet);
    if (known) {
      const effect = known({
        args,
        typeArgs,
        result: (index, from = args) => computed(from, number(`${index}`)),
      });
      return { returns: [], facts: [], ...effect };
    }
    const found = this.#program.find(callee);
    if (!found) return { returns: [], facts: isSystemPackage(callee.address) ? [] : escapes(args) };
    const summary = this.getSummary(found.module, found.index);
    const carried = summary.returns.reduce((sum, { size = 1 }) => sum + size, summary.facts.length);
    this.#fuel.left -= carried * (1 + args.length);
    const site = { args: args.map(content), typeArgs, resultAt: (origin: number) => number(`>${origin}`) };
    const facts = summary.facts.map((fact) => factAt(site, fact));
    return {
      returns: summary.returns.map((value) => valueAt(site, value)),
      facts: summary.cut ? [...facts, ...escapes(args)] : facts,
    };
  };
}

function escapes(args: readonly Value[]): Fact[] {
  return args.map((arg) => ({ kind: 'escapes', value: flat(content(arg)) }));
}
