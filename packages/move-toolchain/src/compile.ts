import { resolve } from 'node:path';
import { deserialize } from '@mysten/move-bytecode-template';
import { fromBase64 } from '@mysten/sui/utils';
import { builderVersion, loadBuilder, MoveCompileError, type PackageFiles } from './builder.ts';
import { cached } from './cache.ts';
import { type CompiledPackage, linkPackage } from './link.ts';
import { prepared } from './prepared.ts';
import { runCompiler } from './run-compiler.ts';
import {
  frameworkDigest,
  LocalPackageFetcher,
  packageName,
  placeholderId,
  type ReadPackage,
  readDependencies,
  readFramework,
  readPackage,
} from './sources.ts';

export { appendUpgrade } from './append-upgrade.ts';
export { MoveCompileError, type PackageFiles } from './builder.ts';
export type { CompiledPackage } from './link.ts';

export interface CompileOptions {
  /** Ids of dependencies that are on chain already, by the `name` in their Move.toml. */
  published?: Record<string, string>;
  /** Later versions to link to, by the ids in `published`; bytecode names a package as first published. */
  linked?: ReadonlyMap<string, string>;
  /** Gives the other dependencies made-up addresses, to see that it compiles; the output cannot be published. */
  allowUnpublished?: boolean;
  /** Addresses that the output has for dependencies, by the `name` in their Move.toml, in place of all of these. */
  findAddress?: (packageName: string) => string;
  /** Does not keep the output on disk: for sources that are made again each time. */
  uncached?: boolean | undefined;
  /** Reads local dependencies from elsewhere than from disk. */
  read?: ReadPackage;
  /** Leaves the modules at the addresses that the Move.toml gives them: for what is not to be published as it is. */
  placed?: boolean;
}

/** Compiles the package in `dir`. Throws MoveCompileError with the compiler's diagnostics. */
export async function compilePackage(dir: string, options: CompileOptions = {}): Promise<CompiledPackage> {
  return compile(await readPackage(dir), dir, options);
}

/**
 * Compiles a package given as text. `base` is the folder that its local dependencies' paths start from.
 * Throws MoveCompileError with the compiler's diagnostics.
 */
export async function compileSources(
  files: PackageFiles,
  options: CompileOptions & { base?: string } = {},
): Promise<CompiledPackage> {
  return compile(files, options.base ?? process.cwd(), options);
}

/** Bytecode of `framework` by module name: `std` belongs at 0x1, `sui` at 0x2, `sui_system` at 0x3. */
export interface FrameworkModules {
  stdlib: Map<string, Uint8Array>;
  sui: Map<string, Uint8Array>;
  suiSystem: Map<string, Uint8Array>;
}

/** Compiles the framework's own modules, which no package's output holds. */
export async function compileFramework(): Promise<FrameworkModules> {
  const { modules } = await compile(await readFramework(), process.cwd(), { placed: true });
  const framework: FrameworkModules = { stdlib: new Map(), sui: new Map(), suiSystem: new Map() };
  const parts = [framework.stdlib, framework.sui, framework.suiSystem];
  for (const bytes of modules) {
    const { name, address } = moduleId(bytes);
    parts[Number(BigInt(`0x${address}`)) - 1]!.set(name, bytes);
  }
  return framework;
}

async function compile(
  files: PackageFiles,
  root: string,
  {
    published = {},
    linked = new Map(),
    allowUnpublished = false,
    findAddress,
    uncached = false,
    read,
    placed,
  }: CompileOptions,
): Promise<CompiledPackage> {
  // Compiled with made-up ids, which are exchanged afterwards: the cache then serves every network alike.
  const ids = new Map<string, string>();
  const place = (name: string) => {
    const placeholder = placeholderId(name);
    const id = published[name] ?? (allowUnpublished ? placeholder : undefined);
    if (id === undefined)
      throw new MoveCompileError(`It uses the package ${name}, which is not published: its id is needed.`);
    ids.set(placeholder, id);
    return placeholder;
  };
  const findId = findAddress ?? place;
  const compileNow = async () =>
    runCompiler(
      await loadBuilder(),
      prepared(files, root, resolve, placed),
      new LocalPackageFetcher(findId, { read }),
    );
  const dependencies = await readDependencies(files, root, read);
  for (const dependency of dependencies) findId(packageName(dependency));
  const output = await (uncached || findAddress
    ? compileNow()
    : cached(await cacheInputs(files, dependencies), compileNow));
  const compiled = {
    modules: output.modules.map((module) => fromBase64(module)),
    dependencies: output.dependencies,
    digest: Buffer.from(output.digest).toString('hex'),
  };
  return ids.size === 0 ? compiled : linkPackage(compiled, ids, linked);
}

/** All that the compiler's output for a package depends on. */
export async function cacheInputs(files: PackageFiles, dependencies: PackageFiles[]): Promise<unknown[]> {
  return [builderVersion, listInputs(files), dependencies.map(listInputs), await frameworkDigest()];
}

/** The files that the compiler is given, in one order whichever way they were read. */
const listInputs = (files: PackageFiles) =>
  Object.entries(files)
    .filter(([path]) => path === 'Move.toml' || path.endsWith('.move'))
    .sort(([a], [b]) => (a < b ? -1 : 1));

/** A module's own name and address, in hex without 0x. */
export function moduleId(bytes: Uint8Array): { name: string; address: string } {
  const module = deserialize(bytes);
  const self = module.module_handles[module.self_module_handle_idx];
  return { name: module.identifiers[self.name], address: module.address_identifiers[self.address] };
}

/** Groups modules by the address of their package, in hex with 0x. */
export const groupByAddress = (modules: readonly Uint8Array[]): Map<string, Uint8Array[]> =>
  Map.groupBy(modules, (module) => `0x${moduleId(module).address}`);
