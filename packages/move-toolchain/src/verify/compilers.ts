import { fromBase64, toBase64 } from '@mysten/sui/utils';
import { MoveCompileError } from '../compile-error.ts';
import { PackageFetcher } from '../fetcher.ts';
import type { PackageFiles } from '../package-files.ts';
import { prepared } from '../prepared.ts';
import { resolveDependencies, runCompiler } from '../run-compiler.ts';
import { adaptFramework } from './adapt-framework.ts';
import type { BuildHost } from './build-host.ts';
import type { BuildInput, CompilerVersion, OldVersion } from './built.ts';
import { keepsOwnAddress } from './check-addresses.ts';
import { resolveFolder } from './source.ts';

/** Compiles a package. `findAddress`: the address of a dependency by its name. @throws MoveCompileError */
type Compile = (
  host: BuildHost,
  input: BuildInput,
  findAddress: (name: string) => string,
) => Promise<Uint8Array[]>;

export const compilers: Record<CompilerVersion, Compile> = {
  '1.71.1': async (host, input, findAddress) => {
    const { files, fetcher } = await prepare(host, input, findAddress);
    const { modules } = await runCompiler(await host.loadBuilder(), files, fetcher);
    return modules.map((module) => fromBase64(module));
  },
  '1.58.3': compileOld('1.58.3'),
  '1.26.2': compileOld('1.26.2'),
};

/** Reads the packages of source, by their folders. */
export const readFrom = (packages: BuildInput['packages']) => async (dir: string) => {
  // On Windows, paths get a drive and backslashes.
  const files = packages.get(dir.replace(/^[a-zA-Z]:/, '').replaceAll('\\', '/'));
  if (files) return files;
  throw new MoveCompileError(`The source has no package in ${dir}.`);
};

/** Puts the compiler's input together. `adapt`: the framework as the compiler accepts it. */
async function prepare(
  { readFrameworkPart }: BuildHost,
  { folder, packages, isFree }: BuildInput,
  findId: (name: string) => string,
  adapt = (files: PackageFiles) => files,
): Promise<{ files: PackageFiles; fetcher: PackageFetcher }> {
  const read = readFrom(packages);
  const own = await read(folder);
  const isPlaced = !isFree && keepsOwnAddress(own, packages.values());
  const files = prepared(own, folder, resolveInSource, isPlaced);
  const readers = { findId, read, readFrameworkPart, resolveFolder: resolveInSource, changed: adapt };
  return { files, fetcher: new PackageFetcher(readers) };
}

/** A path that begins with a slash is that of a package that was fetched, see `prepareSource`. */
function resolveInSource(dir: string, local: string): string {
  if (local.startsWith('/')) return local;
  const target = resolveFolder(dir.slice(1), local);
  if (target !== undefined) return `/${target}`;
  throw new MoveCompileError(`The dependency at ${JSON.stringify(local)} is outside of the source.`);
}

interface VerifierOutput {
  currentBuild?: { modules: string[] };
  error?: string;
}

/** A compiler that writes version 6 of bytecode. It comes as a verifier, which returns its build with its own comparison. */
function compileOld(version: OldVersion): Compile {
  return async (host, input, findAddress) => {
    const compiler = await host.loadOldCompiler(version);
    const { files, fetcher } = await prepare(host, input, findAddress, (files) =>
      adaptFramework(files, version),
    );
    const resolved = await resolveDependencies(await host.loadBuilder(), files, fetcher);
    const request = {
      files: resolved.files,
      dependencies: resolved.dependencies,
      options: { silenceWarnings: true, compileIntent: 'publish' },
      reference: { modules: input.onChain.map((module) => toBase64(module)) },
    };
    const { currentBuild, error }: VerifierOutput = JSON.parse(
      compiler.verify_against_reference(JSON.stringify(request)),
    );
    if (!currentBuild) throw new MoveCompileError(error ?? 'The compiler returned no modules.');
    return currentBuild.modules.map((module) => fromBase64(module));
  };
}
