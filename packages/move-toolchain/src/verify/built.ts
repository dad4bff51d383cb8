import type { PackageFiles } from '../package-files.ts';
import type { CheckedSource } from './source.ts';

/** Versions of Sui whose compilers are at hand. */
export type CompilerVersion = '1.71.1' | OldVersion;

/** Versions whose compilers come with a comparison of their own. */
export type OldVersion = '1.58.3' | '1.26.2';

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
