import { BytecodeError } from '@adaptor-marketplace/move-bytecode';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import type { PackageFiles } from '../package-files.ts';
import { MoveCompileError } from '../compile-error.ts';
import { placeholderId } from '../package-names.ts';
import type { BuildHost } from './build-host.ts';
import { checkAddresses } from './check-addresses.ts';
import { compilers } from './compilers.ts';
import { listDependencies } from './list-dependencies.ts';
import type { CheckedSource } from './source.ts';

/** Versions of Sui whose compilers are at hand. */
export type CompilerVersion = '1.71.1' | '1.58.3' | '1.26.2';

/** A package that the compiler was given, and the address that its modules have in a build. */
export interface BuiltDependency {
  name: string;
  /**
   * Its id on chain, or one that the source cannot have: made up from all inputs of the build, or from the name if the source has
   * no addresses at all.
   */
  address: string;
}

/** Output of one compiler. The package's own address is zero, or as its source names it. */
export interface Build {
  compiler: CompilerVersion;
  modules: Uint8Array[];
  dependencies: BuiltDependency[];
}

/** Source that did not build. */
export interface FailedBuild {
  /** The compiler's diagnostics, or the bound that stopped it. */
  reason: string;
}

export interface BuildInput {
  compiler: CompilerVersion;
  folder: string;
  packages: ReadonlyMap<string, PackageFiles>;
  isFree: boolean;
  /** Modules of the package on chain. The older compilers come with a comparison of their own, which needs them. */
  onChain: readonly Uint8Array[];
  /** Ids of dependencies on chain, by their names. */
  ids: ReadonlyMap<string, string>;
}

/** Builds source that was checked, apart from the process or the worker that asks for it, within bounds. */
export type BuildSource = (
  source: CheckedSource,
  compiler: CompilerVersion,
  onChain: readonly Uint8Array[],
  ids?: ReadonlyMap<string, string>,
) => Promise<Build | FailedBuild>;

/** Maximum length of the compiler's diagnostics. */
const reasonMax = 10_000;

/** Compiles source in this process or worker. It blocks meanwhile, without a bound on time. */
export async function runBuild(host: BuildHost, input: BuildInput): Promise<Build | FailedBuild> {
  const { compiler, isFree, ids } = input;
  try {
    const makeUp = isFree ? placeholderId : makeUpAddresses(input);
    const findAddress = (name: string) => ids.get(name) ?? makeUp(name);
    const dependencies = listDependencies(input, findAddress);
    const modules = await compilers[compiler](host, input, findAddress);
    await checkAddresses(modules, dependencies, host);
    return { compiler, modules, dependencies };
  } catch (error) {
    if (error instanceof MoveCompileError) return { reason: error.message.slice(0, reasonMax) };
    if (error instanceof BytecodeError)
      return { reason: `The chain takes no such package: ${error.message}.` };
    throw error;
  }
}

/** Addresses that neither the source nor the package on chain can contain: they are hashes of both. */
function makeUpAddresses({ packages, onChain }: BuildInput): (name: string) => string {
  const inputs = sha256.create().update(utf8ToBytes(JSON.stringify([...packages])));
  for (const module of onChain) inputs.update(module);
  const seed = bytesToHex(inputs.digest());
  return (name) => `0x${bytesToHex(sha256(utf8ToBytes(`${seed} ${name}`)))}`;
}
