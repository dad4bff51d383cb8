import { instructionParts } from '@adaptor-marketplace/move-bytecode';
import type { FunctionHandle, FunctionName } from '../../introspect/code/module.ts';
import { type MoveType, substitute } from '../../introspect/code/move-type.ts';
import { bounds } from '../bounds.ts';
import type { CodeFunction, LinkedCode } from '../program.ts';
import { Application, applicationSteps } from './apply.ts';
import { Assets } from './assets.ts';
import { components } from './components.ts';
import type { Operand } from './frame.ts';
import { findModel, findNative, type KnownFunction } from './known-functions.ts';
import { type Body, type RunCall, readBody, summarize } from './summarize.ts';
import { bottom, type Summary, testKey } from './summary.ts';
import { nothing, unread, type Value } from './value.ts';

/** The summaries of a program's functions. Each is computed once, after those of the functions that it calls. */
export class Analysis {
  readonly code: LinkedCode;
  readonly assets: Assets;
  readonly #summaries = new Map<string, Summary>();
  readonly #callees = new Map<string, readonly CodeFunction[]>();
  readonly #functions = new Map<string, CodeFunction>();
  readonly #bodies = new Map<string, Body | undefined>();

  constructor(code: LinkedCode) {
    this.code = code;
    this.assets = new Assets(code);
  }

  /**
   * Summarizes a function and all that it calls. The result does not depend on what was summarized before.
   * @param steps bound on the steps for the function and all that it calls
   */
  summarize(fn: CodeFunction, stepsMax: number): Summary {
    const order = components([fn.key], (key) =>
      this.#readCallees(this.#functionAt(key, fn)).map((each) => each.key),
    );
    const count = order.reduce((sum, component) => sum + component.length, 0);
    if (count > bounds.functions) return this.#fail(fn, 'functions');
    let steps = 0;
    for (const component of order) {
      const keys = [...component].sort();
      if (keys.some((key) => !this.#summaries.has(key))) this.#summarizeTogether(keys);
      for (const key of keys) steps += this.#summaries.get(key)!.steps;
      if (steps > stepsMax) return this.#fail(fn, 'steps');
    }
    return this.#summaries.get(fn.key)!;
  }

  #functionAt(key: string, root: CodeFunction): CodeFunction {
    return this.#functions.get(key) ?? root;
  }

  #fail(fn: CodeFunction, what: string): Summary {
    const { returns } = fn.module.handle(fn.module.functions[fn.index]!.function);
    return { ...bottom(returns.length, nothing), failure: { reason: 'bound', what } };
  }

  /** The functions with code that a function calls. */
  #readCallees(fn: CodeFunction): readonly CodeFunction[] {
    const known = this.#callees.get(fn.key);
    if (known) return known;
    this.#functions.set(fn.key, fn);
    const { code } = fn.module.functions[fn.index]!;
    const found = new Map<string, CodeFunction>();
    for (const instruction of code?.code ?? []) {
      const [name, operand] = instructionParts(instruction);
      if (name !== 'Call' && name !== 'CallGeneric') continue;
      const { handle } = fn.module.callee(name, Number(operand));
      const callee = findModel(handle) ? undefined : this.code.find(handle);
      if (callee && hasCode(callee)) found.set(callee.key, callee);
    }
    for (const [key, callee] of found) this.#functions.set(key, callee);
    const callees = [...found.values()];
    this.#callees.set(fn.key, callees);
    return callees;
  }

  /** Summarizes functions that call each other, until nothing is added. */
  #summarizeTogether(keys: readonly string[]): void {
    const isCircle = keys.length > 1 || this.#callees.get(keys[0]!)!.some(({ key }) => key === keys[0]);
    let steps = 0;
    if (isCircle) for (const key of keys) this.#summaries.set(key, this.#bottom(key));
    for (let round = 0; ; round++) {
      let changed = false;
      for (const key of keys) {
        const before = this.#summaries.get(key);
        const after = this.#summarizeOne(this.#functions.get(key)!);
        steps += after.steps;
        this.#summaries.set(key, after);
        if (isCircle && (!before || describe(before) !== describe(after))) changed = true;
      }
      if (!changed) break;
      if (round < bounds.rounds && steps < bounds.functionSteps * 2) continue;
      for (const key of keys) {
        this.#summaries.set(key, {
          ...this.#bottom(key),
          failure: { reason: 'bound', what: 'rounds of functions' },
        });
      }
      break;
    }
    // The steps of all rounds count once.
    for (const [i, key] of keys.entries()) {
      this.#summaries.set(key, { ...this.#summaries.get(key)!, steps: i === 0 ? steps : 0 });
    }
  }

  #bottom(key: string): Summary {
    const { module, index } = this.#functions.get(key)!;
    return bottom(module.handle(module.functions[index]!.function).returns.length, nothing);
  }

  #summarizeOne(fn: CodeFunction): Summary {
    const body = this.#readBody(fn);
    if (body) return summarize(body, this.assets, this.#runCall);
    return this.#fail(fn, 'instructions of a function');
  }

  #readBody(fn: CodeFunction): Body | undefined {
    if (this.#bodies.has(fn.key)) return this.#bodies.get(fn.key);
    const { code } = fn.module.functions[fn.index]!;
    const body = code ? readBody(fn, code) : undefined;
    this.#bodies.set(fn.key, body);
    return body;
  }

  readonly #runCall: RunCall = (frame, { handle, typeArgs }, args) => {
    const types = handle.returns.map((type) => (typeArgs.length === 0 ? type : substitute(type, typeArgs)));
    const typed = args.map(
      ({ value, type }, i): Operand => ({
        value,
        // Code that no verifier would pass has values of other types.
        type: substitute(handle.parameters[i], typeArgs) ?? type,
      }),
    );
    const known = this.#findKnown(handle);
    if (known) return { results: withTypes(known({ frame, args: typed, typeArgs }), types), facts: [] };
    const callee = this.code.find(handle);
    const summary = callee && this.#summaries.get(callee.key);
    if (!callee || !summary || summary.failure) {
      const { reason, what } = this.#explain(handle, summary);
      frame.runUnread(typed, reason, what);
      return { results: types.map((type) => ({ value: unread, type })), facts: [] };
    }
    frame.steps += applicationSteps(summary);
    const application = new Application(frame, typed, typeArgs);
    const values = application.run(summary);
    const facts = summary.facts.map((fact) => application.test(fact));
    return { results: withTypes(markCheck(values, handle, summary, callee.key), types), facts };
  };

  #findKnown(name: FunctionName): KnownFunction | undefined {
    const model = findModel(name);
    if (model) return model;
    const callee = this.code.find(name);
    return callee && !hasCode(callee) ? findNative(name) : undefined;
  }

  #explain(
    { address, module, name }: FunctionHandle,
    summary: Summary | undefined,
  ): NonNullable<Summary['failure']> {
    if (summary?.failure) return summary.failure;
    const what = `${address}::${module}::${name}`;
    if (!this.code.hasPackage(address)) return { reason: 'package', what: address };
    if (!this.code.module(address, module)) return { reason: 'module', what: `${address}::${module}` };
    return { reason: this.code.find({ address, module, name }) ? 'native' : 'function', what };
  }
}

const hasCode = ({ module, index }: CodeFunction): boolean => Boolean(module.functions[index]!.code);

function withTypes(values: readonly Value[], types: readonly (MoveType | undefined)[]): Operand[] {
  return types.map((type, i) => ({ value: values[i] ?? unread, type }));
}

/** Marks the result of a function that only checks, to find out if it is thrown away. */
function markCheck(
  values: readonly Value[],
  { returns }: FunctionHandle,
  summary: Summary,
  key: string,
): readonly Value[] {
  const [only] = returns;
  const isBool = returns.length === 1 && only?.kind === 'primitive' && only.name === 'bool';
  const isPure = summary.writes.length === 0 && summary.flows.length === 0 && summary.unread.length === 0;
  return isBool && isPure && values[0] ? [{ ...values[0], check: key }] : values;
}

/** Describes a summary, to find out if it changed. */
function describe({
  returns,
  flows,
  splits,
  writes,
  reads,
  gates,
  facts,
  failure,
  ...lists
}: Summary): string {
  const atoms = (set: ReadonlyMap<string, unknown> | undefined) => [...(set?.keys() ?? [])].sort().join();
  const value = (each: Value | undefined): string =>
    each === undefined
      ? ''
      : `${atoms(each.is)};${atoms(each.from)};${each.closed};${atoms(each.places)};${[...(each.parts ?? [])]
          .map(([key, part]) => `${key}{${value(part.value)}}`)
          .sort()
          .join()};${each.test ? testKey(each.test) : ''}`;
  return JSON.stringify([
    returns.map(value),
    flows.map((flow) => [flow.key, atoms(flow.sources), value(flow.recipient), atoms(flow.guards)]).sort(),
    splits.map((split) => [split.key, atoms(split.places), value(split.amount), split.repeated]).sort(),
    writes.map((write) => [write.key, value(write.value), write.facts.map(testKey).sort()]).sort(),
    reads.map(({ key }) => key).sort(),
    gates.map((gate) => [gate.key, atoms(gate.on)]).sort(),
    lists.dropped.length,
    lists.unread.length,
    lists.packs.length,
    facts.map(testKey).sort(),
    failure ?? null,
  ]);
}
