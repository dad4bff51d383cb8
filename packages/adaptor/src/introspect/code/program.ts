import { BytecodeError } from '@adaptor-marketplace/move-bytecode';
import type { PackageContent } from '../../packages/source.ts';
import { isSystemPackage } from '../../packages/system.ts';
import { CodeModule, type FunctionName } from './module.ts';
import type { Datatype } from './move-type.ts';

interface DefinedFunction {
  module: CodeModule;
  /** Index of the definition in the module. */
  index: number;
}

/**
 * A package and those of its dependencies that were read. They are linked as the chain links them when it calls the
 * package: by the package's own table, also for calls between its dependencies.
 */
export class Program {
  readonly root: PackageContent;
  /** Packages by original id. */
  readonly #packages = new Map<string, PackageContent>();
  readonly #modules = new Map<string, CodeModule | undefined>();
  /** Ids of dependencies that the analysis needs and that were not read yet. */
  readonly missing = new Set<string>();

  constructor(root: PackageContent) {
    this.root = root;
    this.add(root);
  }

  add(content: PackageContent): void {
    this.#packages.set(content.originalId, content);
    this.missing.delete(content.id);
  }

  /**
   * Yields the root's modules in the order of their names.
   * @throws BytecodeError that names the module
   */
  *rootModules(): Iterable<CodeModule> {
    for (const name of [...this.root.modules.keys()].sort()) {
      const module = this.#module(this.root, name);
      if (module) yield module;
    }
  }

  /**
   * Finds a function's code. Returns undefined if its package was not read, and then adds it to `missing`, or if the
   * package has no such function.
   */
  find({ address, module: moduleName, name }: FunctionName): DefinedFunction | undefined {
    const owner = this.#owner(address);
    const module = owner && this.#module(owner, moduleName);
    const index = module?.indexOf(name);
    return module && index !== undefined ? { module, index } : undefined;
  }

  /**
   * Returns the id of the package version that first defined the type, or the original id if that package was not read.
   */
  definingId = ({ address, module, name }: Datatype): string => {
    return this.#owner(address)?.typeOrigins.get(`${module}::${name}`) ?? address;
  };

  /** Returns `true` if a package of this original id was read and defines a wallet. */
  definesWallet(address: string): boolean {
    return this.#owner(address)?.typeOrigins.has('wallet::Wallet') ?? false;
  }

  /** Adds the packages with these original ids to `missing` unless they were read. */
  addMissing(addresses: Iterable<string>): void {
    for (const address of addresses) this.#owner(address);
  }

  #owner(address: string): PackageContent | undefined {
    const known = this.#packages.get(address);
    if (known) return known;
    // The analysis has its own model of the framework's functions, and the framework's types never move.
    const id = this.root.linkage.get(address);
    if (id !== undefined && !isSystemPackage(address)) this.missing.add(id);
    return undefined;
  }

  #module(owner: PackageContent, name: string): CodeModule | undefined {
    const key = `${owner.id}::${name}`;
    if (this.#modules.has(key)) return this.#modules.get(key);
    const bytes = owner.modules.get(name);
    const module = bytes && parse(bytes, key);
    this.#modules.set(key, module);
    return module;
  }
}

function parse(bytes: Uint8Array, what: string): CodeModule {
  try {
    return new CodeModule(bytes);
  } catch (error) {
    if (error instanceof BytecodeError) throw new BytecodeError(error.status, `${what}: ${error.message}`);
    throw error;
  }
}
