import type * as builder from '@zktx.io/sui-move-builder/full';
import { MoveCompileError } from './compile-error.ts';
import type { PackageFetcher } from './fetcher.ts';
import type { PackageFiles } from './package-files.ts';

/** The newest compiler, loaded. */
export type Builder = typeof builder;

/** The one network whose name the compiler accepts beside mainnet; it decides nothing but names in files. */
const network = 'testnet';

/** Collects the packages that a package uses. `files`: see `prepared`. @throws MoveCompileError */
export function resolveDependencies(
  builder: Builder,
  files: PackageFiles,
  fetcher: PackageFetcher,
): ReturnType<Builder['resolveMovePackageDependencies']> {
  return builder
    .resolveMovePackageDependencies({ files, fetcher, network })
    .catch((error: unknown) =>
      Promise.reject(new MoveCompileError(error instanceof Error ? error.message : String(error))),
    );
}

/** Compiles a package. `files`: see `prepared`. @throws MoveCompileError */
export async function runCompiler(
  builder: Builder,
  files: PackageFiles,
  fetcher: PackageFetcher,
): Promise<{ modules: string[]; dependencies: string[]; digest: number[] }> {
  const resolvedDependencies = await resolveDependencies(builder, files, fetcher);
  const input = { files, fetcher, network, resolvedDependencies, silenceWarnings: true } as const;
  const result = await builder.dumpMovePackage(input);
  if ('error' in result) throw new MoveCompileError(result.error);
  return { modules: result.modules, dependencies: result.dependencies, digest: result.digest };
}
