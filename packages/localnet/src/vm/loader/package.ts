import { LRUCache } from 'lru-cache';
import type { PackageObject, StoredObject } from '../../state/objects.ts';
import { VmError, verificationError } from '../errors.ts';
import type { Datatype, Type } from '../types.ts';
import { LoadedModule, type PackageScope } from './module.ts';
import { resolveTypeName } from './type-tags.ts';

/** A package as published, without what only the ledger knows. */
type PackageContent = Omit<PackageObject, 'previousTransaction'>;

/** A package ready to run: its modules (parsed on first use) and the packages that it is linked to. */
export class LoadedPackage implements PackageScope {
  readonly content: PackageContent;
  /** By original id. Complete: the chain's linkage tables are transitive. */
  readonly dependencies: ReadonlyMap<string, LoadedPackage>;
  readonly #modules = new Map<string, LoadedModule>();
  /** By `module::Name`: the earlier version that first defined the datatype. */
  readonly #origins = new Map<string, LoadedPackage>();

  constructor(content: PackageContent, load: (id: string) => LoadedPackage) {
    this.content = content;
    const dependencies = new Map<string, LoadedPackage>();
    for (const [originalId, { storageId }] of content.linkage) {
      if (originalId !== content.originalId) dependencies.set(originalId, load(storageId));
    }
    this.dependencies = dependencies;
    for (const { module, datatype, packageId } of content.typeOrigins) {
      if (packageId !== content.id) this.#origins.set(`${module}::${datatype}`, load(packageId));
    }
  }

  get id(): string {
    return this.content.id;
  }

  get originalId(): string {
    return this.content.originalId;
  }

  module(name: string): LoadedModule | undefined {
    const known = this.#modules.get(name);
    if (known !== undefined) return known;
    const bytes = this.content.modules.get(name);
    if (bytes === undefined) return undefined;
    const module = new LoadedModule(this, bytes);
    this.#modules.set(name, module);
    return module;
  }

  /** The package version that an address in this package's bytecode stands for. */
  resolve(originalId: string): LoadedPackage {
    if (originalId === this.originalId) return this;
    const found = this.dependencies.get(originalId);
    if (found === undefined) {
      throw verificationError('MISSING_DEPENDENCY', `${this.id} is not linked to package ${originalId}`);
    }
    return found;
  }

  /** One instance per datatype, whichever version of the package is asked. */
  datatype(module: string, name: string): Datatype | undefined {
    const origin = this.#origins.get(`${module}::${name}`);
    return origin === undefined ? this.module(module)?.datatype(name) : origin.datatype(module, name);
  }
}

/** A package whose calls go to other versions of what it is linked to than those that it was published with. */
class Relinked implements PackageScope {
  readonly #owner: LoadedPackage;
  readonly #chosen: ReadonlyMap<string, LoadedPackage>;

  constructor(owner: LoadedPackage, chosen: readonly LoadedPackage[]) {
    this.#owner = owner;
    this.#chosen = new Map(chosen.map((each) => [each.originalId, each]));
  }

  get id(): string {
    return this.#owner.id;
  }

  get originalId(): string {
    return this.#owner.originalId;
  }

  resolve(originalId: string): LoadedPackage {
    return this.#chosen.get(originalId) ?? this.#owner.resolve(originalId);
  }

  module(name: string): LoadedModule | undefined {
    return this.#owner.module(name);
  }

  datatype(module: string, name: string): Datatype | undefined {
    return this.#owner.datatype(module, name);
  }
}

/** Types by name that are remembered between transactions. */
const MAX_TYPES = 10_000;
const MAX_REMEMBERED_NAME = 1_000;

/** Packages with other versions of others that are remembered between transactions, with what was linked in them. */
const MAX_RELINKED = 1_000;

interface Memory<Value> {
  get(name: string): Value | undefined;
  set(name: string, value: Value): unknown;
}

type ReadObject = (id: string) => StoredObject | undefined;

/**
 * Packages by storage id. Packages never change, so one cache serves every transaction of a process; what a
 * running transaction publishes lives in a child cache that is thrown away with it.
 */
export class PackageCache {
  readonly #packages = new Map<string, LoadedPackage>();
  readonly #types: Memory<Type>;
  readonly #relinked: Memory<PackageScope>;
  readonly #parent: PackageCache | undefined;

  constructor(parent?: PackageCache) {
    this.#parent = parent;
    // A child lives as long as one transaction, whose own size bounds it; a bounded cache takes long to make.
    this.#types = parent === undefined ? new LRUCache<string, Type>({ max: MAX_TYPES }) : new Map();
    this.#relinked =
      parent === undefined ? new LRUCache<string, PackageScope>({ max: MAX_RELINKED }) : new Map();
  }

  find(id: string): LoadedPackage | undefined {
    return this.#packages.get(id) ?? this.#parent?.find(id);
  }

  /** Loads a package and all that it is linked to; throws `functionNotFound` when there is no such package. */
  load(id: string, read: ReadObject): LoadedPackage {
    const known = this.find(id);
    if (known !== undefined) return known;
    const object = read(id);
    if (object === undefined || object.kind !== 'package') {
      throw new VmError('functionNotFound', `package ${id} does not exist`);
    }
    // What the ledger holds is committed, so it belongs to the longest-lived cache.
    return this.#root().publish(object, read);
  }

  /** Takes a package in; throws `functionNotFound` when one that it is linked to does not exist. */
  publish(content: PackageContent, read: ReadObject): LoadedPackage {
    const loaded = new LoadedPackage(content, (id) => this.load(id, read));
    this.#packages.set(content.id, loaded);
    return loaded;
  }

  /**
   * The type behind a canonical name, the same instance each time while it is remembered. Throws `typeNotFound`
   * or `constraint`.
   */
  type(name: string, read: ReadObject): Type {
    const known = this.#parent?.knownType(name) ?? this.knownType(name);
    if (known !== undefined) return known;
    const type = resolveTypeName(name, (id, module, datatype) => {
      const owner = this.find(id) ?? (read(id)?.kind === 'package' ? this.load(id, read) : undefined);
      return owner?.datatype(module, datatype);
    });
    if (name.length > MAX_REMEMBERED_NAME) return type;
    // A type of a package that is being published must not outlive the transaction.
    (this.#packages.size > 0 ? this : this.#root()).#types.set(name, type);
    return type;
  }

  /** A package with other versions of what it is linked to, the same instance each time while it is remembered. */
  relinked(owner: LoadedPackage, chosen: readonly LoadedPackage[]): PackageScope {
    const relinked = this.#root().#relinked;
    const key = [owner, ...chosen].map(({ id }) => id).join();
    const known = relinked.get(key) ?? new Relinked(owner, chosen);
    relinked.set(key, known);
    return known;
  }

  knownType(name: string): Type | undefined {
    return this.#types.get(name);
  }

  #root(): PackageCache {
    return this.#parent === undefined ? this : this.#parent.#root();
  }
}
