import type { FieldJson, FunctionDefJson, ModuleJson, TokenJson } from '@adaptor-marketplace/move-bytecode';
import { entry, verificationError } from '../errors.ts';
import type { Step } from '../runtime/machine.ts';
import {
  checkTypeArguments,
  Datatype,
  type DatatypeBody,
  type DatatypeType,
  datatypeOf,
  type Field,
  PRIMITIVES,
  referenceTo,
  type Type,
  type TypeParameter,
  vectorOf,
} from '../types.ts';
import { deserializeModule } from './bytecode.ts';

/** A package as its own modules see it. Throws `MISSING_DEPENDENCY` for a package that it is not linked to. */
export interface PackageScope {
  readonly id: string;
  readonly originalId: string;
  /** The package version that an address in this package's bytecode stands for. */
  resolve(originalId: string): PackageScope;
  module(name: string): LoadedModule | undefined;
  datatype(module: string, name: string): Datatype | undefined;
}

/** A module of one package version with its pools resolved on demand. It does not depend on its callers. */
export class LoadedModule {
  readonly package: PackageScope;
  readonly json: ModuleJson;
  readonly name: string;
  /** As the bytecode has it: the original id of the package (0x0 before it is published). */
  readonly address: string;
  readonly functions: LoadedFunction[];
  readonly #functionsByName = new Map<string, LoadedFunction>();
  readonly #datatypes = new Map<string, Datatype>();
  readonly #signatures = new Map<string, Type[]>();

  constructor(owner: PackageScope, bytes: Uint8Array) {
    this.package = owner;
    this.json = deserializeModule(bytes);
    const self = this.moduleId(this.json.self_module_handle_idx);
    this.name = self.name;
    this.address = self.address;
    for (const definition of this.json.struct_defs) {
      const information = definition.field_information;
      if (information === 'Native') throw verificationError('MALFORMED', 'native structs are not allowed');
      this.#define(definition.struct_handle, (constraints) => ({
        kind: 'struct',
        fields: this.#fields(information.Declared, constraints),
      }));
    }
    for (const definition of this.json.enum_defs) {
      this.#define(definition.enum_handle, (constraints) => ({
        kind: 'enum',
        variants: definition.variants.map((variant) => ({
          name: this.identifier(variant.variant_name),
          fields: this.#fields(variant.fields, constraints),
        })),
      }));
    }
    this.functions = this.json.function_defs.map((definition, i) => new LoadedFunction(this, definition, i));
    for (const fn of this.functions) this.#functionsByName.set(fn.name, fn);
  }

  get datatypes(): Iterable<Datatype> {
    return this.#datatypes.values();
  }

  /** Datatypes that this module itself defines, whatever version of it they come from. */
  datatype(name: string): Datatype | undefined {
    return this.#datatypes.get(name);
  }

  function(name: string): LoadedFunction | undefined {
    return this.#functionsByName.get(name);
  }

  identifier(index: number): string {
    return entry(this.json.identifiers, index, 'identifier');
  }

  moduleId(handle: number): { address: string; name: string } {
    const { address, name } = entry(this.json.module_handles, handle, 'module handle');
    return { address: this.addressOf(address), name: this.identifier(name) };
  }

  addressOf(index: number): string {
    return `0x${entry(this.json.address_identifiers, index, 'address')}`;
  }

  /** Whether `handle` points at this module. */
  isSelf(handle: number): boolean {
    const { address, name } = this.moduleId(handle);
    return address === this.address && name === this.name;
  }

  /** Types of a signature; `constraints` are the abilities of the type parameters in scope. */
  signature(index: number, constraints: readonly number[]): Type[] {
    const key = `${index}:${constraints.join()}`;
    let types = this.#signatures.get(key);
    if (types === undefined) {
      types = entry(this.json.signatures, index, 'signature').map((token) => this.type(token, constraints));
      this.#signatures.set(key, types);
    }
    return types;
  }

  type(token: TokenJson, constraints: readonly number[]): Type {
    if (typeof token === 'string') {
      const primitive = PRIMITIVES.get(token.toLowerCase());
      if (primitive === undefined)
        throw verificationError('INVALID_SIGNATURE_TOKEN', `unknown type ${token}`);
      return primitive;
    }
    if ('Vector' in token) return vectorOf(this.#inner(token.Vector, constraints));
    if ('Reference' in token) return referenceTo(this.#inner(token.Reference, constraints), false);
    if ('MutableReference' in token)
      return referenceTo(this.#inner(token.MutableReference, constraints), true);
    if ('TypeParameter' in token) {
      const index = token.TypeParameter;
      return {
        kind: 'parameter',
        index,
        constraints: entry(constraints, index, 'type parameter'),
        open: true,
      };
    }
    const [handle, args] = 'Datatype' in token ? [token.Datatype, []] : token.DatatypeInstantiation;
    return this.instantiate(
      this.datatypeAt(handle),
      args.map((arg) => this.#inner(arg, constraints)),
    );
  }

  /** Throws unless the arguments are as many and as able as the datatype asks. */
  instantiate(datatype: Datatype, args: Type[]): DatatypeType {
    checkTypeArguments(
      args,
      datatype.parameters.map((parameter) => parameter.constraints),
    );
    return datatypeOf(datatype, args);
  }

  /** A type that values are stored with, which no reference is. */
  #inner(token: TokenJson, constraints: readonly number[]): Type {
    const type = this.type(token, constraints);
    if (type.kind === 'reference')
      throw verificationError('INVALID_SIGNATURE_TOKEN', 'a reference cannot be stored');
    return type;
  }

  /** The datatype behind a handle; throws when the module that should define it does not, or defines another. */
  datatypeAt(handle: number): Datatype {
    const { module, name, abilities, type_parameters } = entry(
      this.json.datatype_handles,
      handle,
      'datatype handle',
    );
    const id = this.moduleId(module);
    const datatypeName = this.identifier(name);
    const owner = this.package.resolve(id.address);
    const found = owner.datatype(id.name, datatypeName);
    if (found === undefined) {
      throw verificationError('LOOKUP_FAILED', `${id.address}::${id.name}::${datatypeName} does not exist`);
    }
    const same =
      (found.abilities & abilities) === abilities &&
      found.parameters.length === type_parameters.length &&
      found.parameters.every((parameter, i) => {
        const { constraints, is_phantom } = type_parameters[i]!;
        // A module may ask more of type arguments than the datatype does, and use fewer of them as phantoms.
        return (
          (constraints & parameter.constraints) === parameter.constraints &&
          (parameter.isPhantom || !is_phantom)
        );
      });
    if (!same)
      throw verificationError(
        'TYPE_MISMATCH',
        `${datatypeName} is declared otherwise in ${id.address}::${id.name}`,
      );
    return found;
  }

  #define(handleIndex: number, load: (constraints: number[]) => DatatypeBody): void {
    const handle = entry(this.json.datatype_handles, handleIndex, 'datatype handle');
    const name = this.identifier(handle.name);
    const parameters: TypeParameter[] = handle.type_parameters.map((parameter) => ({
      constraints: parameter.constraints,
      isPhantom: parameter.is_phantom,
    }));
    const constraints = parameters.map((parameter) => parameter.constraints);
    const head = {
      definingId: this.package.id,
      originalId: this.package.originalId,
      module: this.name,
      name,
      abilities: handle.abilities,
      parameters,
    };
    this.#datatypes.set(name, new Datatype(head, () => load(constraints)));
  }

  #fields(fields: FieldJson[], constraints: number[]): Field[] {
    return fields.map((field) => ({
      name: this.identifier(field.name),
      type: this.#inner(field.signature, constraints),
    }));
  }
}

/** A function of one package version. */
export class LoadedFunction {
  readonly module: LoadedModule;
  readonly definition: FunctionDefJson;
  readonly index: number;
  readonly name: string;
  readonly constraints: readonly number[];
  readonly #signatures: { parameters: number; returns: number };
  #parameters: Type[] | undefined;
  #returns: Type[] | undefined;
  #locals: Type[] | undefined;
  /** The compiled code: set when the function is verified, or on its first call. */
  code: Step[] | undefined;

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
}
