import {
  type FunctionDefJson,
  type ModuleJson,
  parseModule,
  type TokenJson,
} from '@adaptor-marketplace/move-bytecode';
import type { MoveType } from './move-type.ts';

/** A function that code names, in its own module or another. */
export interface FunctionName {
  /** Original id of the package. */
  address: string;
  module: string;
  name: string;
}

/** A function's signature as its handle has it, wherever the function is defined. */
export interface FunctionHandle extends FunctionName {
  parameters: readonly MoveType[];
  returns: readonly MoveType[];
  /** Abilities that each type argument must have, as bits. */
  constraints: readonly number[];
}

/** A module with its pools resolved on demand. The deserializer has checked every index. */
export class CodeModule {
  readonly json: ModuleJson;
  readonly name: string;
  /** Original id of the package. */
  readonly address: string;
  readonly #handles: (FunctionHandle | undefined)[] = [];
  readonly #signatures: (MoveType[] | undefined)[] = [];
  readonly #functions = new Map<string, number>();

  /** @throws BytecodeError */
  constructor(bytes: Uint8Array) {
    this.json = parseModule(bytes);
    const self = this.#moduleAt(this.json.self_module_handle_idx);
    this.name = self.module;
    this.address = self.address;
    for (const [index, { function: handle }] of this.json.function_defs.entries()) {
      this.#functions.set(this.json.identifiers[this.json.function_handles[handle]!.name]!, index);
    }
  }

  get functions(): readonly FunctionDefJson[] {
    return this.json.function_defs;
  }

  /** Returns the index of a function's definition. */
  indexOf(functionName: string): number | undefined {
    return this.#functions.get(functionName);
  }

  identifier(index: number): string {
    return this.json.identifiers[index]!;
  }

  /** Original ids of the packages that the module names. */
  get mentions(): Set<string> {
    return new Set(this.json.module_handles.map(({ address }) => this.#address(address)));
  }

  handle(index: number): FunctionHandle {
    const known = this.#handles[index];
    if (known) return known;
    const { module, name, parameters, return_, type_parameters } = this.json.function_handles[index]!;
    const handle = {
      ...this.#moduleAt(module),
      name: this.identifier(name),
      parameters: this.signature(parameters),
      returns: this.signature(return_),
      constraints: type_parameters,
    };
    this.#handles[index] = handle;
    return handle;
  }

  /** Returns the function that a `Call` or `CallGeneric` names, and its type arguments. */
  callee(instruction: string, operand: number): { handle: FunctionHandle; typeArgs: readonly MoveType[] } {
    if (instruction === 'Call') return { handle: this.handle(operand), typeArgs: [] };
    const { handle, type_parameters } = this.json.function_instantiations[operand]!;
    return { handle: this.handle(handle), typeArgs: this.signature(type_parameters) };
  }

  /** Returns a signature from the cache, since any number of functions may have the same one. */
  signature(index: number): readonly MoveType[] {
    this.#signatures[index] ??= this.json.signatures[index]!.map((token) => this.type(token));
    return this.#signatures[index];
  }

  type(token: TokenJson): MoveType {
    if (typeof token === 'string') return { kind: 'primitive', name: token.toLowerCase() };
    if ('Vector' in token) return { kind: 'vector', item: this.type(token.Vector) };
    if ('Reference' in token) return { kind: 'reference', mutable: false, to: this.type(token.Reference) };
    if ('MutableReference' in token) {
      return { kind: 'reference', mutable: true, to: this.type(token.MutableReference) };
    }
    if ('TypeParameter' in token) return { kind: 'parameter', index: token.TypeParameter };
    const [handle, args] = 'Datatype' in token ? [token.Datatype, []] : token.DatatypeInstantiation;
    const { module, name, abilities, type_parameters } = this.json.datatype_handles[handle]!;
    return {
      kind: 'datatype',
      ...this.#moduleAt(module),
      name: this.identifier(name),
      args: args.map((arg) => this.type(arg)),
      abilities,
      phantoms: type_parameters.map(({ is_phantom }) => is_phantom),
    };
  }

  #moduleAt(handle: number): { address: string; module: string } {
    const { address, name } = this.json.module_handles[handle]!;
    return { address: this.#address(address), module: this.identifier(name) };
  }

  #address(index: number): string {
    return `0x${this.json.address_identifiers[index]}`;
  }
}
