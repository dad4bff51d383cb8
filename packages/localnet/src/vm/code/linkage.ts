import { entry, verificationError } from '../errors.ts';
import type { LoadedFunction, LoadedModule, PackageScope } from '../loader/module.ts';
import { findNative } from '../natives/index.ts';
import type { Callee, Native, Step } from '../runtime/machine.ts';
import { sameTypes } from '../types.ts';
import { compileFunction } from './compile.ts';

const contexts = new WeakMap<PackageScope, LinkContext>();

/**
 * A module as it is linked when `root` is the package that a command calls.
 * @param natives the native functions of everything that is linked when `root` is; the first call decides
 */
export function linkModule(
  root: PackageScope,
  module: LoadedModule,
  natives: typeof findNative = findNative,
): LinkedModule {
  let context = contexts.get(root);
  if (context === undefined) {
    context = new LinkContext(root, natives);
    contexts.set(root, context);
  }
  return context.link(module);
}

/**
 * How calls resolve in a transaction command: on chain the linkage table of the package that the command calls
 * decides for everything below it, so that two packages never run two versions of a third.
 */
class LinkContext {
  readonly root: PackageScope;
  readonly natives: typeof findNative;
  readonly #modules = new Map<LoadedModule, LinkedModule>();

  constructor(root: PackageScope, natives: typeof findNative) {
    this.root = root;
    this.natives = natives;
  }

  link(module: LoadedModule): LinkedModule {
    let linked = this.#modules.get(module);
    if (linked === undefined) {
      linked = new LinkedModule(this, module);
      this.#modules.set(module, linked);
    }
    return linked;
  }

  /** The function `name` of a module that the bytecode names by original id. */
  resolve(originalId: string, moduleName: string, name: string): LinkedFunction {
    const module = this.root.resolve(originalId).module(moduleName);
    const fn = module?.function(name);
    if (module === undefined || fn === undefined) {
      throw verificationError(
        'LOOKUP_FAILED',
        `function ${originalId}::${moduleName}::${name} does not exist`,
      );
    }
    return this.link(module).function(fn);
  }
}

/** A module within one link context; remembers the functions that it calls. */
class LinkedModule {
  readonly context: LinkContext;
  readonly module: LoadedModule;
  readonly #functions: LinkedFunction[] = [];
  readonly #callees: LinkedFunction[] = [];

  constructor(context: LinkContext, module: LoadedModule) {
    this.context = context;
    this.module = module;
  }

  function(fn: LoadedFunction): LinkedFunction {
    this.#functions[fn.index] ??= new LinkedFunction(this, fn);
    return this.#functions[fn.index]!;
  }

  /** The function behind a handle of this module; checks on first use that it is what the handle says. */
  callee(handle: number): LinkedFunction {
    this.#callees[handle] ??= this.#resolve(handle);
    return this.#callees[handle]!;
  }

  #resolve(handleIndex: number): LinkedFunction {
    const { module } = this;
    const handle = entry(module.json.function_handles, handleIndex, 'function handle');
    const name = module.identifier(handle.name);
    const id = module.moduleId(handle.module);
    const callee = module.isSelf(handle.module)
      ? this.#own(name)
      : this.context.resolve(id.address, id.name, name);
    const { fn } = callee;
    if (!isVisible(fn, module))
      throw verificationError('LOOKUP_FAILED', `${id.name}::${name} may not be called from ${module.name}`);
    const constraints = handle.type_parameters;
    const same =
      constraints.length === fn.constraints.length &&
      fn.constraints.every((needed, i) => (constraints[i]! & needed) === needed) &&
      sameTypes(module.signature(handle.parameters, constraints), fn.parameters) &&
      sameTypes(module.signature(handle.return_, constraints), fn.returns);
    if (!same)
      throw verificationError(
        'TYPE_MISMATCH',
        `${id.name}::${name} has another signature than its caller expects`,
      );
    return callee;
  }

  #own(name: string): LinkedFunction {
    const fn = this.module.function(name);
    if (fn === undefined)
      throw verificationError('LOOKUP_FAILED', `function ${name} does not exist in ${this.module.name}`);
    return this.function(fn);
  }
}

function isVisible(fn: LoadedFunction, caller: LoadedModule): boolean {
  if (fn.visibility === 'Public' || fn.module === caller) return true;
  if (fn.visibility === 'Private' || fn.module.address !== caller.address) return false;
  return fn.module.json.friend_decls.some(
    ({ address, name }) =>
      fn.module.addressOf(address) === caller.address && fn.module.identifier(name) === caller.name,
  );
}

/** A function within one link context: what the interpreter calls. */
export class LinkedFunction implements Callee {
  readonly linked: LinkedModule;
  readonly fn: LoadedFunction;
  #native: Native | undefined;

  constructor(linked: LinkedModule, fn: LoadedFunction) {
    this.linked = linked;
    this.fn = fn;
  }

  /** Compiled once for all contexts: when the function was verified, or on first use. */
  get code(): Step[] {
    this.fn.code ??= compileFunction(this.fn);
    return this.fn.code;
  }

  get native(): Native | undefined {
    const { module, name } = this.fn;
    this.#native ??= this.linked.context.natives(module.address, module.name, name);
    return this.#native;
  }
}
