import { BytecodeError } from '@adaptor-marketplace/move-bytecode';
import { CodeModule, type FunctionHandle, type FunctionName } from '../../introspect/code/module.ts';
import type { Datatype, MoveType } from '../../introspect/code/move-type.ts';
import type { PackageContent, PackageSource } from '../../packages/source.ts';
import { isSystemPackage } from '../../packages/system.ts';

/** A package version and the packages that it calls, directly or not, those of the framework included. */
export interface Program {
  root: PackageContent;
  /** Content of the versions that the root's linkage table names. Others are ignored. */
  dependencies: readonly PackageContent[];
}

/** A package version whose code the certificate depends on. */
export interface PackageVersion {
  originalId: string;
  id: string;
  /** Version on chain in decimal. */
  version: string;
}

/** Bound on the packages of a program. The chain's own bound on a linkage table is larger. */
const packagesMax = 64;

/**
 * Reads a package and all packages of its linkage table, with those of the framework.
 * @throws PackageUnreadableError if a package is absent, or the node does not answer
 */
export async function readProgram(
  source: PackageSource,
  packageId: string,
  signal?: AbortSignal,
): Promise<Program> {
  const root = await source.read(packageId, signal);
  const ids = [...new Set(root.linkage.values())].sort().slice(0, packagesMax);
  const dependencies = await Promise.all(ids.map((id) => source.read(id, signal)));
  return { root, dependencies };
}

/** A function with code, or a native. */
export interface CodeFunction {
  /** `0x<original id>::module::function`. */
  key: string;
  module: CodeModule;
  /** Index of the definition in the module. */
  index: number;
}

/** Returns the name and the types of a function. */
export const getHandle = ({ module, index }: CodeFunction): FunctionHandle =>
  module.handle(module.functions[index]!.function);

/** A field of a struct, or of one variant of an enum (`Variant.field`), with the type parameters of its datatype. */
interface Field {
  name: string;
  type: MoveType;
}

/** The code of a program. It links calls as the chain does: by the root's own table, also between dependencies. */
export class LinkedCode {
  readonly root: PackageContent;
  readonly #packages = new Map<string, PackageContent>();
  readonly #modules = new Map<string, CodeModule | undefined>();
  readonly #fields = new Map<string, ReadonlyMap<string, Field> | undefined>();
  /** The same by the type itself, which is found faster than its name. */
  readonly #fieldsByType = new WeakMap<Datatype, { found: ReadonlyMap<string, Field> | undefined }>();

  constructor({ root, dependencies }: Program) {
    this.root = root;
    const linked = new Set(root.linkage.values());
    for (const content of dependencies) {
      const isLinked = isSystemPackage(content.originalId)
        ? content.id === content.originalId
        : root.linkage.get(content.originalId) === content.id && linked.has(content.id);
      if (isLinked) this.#packages.set(content.originalId, content);
    }
    this.#packages.set(root.originalId, root);
  }

  /** The packages of the program, sorted by original id. */
  get versions(): PackageVersion[] {
    return [...this.#packages.values()].map(toVersion).sort((a, b) => (a.originalId < b.originalId ? -1 : 1));
  }

  hasPackage(address: string): boolean {
    return this.#packages.has(address);
  }

  /** Returns undefined if the package or the module is not part of the program, or is not valid bytecode. */
  module(address: string, name: string): CodeModule | undefined {
    const key = `${address}::${name}`;
    if (this.#modules.has(key)) return this.#modules.get(key);
    const bytes = this.#packages.get(address)?.modules.get(name);
    const module = bytes && parse(bytes, address, name);
    this.#modules.set(key, module);
    return module;
  }

  /** The modules of a package that are valid bytecode, in the order of their names. */
  modules(address: string): CodeModule[] {
    const names = [...(this.#packages.get(address)?.modules.keys() ?? [])].sort();
    return names.map((name) => this.module(address, name)).filter((module) => module !== undefined);
  }

  /** Returns `true` if each module of the package is valid bytecode. */
  isWhole(address: string): boolean {
    return this.modules(address).length === this.#packages.get(address)?.modules.size;
  }

  /** The functions of a package, natives included, without those of modules that are not valid bytecode. */
  functions(address: string): CodeFunction[] {
    return this.modules(address).flatMap((module) =>
      module.functions.map(({ function: handle }, index) => ({
        key: `${address}::${module.name}::${module.handle(handle).name}`,
        module,
        index,
      })),
    );
  }

  find({ address, module: moduleName, name }: FunctionName): CodeFunction | undefined {
    const module = this.module(address, moduleName);
    const index = module?.indexOf(name);
    if (!module || index === undefined) return undefined;
    return { key: `${address}::${moduleName}::${name}`, module, index };
  }

  /** The fields of a datatype by name, those of all variants for an enum. Undefined if its definition was not read. */
  fields(type: Datatype): ReadonlyMap<string, Field> | undefined {
    const known = this.#fieldsByType.get(type);
    if (known) return known.found;
    const found = this.#readFields(type);
    this.#fieldsByType.set(type, { found });
    return found;
  }

  #readFields({ address, module: moduleName, name }: Datatype): ReadonlyMap<string, Field> | undefined {
    const key = `${address}::${moduleName}::${name}`;
    if (this.#fields.has(key)) return this.#fields.get(key);
    const module = this.module(address, moduleName);
    const fields = module && readFields(module, name);
    const found = fields && new Map(fields.map((field) => [field.name, field]));
    this.#fields.set(key, found);
    return found;
  }
}

export function toVersion({ id, originalId, version }: PackageContent): PackageVersion {
  return { originalId, id, version: version.toString() };
}

/** Parsed modules, since many programs share those of the framework. */
const parsed = new WeakMap<Uint8Array, { module: CodeModule | undefined }>();

/** Returns undefined for bytes that are not the module of that address and name. */
function parse(bytes: Uint8Array, address: string, name: string): CodeModule | undefined {
  const { module } = parsed.get(bytes) ?? { module: parseValid(bytes) };
  parsed.set(bytes, { module });
  return module?.address === address && module.name === name ? module : undefined;
}

function parseValid(bytes: Uint8Array): CodeModule | undefined {
  try {
    return new CodeModule(bytes);
  } catch (error) {
    if (error instanceof BytecodeError) return undefined;
    throw error;
  }
}

function readFields(module: CodeModule, name: string): readonly Field[] | undefined {
  const { json } = module;
  const isNamed = (handle: number) => module.identifier(json.datatype_handles[handle]!.name) === name;
  const toField = (
    prefix: string,
    { name: field, signature }: { name: number; signature: TokenOf },
  ): Field => ({
    name: `${prefix}${module.identifier(field)}`,
    type: module.type(signature),
  });
  const struct = json.struct_defs.find(({ struct_handle }) => isNamed(struct_handle));
  if (struct) {
    const { field_information: information } = struct;
    return information === 'Native' ? undefined : information.Declared.map((field) => toField('', field));
  }
  const found = json.enum_defs.find(({ enum_handle }) => isNamed(enum_handle));
  return found?.variants.flatMap(({ variant_name, fields }) =>
    fields.map((field) => toField(`${module.identifier(variant_name)}.`, field)),
  );
}

type TokenOf = Parameters<CodeModule['type']>[0];
