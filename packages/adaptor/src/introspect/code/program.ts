import { BytecodeError } from '@adaptor-marketplace/move-toolchain/bytecode';
import type { PackageContent } from '../../packages/source.ts';
import { isSystemPackage } from '../../packages/system.ts';
import { CodeModule, type FunctionName } from './module.ts';
import type { Datatype } from './move-type.ts';

interface DefinedFunction {
  module: CodeModule;
  /** Of the definition. */
  index: number;
}

/**
 * A package and those of its dependencies that were read, linked as the chain links them when the package is called:
 * by its own table, also for calls between its dependencies.
 */
export class Program {
  readonly root: PackageContent;
  /** By original id. */
  readonly #packages = new Map<string, PackageContent>();
  readonly #modules = new Map<string, CodeModule | undefined>();
  /** Ids of dependencies that were asked for and not read yet. */
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
   * The root's modules in the order of their names.
   * @throws BytecodeError that names the module
   */
  *rootModules(): Iterable<CodeModule> {
    for (const name of [...this.root.modules.keys()].sort()) {
      const module = this.#module(this.root, name);
      if (module) yield module;
    }
  }

  /** The function's code; undefined where its package was not read, which `missing` then has, or has no such code. */
  find({ address, module: moduleName, name }: FunctionName): DefinedFunction | undefined {
    const owner = this.#owner(address);
    const module = owner && this.#module(owner, moduleName);
    const index = module?.indexOf(name);
    return module && index !== undefined ? { module, index } : undefined;
  }

  /** The package version that first defined the type; the original id where that package was not read. */
  definingId = ({ address, module, name }: Datatype): string => {
    return this.#owner(address)?.typeOrigins.get(`${module}::${name}`) ?? address;
  };

  /** Whether a package of this original id has been read and defines a wallet. */
  definesWallet(address: string): boolean {
    return this.#owner(address)?.typeOrigins.has('wallet::Wallet') ?? false;
  }

  /** Notes packages as needed, by their original ids. */
  want(addresses: Iterable<string>): void {
    for (const address of addresses) this.#owner(address);
  }

  #owner(address: string): PackageContent | undefined {
    const known = this.#packages.get(address);
    if (known) return known;
    // The framework's functions are known by what they do, and its types never move.
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
