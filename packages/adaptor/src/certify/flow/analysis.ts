import { type CodeJson, instructionParts } from '@adaptor-marketplace/move-bytecode';
import type { CodeModule, FunctionHandle } from '../../introspect/code/module.ts';
import { type MoveType, substitute } from '../../introspect/code/move-type.ts';
import { type CodeFunction, getHandle, type LinkedCode } from '../code/program.ts';
import { Application, applicationSteps, TypeArguments } from './apply.ts';
import { Assets } from './assets.ts';
import { Origins } from './atom.ts';
import { forgetSets } from './atom-set.ts';
import { Bits } from './bits.ts';
import { bounds } from './bounds.ts';
import { findComponents } from './components.ts';
import type { Operand } from './frame.ts';
import { noteDropped } from './instructions.ts';
import { findModel, findNative, type KnownFunction } from './known-functions.ts';
import { type Body, type RunCall, readBody, summarize } from './summarize.ts';
import { bottom, type Summary, testKey } from './summary.ts';
import { nothing, unread, type Value } from './value.ts';

/** A call instruction with what it names. */
interface CallSite {
  handle: FunctionHandle;
  typeArgs: readonly MoveType[];
  types: TypeArguments;
  parameters: readonly (MoveType | undefined)[];
  results: readonly (MoveType | undefined)[];
  /** Undefined if it was not read. */
  callee: CodeFunction | undefined;
  /** Present if the meaning is known without the code. */
  known: KnownFunction | undefined;
}

/** Functions that call each other. */
interface Component {
  keys: readonly string[];
  /** Positions of the component itself and of all that it leads to, directly or not. */
  reach: Bits;
  /** Steps that the summaries took. Undefined before. */
  steps: number | undefined;
}

/** The summaries of a program's functions. Each is computed once, after those of the functions that it calls. */
export class Analysis {
  readonly code: LinkedCode;
  readonly assets: Assets;
  readonly #origins = new Origins();
  readonly #summaries = new Map<string, Summary>();
  readonly #callees = new Map<string, readonly string[]>();
  readonly #functions = new Map<string, CodeFunction>();
  /** Each comes after those that it leads to. */
  readonly #components: Component[] = [];
  readonly #componentsByKey = new Map<string, Component>();
  readonly #bodies = new Map<string, Body | undefined>();
  readonly #sites = new Map<CodeModule, Map<string, CallSite>>();

  constructor(code: LinkedCode) {
    forgetSets();
    this.code = code;
    this.assets = new Assets(code);
  }

  /**
   * Summarizes a function and all that it calls. The result does not depend on what was summarized before.
   * @param stepsMax bound on the steps for the function and all that it calls
   */
  summarize(fn: CodeFunction, stepsMax: number): Summary {
    if (!this.#functions.has(fn.key)) this.#functions.set(fn.key, fn);
    const reached = this.#findComponent(fn.key)
      .reach.list()
      .map((index) => this.#components[index]!);
    const count = reached.reduce((sum, { keys }) => sum + keys.length, 0);
    if (count > bounds.functions) return buildFailure(fn, 'functions');
    let steps = 0;
    for (const component of reached) {
      component.steps ??= this.#summarizeTogether(component.keys);
      steps += component.steps;
      if (steps > stepsMax) return buildFailure(fn, 'steps');
    }
    return this.#summaries.get(fn.key)!;
  }

  /** The functions that call each other around one, with all that they lead to. Those come before it. */
  #findComponent(start: string): Component {
    const isNew = (key: string) => !this.#componentsByKey.has(key);
    if (!isNew(start)) return this.#componentsByKey.get(start)!;
    for (const found of findComponents([start], (key) => this.#readCallees(key).filter(isNew))) {
      const keys = found.sort();
      const reach = new Bits(this.#components.length + 1);
      reach.add(this.#components.length);
      const component: Component = { keys, reach, steps: undefined };
      this.#components.push(component);
      for (const key of keys) this.#componentsByKey.set(key, component);
      for (const key of keys) {
        for (const callee of this.#readCallees(key)) reach.addAll(this.#componentsByKey.get(callee)!.reach);
      }
    }
    return this.#componentsByKey.get(start)!;
  }

  /** The keys of the functions with code that a function calls. */
  #readCallees(caller: string): readonly string[] {
    const known = this.#callees.get(caller);
    if (known) return known;
    const { module, index } = this.#functions.get(caller)!;
    const found = new Set<string>();
    for (const instruction of module.functions[index]!.code?.code ?? []) {
      const [name, operand] = instructionParts(instruction);
      if (name !== 'Call' && name !== 'CallGeneric') continue;
      const { callee, known: meaning } = this.#readSite(module, name, Number(operand));
      if (!callee || meaning || !hasCode(callee)) continue;
      found.add(callee.key);
      if (!this.#functions.has(callee.key)) this.#functions.set(callee.key, callee);
    }
    const callees = [...found];
    this.#callees.set(caller, callees);
    return callees;
  }

  /** Summarizes functions that call each other, until nothing is added. Returns the steps of all rounds. */
  #summarizeTogether(keys: readonly string[]): number {
    const isRecursive = keys.length > 1 || this.#readCallees(keys[0]!).includes(keys[0]!);
    let steps = 0;
    if (isRecursive) for (const key of keys) this.#summaries.set(key, buildBottom(this.#functions.get(key)!));
    for (let round = 0; ; round++) {
      let changed = false;
      for (const key of keys) {
        const before = this.#summaries.get(key);
        const after = this.#summarizeOne(this.#functions.get(key)!);
        steps += after.steps;
        this.#summaries.set(key, after);
        if (isRecursive && (!before || describe(before) !== describe(after))) changed = true;
      }
      if (!changed) break;
      if (round < bounds.rounds && steps < bounds.functionSteps * 2) continue;
      for (const key of keys) {
        this.#summaries.set(key, buildFailure(this.#functions.get(key)!, 'rounds of functions'));
      }
      break;
    }
    return steps;
  }

  #summarizeOne(fn: CodeFunction): Summary {
    const model = findModel(getHandle(fn));
    const body = model ? readBody(fn, buildSelfCall(fn), this.#origins) : this.#readBody(fn);
    if (body) return summarize(body, this.assets, model ? runModel(model) : this.#runCall);
    return buildFailure(fn, 'instructions of a function');
  }

  #readBody(fn: CodeFunction): Body | undefined {
    if (this.#bodies.has(fn.key)) return this.#bodies.get(fn.key);
    const { code } = fn.module.functions[fn.index]!;
    const body = code ? readBody(fn, code, this.#origins) : undefined;
    this.#bodies.set(fn.key, body);
    return body;
  }

  readonly #runCall: RunCall = (frame, name, operand) => {
    const site = this.#readSite(frame.module, name, operand);
    const { handle, typeArgs, results, callee, known } = site;
    const args = frame.popMany(handle.parameters.length).map(
      ({ value, type }, i): Operand => ({
        value,
        // Code that no verifier would pass has values of other types.
        type: site.parameters[i] ?? type,
      }),
    );
    if (known) return { results: withTypes(known({ frame, args, typeArgs }), results), facts: [] };
    const summary = callee && this.#summaries.get(callee.key);
    if (!callee || !summary || summary.failure) {
      const { reason, what } = this.#explain(handle, summary);
      frame.runUnread(args, reason, what);
      return { results: results.map((type) => ({ value: unread, type })), facts: [] };
    }
    const body = this.#readBody(callee);
    for (const [i, { value }] of args.entries()) if (body && !body.used.has(i)) noteDropped(frame, value);
    frame.steps += applicationSteps(summary);
    const application = new Application(frame, args, site.types);
    const values = application.run(summary);
    const facts = summary.facts.map((fact) => application.test(fact));
    return { results: withTypes(markCheck(values, handle, summary, callee.key), results), facts };
  };

  /** Reads what each run of a call needs, once. */
  #readSite(module: CodeModule, name: string, operand: number): CallSite {
    const sites = this.#sites.get(module) ?? new Map<string, CallSite>();
    this.#sites.set(module, sites);
    const key = `${name}${operand}`;
    const read = sites.get(key);
    if (read) return read;
    const { handle, typeArgs } = module.callee(name, operand);
    const callee = this.code.find(handle);
    const native = callee && !hasCode(callee) ? findNative(handle) : undefined;
    const site: CallSite = {
      handle,
      typeArgs,
      types: new TypeArguments(typeArgs),
      parameters: handle.parameters.map((type) => substitute(type, typeArgs)),
      results: handle.returns.map((type) => substitute(type, typeArgs)),
      callee,
      known: findModel(handle) ?? native,
    };
    sites.set(key, site);
    return site;
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

/** Builds the summary of a function of which nothing is known yet. */
const buildBottom = (fn: CodeFunction): Summary => bottom(getHandle(fn).returns.length, nothing);

/** Builds the summary of a function that exceeds a bound. */
const buildFailure = (fn: CodeFunction, what: string): Summary => ({
  ...buildBottom(fn),
  failure: { reason: 'bound', what },
});

/** Code that passes the arguments of a function on to it. A transaction calls a modelled function in this way. */
function buildSelfCall(fn: CodeFunction): CodeJson {
  const { parameters } = getHandle(fn);
  const { locals } = fn.module.functions[fn.index]!.code!;
  const loads = parameters.map((_, i) => ({ MoveLoc: i }));
  return { locals, code: [...loads, { Call: 0 }, 'Ret'], jump_tables: [] };
}

/** Runs the one call of `buildSelfCall`. */
const runModel =
  (model: KnownFunction): RunCall =>
  (frame) => {
    const { parameters, returns, constraints } = frame.handle;
    const typeArgs = constraints.map((_, index): MoveType => ({ kind: 'parameter', index }));
    const results = model({ frame, args: frame.popMany(parameters.length), typeArgs });
    return { results: withTypes(results, returns), facts: [] };
  };

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
  const keys = (map: ReadonlyMap<string, unknown> | undefined) => [...(map?.keys() ?? [])].sort().join();
  const value = (each: Value | undefined): string =>
    each === undefined
      ? ''
      : `${each.is.key};${each.from.key};${each.closed};${keys(each.places)};${[...(each.parts ?? [])]
          .map(([key, part]) => `${key}{${value(part.value)}}`)
          .sort()
          .join()};${each.test ? testKey(each.test) : ''}`;
  return JSON.stringify([
    returns.map(value),
    flows.map((flow) => [flow.key, flow.sources.key, value(flow.recipient), flow.guards.key]).sort(),
    splits
      .map((split) => [split.key, split.places.key, value(split.amount), split.guards.key, split.repeated])
      .sort(),
    writes.map((write) => [write.key, value(write.value), write.facts.map(testKey).sort()]).sort(),
    reads.map(({ key }) => key).sort(),
    gates.map((gate) => [gate.key, gate.on.key]).sort(),
    lists.dropped.length,
    lists.unread.length,
    lists.packs.length,
    facts.map(testKey).sort(),
    failure ?? null,
  ]);
}
