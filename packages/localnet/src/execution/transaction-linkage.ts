import type { ModuleJson } from '@adaptor-marketplace/move-bytecode';
import { fromBase64, normalizeSuiAddress } from '@mysten/sui/utils';
import { VmError } from '../vm/errors.ts';
import { deserializeModule } from '../vm/loader/bytecode.ts';
import type { PackageScope } from '../vm/loader/module.ts';
import type { LoadedPackage, PackageCache } from '../vm/loader/package.ts';
import type { Type } from '../vm/types.ts';
import { CommandFailure } from './failures.ts';
import type { Command } from './types.ts';

/** Packages and types by the names that commands give them; what does not exist is a VmError. */
interface Source {
  load(packageId: string): LoadedPackage;
  type(name: string): Type;
}

/** What a transaction asks of one package: this version, or this one or a newer. */
interface Constraint {
  exact: boolean;
  loaded: LoadedPackage;
}

/**
 * Which version of each package a transaction runs: one for all of its commands, as on chain. The called package is
 * exact, what it is linked to at least as new (exact below an `entry` function that is not public), packages of type
 * arguments at least as new. What is published exactly counts only where its `init` runs.
 */
export class TransactionLinkage {
  readonly #source: Source;
  readonly #commands: readonly Command[];
  readonly #byOriginalId = new Map<string, Constraint>();

  constructor(source: Source, commands: readonly Command[]) {
    this.#source = source;
    this.#commands = commands;
  }

  /** The version that is chosen so far. */
  #chosen(originalId: string): LoadedPackage | undefined {
    return this.#byOriginalId.get(originalId)?.loaded;
  }

  /**
   * Adds what a command asks for, before the first command runs; what does not exist is left to the command itself to
   * report.
   *
   * @throws CommandFailure InvalidLinkage
   */
  addCommand(command: Command): void {
    switch (command.$kind) {
      case 'MoveCall': {
        const { MoveCall: call } = command;
        const loaded = existing(() => this.#source.load(call.package));
        const fn = loaded?.module(call.module)?.function(call.function);
        if (loaded === undefined || fn === undefined) return;
        this.#add(loaded, true);
        for (const dependency of loaded.dependencies.values()) {
          this.#add(dependency, fn.visibility !== 'Public');
        }
        for (const name of call.typeArguments) this.#addType(name);
        break;
      }
      case 'MakeMoveVec':
        if (command.MakeMoveVec.type !== null) this.#addType(command.MakeMoveVec.type);
        break;
      case 'Publish':
        this.#addPublished(command, command.Publish);
        break;
      case 'Upgrade':
        this.#addPublished(command, command.Upgrade);
    }
  }

  #addType(name: string): void {
    const type = existing(() => this.#source.type(name));
    for (const id of type === undefined ? [] : definingIds(type)) {
      const loaded = this.#source.load(id);
      this.#add(loaded, false);
      for (const dependency of loaded.dependencies.values()) this.#add(dependency, false);
    }
  }

  /** Only an `init` that runs binds the transaction to what its package is linked to. */
  #addPublished(command: Command, { modules, dependencies }: Publication): void {
    if (this.#commands.every((each) => each === command || isInert(each))) return;
    const current = command.$kind === 'Upgrade' ? command.Upgrade.package : undefined;
    const before = current === undefined ? undefined : existing(() => this.#source.load(current));
    const runs = modules.some((bytes) => {
      const module = existing(() => deserializeModule(fromBase64(bytes)));
      return module !== undefined && hasInit(module) && !before?.content.modules.has(nameOf(module));
    });
    if (!runs) return;
    const isLinked = before !== undefined && this.#byOriginalId.has(before.originalId);
    for (const id of dependencies) {
      const dependency = existing(() => this.#source.load(normalizeSuiAddress(id)));
      if (dependency === undefined || dependency.originalId === before?.originalId) continue;
      const chosen = isLinked ? this.#chosen(dependency.originalId) : undefined;
      if (chosen === undefined) this.#add(dependency, true);
      else if (chosen.id !== dependency.id) throw conflict(chosen, dependency);
    }
  }

  #add(loaded: LoadedPackage, exact: boolean): void {
    const before = this.#byOriginalId.get(loaded.originalId);
    if (before === undefined) {
      this.#byOriginalId.set(loaded.originalId, { exact, loaded });
      return;
    }
    const known = before.loaded;
    if (known.id === loaded.id) {
      before.exact ||= exact;
      return;
    }
    const isNewer = loaded.content.version > known.content.version;
    if ((before.exact && (exact || isNewer)) || (exact && !isNewer)) throw conflict(known, loaded);
    if (isNewer) this.#byOriginalId.set(loaded.originalId, { exact, loaded });
  }

  /** How code of a called package sees the others. */
  scopeOf(called: LoadedPackage, packages: PackageCache): PackageScope {
    const own = [...called.dependencies].every(([id, { id: version }]) => this.#chosen(id)?.id === version);
    if (own) return called;
    // All of the transaction's: a newer version can be linked to packages that the called one never heard of.
    const chosen = [...this.#byOriginalId.values()].map(({ loaded }) => loaded);
    return packages.relinked(
      called,
      chosen.filter(({ originalId }) => originalId !== called.originalId),
    );
  }
}

type Publication = Extract<Command, { $kind: 'Publish' }>['Publish'];

/** Commands that run no code of a package. */
function isInert({ $kind }: Command): boolean {
  return $kind === 'TransferObjects' || $kind === 'SplitCoins' || $kind === 'MergeCoins';
}

function hasInit({ function_defs, function_handles, identifiers }: ModuleJson): boolean {
  return function_defs.some(
    (definition) => identifiers[function_handles[definition.function]!.name] === 'init',
  );
}

function nameOf({ module_handles, self_module_handle_idx, identifiers }: ModuleJson): string {
  return identifiers[module_handles[self_module_handle_idx]!.name]!;
}

function definingIds(type: Type): string[] {
  if (type.kind === 'vector') return definingIds(type.element);
  if (type.kind !== 'datatype') return [];
  return [type.datatype.definingId, ...type.args.flatMap(definingIds)];
}

function existing<T>(load: () => T): T | undefined {
  try {
    return load();
  } catch (error) {
    if (error instanceof VmError) return undefined;
    throw error;
  }
}

function conflict(known: LoadedPackage, other: LoadedPackage): CommandFailure {
  const [a, b] = [known, other].map(({ id, content }) => `${id} (version ${content.version})`);
  const message = `the transaction needs ${a} and ${b} of one package`;
  return new CommandFailure({ kind: 'InvalidLinkage', message });
}
