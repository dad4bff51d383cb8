import type { FunctionDefJson } from '@adaptor-marketplace/move-toolchain/bytecode';
import { compileFunction } from '../code/compile.ts';
import { entry } from '../errors.ts';
import type { Step } from '../machine.ts';
import { findNative } from '../natives/index.ts';
import type { Native } from '../natives/native.ts';
import type { Type } from '../types.ts';
import type { VerifierMeter } from '../verifier/meter.ts';
import type { LoadedModule } from './module.ts';

/** A function of one package version; its code is made ready when it is verified, or on first use. */
export class LoadedFunction {
  readonly module: LoadedModule;
  readonly definition: FunctionDefJson;
  readonly index: number;
  readonly name: string;
  readonly constraints: readonly number[];
  readonly #signatures: { parameters: number; returns: number };
  #native: Native | undefined;
  #parameters: Type[] | undefined;
  #returns: Type[] | undefined;
  #locals: Type[] | undefined;
  #code: Step[] | undefined;

  constructor(module: LoadedModule, definition: FunctionDefJson, index: number) {
    const handle = entry(module.json.function_handles, definition.function, 'function handle');
    this.module = module;
    this.definition = definition;
    this.index = index;
    this.name = module.identifier(handle.name);
    this.constraints = handle.type_parameters;
    this.#signatures = { parameters: handle.parameters, returns: handle.return_ };
  }

  get visibility(): FunctionDefJson['visibility'] {
    return this.definition.visibility;
  }

  get isEntry(): boolean {
    return this.definition.is_entry;
  }

  get isNative(): boolean {
    return !this.definition.code;
  }

  /** What runs in the place of code; undefined for a native that this network does not have. */
  get native(): Native | undefined {
    this.#native ??= findNative(this.module.address, this.module.name, this.name);
    return this.#native;
  }

  get parameters(): Type[] {
    this.#parameters ??= this.module.signature(this.#signatures.parameters, this.constraints);
    return this.#parameters;
  }

  get returns(): Type[] {
    this.#returns ??= this.module.signature(this.#signatures.returns, this.constraints);
    return this.#returns;
  }

  /** Parameters first, then what the body declares. */
  get locals(): Type[] {
    if (this.#locals === undefined) {
      const own = this.definition.code
        ? this.module.signature(this.definition.code.locals, this.constraints)
        : [];
      this.#locals = [...this.parameters, ...own];
    }
    return this.#locals;
  }

  get code(): Step[] {
    this.#code ??= compileFunction(this);
    return this.#code;
  }

  /** Makes the code ready now, within the bounds of verification. Throws a `verification` error. */
  compile(meter: VerifierMeter): void {
    this.#code = compileFunction(this, meter);
  }
}
