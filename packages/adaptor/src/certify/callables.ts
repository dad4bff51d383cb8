import type { FunctionHandle } from '../introspect/code/module.ts';
import { type CodeFunction, getHandle } from './code/program.ts';
import type { Analysis } from './flow/analysis.ts';
import { bounds } from './flow/bounds.ts';
import type { Summary } from './flow/summary.ts';
import { Signature } from './signature.ts';

/** A function that a transaction can call, with its effects. */
export interface CallableFunction {
  /** `0x<original id>::module::function`. */
  key: string;
  handle: FunctionHandle;
  signature: Signature;
  summary: Summary;
}

/** The functions of packages that transactions can call. */
export class Callables {
  readonly #analysis: Analysis;
  readonly #functions = new Map<string, readonly CodeFunction[] | undefined>();
  readonly #summarized = new Map<string, CallableFunction>();

  constructor(analysis: Analysis) {
    this.#analysis = analysis;
  }

  /** Returns the functions of a package. Undefined if the package was not read as a whole, or is too large. */
  list(address: string): readonly CallableFunction[] | undefined {
    return this.functions(address)?.map((fn) => this.summarize(fn));
  }

  summarize(fn: CodeFunction): CallableFunction {
    const known = this.#summarized.get(fn.key);
    if (known) return known;
    const { code, assets } = this.#analysis;
    const handle = getHandle(fn);
    const summary = this.#analysis.summarize(fn, bounds.steps);
    const found = { key: fn.key, handle, signature: new Signature(code, assets, handle), summary };
    this.#summarized.set(fn.key, found);
    return found;
  }

  /** Returns the functions of `list` without their effects, which are costly to find. */
  functions(address: string): readonly CodeFunction[] | undefined {
    if (!this.#functions.has(address)) this.#functions.set(address, this.#findFunctions(address));
    return this.#functions.get(address);
  }

  #findFunctions(address: string): readonly CodeFunction[] | undefined {
    const { code } = this.#analysis;
    if (!code.hasPackage(address) || !code.isWhole(address)) return undefined;
    const found = code.functions(address).filter(({ module, index }) => {
      const { visibility, is_entry, code: body } = module.functions[index]!;
      return body && (visibility === 'Public' || is_entry);
    });
    return found.length > bounds.functions ? undefined : found;
  }

  /** The datatypes that a package defines, with all of these abilities. */
  datatypes(address: string, abilities = 0): string[] {
    return this.#analysis.code.modules(address).flatMap(({ json, name }) => {
      const handles = [
        ...json.struct_defs.map(({ struct_handle }) => struct_handle),
        ...json.enum_defs.map(({ enum_handle }) => enum_handle),
      ];
      return handles
        .map((handle) => json.datatype_handles[handle]!)
        .filter((handle) => (handle.abilities & abilities) === abilities)
        .map((handle) => `${address}::${name}::${json.identifiers[handle.name]}`);
    });
  }
}
