import { readFile } from 'node:fs/promises';
import { loadBuilder, MoveCompileError, type PackageFiles } from '../builder.ts';
import { compileSources } from '../compile.ts';
import { prepared } from '../prepared.ts';
import { LocalPackageFetcher } from '../sources.ts';
import { adaptFramework } from './adapt-framework.ts';
import type { BuildRequest, CompilerVersion } from './build.ts';

/** Compiles a package. `findAddress`: the address of a dependency by its name. @throws MoveCompileError */
type Compile = (request: BuildRequest, findAddress: (name: string) => string) => Promise<Uint8Array[]>;

export const compilers: Record<CompilerVersion, Compile> = {
  '1.71.1': async ({ folder, packages }, findAddress) => {
    const read = readFrom(packages);
    const options = { base: folder, read, findAddress };
    return (await compileSources(await read(folder), options)).modules;
  },
  '1.58.3': compileOld('v6/v7source-2024', '1.58.3'),
  '1.26.2': compileOld('v6/classic', '1.26.2'),
};

/** Reads the packages of source, by their folders. */
export const readFrom = (packages: BuildRequest['packages']) => async (dir: string) => {
  // On Windows, paths get a drive and backslashes.
  const files = packages.get(dir.replace(/^[a-zA-Z]:/, '').replaceAll('\\', '/'));
  if (files) return files;
  throw new MoveCompileError(`The source has no package in ${dir}.`);
};

/** The functions of a compiler in WebAssembly that are called here. */
interface Glue {
  default(options: { module_or_path: Uint8Array }): Promise<unknown>;
  verify_against_reference(input: string): string;
}

interface VerifierOutput {
  currentBuild?: { modules: string[] };
  error?: string;
}

/** A compiler that writes version 6 of bytecode. It comes as a verifier, which returns its build with its own comparison. */
function compileOld(route: string, version: CompilerVersion): Compile {
  return async ({ folder, packages, onChain }, findAddress) => {
    const entry = import.meta.resolve('@zktx.io/sui-move-builder/verification');
    const glue: Glue = await import(new URL(`${route}/sui_move_wasm.js`, entry).href);
    await glue.default({ module_or_path: await readFile(new URL(`${route}/sui_move_wasm_bg.wasm`, entry)) });
    const read = readFrom(packages);
    const builder = await loadBuilder();
    const resolved = await builder
      .resolveMovePackageDependencies({
        files: prepared(await read(folder), folder),
        fetcher: new LocalPackageFetcher(findAddress, {
          read,
          changed: (files: PackageFiles) => adaptFramework(files, version),
        }),
        network: 'testnet',
      })
      .catch((error: unknown) => {
        throw new MoveCompileError(error instanceof Error ? error.message : String(error));
      });
    const input = {
      files: resolved.files,
      dependencies: resolved.dependencies,
      options: { silenceWarnings: true, compileIntent: 'publish' },
      reference: { modules: onChain.map((module) => Buffer.from(module).toString('base64')) },
    };
    const { currentBuild, error }: VerifierOutput = JSON.parse(
      glue.verify_against_reference(JSON.stringify(input)),
    );
    if (!currentBuild) throw new MoveCompileError(error ?? 'The compiler returned no modules.');
    return currentBuild.modules.map((module) => Uint8Array.from(Buffer.from(module, 'base64')));
  };
}
