import { BytecodeError } from '@adaptor-marketplace/move-bytecode';
import { fromBase64 } from '@mysten/sui/utils';
import { readCached } from '../cache.ts';
import { cacheInputs } from '../compile.ts';
import { MoveCompileError } from '../compile-error.ts';
import { placeholderId, readDependencies } from '../sources.ts';
import type { Build } from './built.ts';
import { checkAddresses } from './check-addresses.ts';
import { readFrom } from './compilers.ts';
import { listDependencies } from './list-dependencies.ts';
import { nodeHost } from './node-host.ts';
import type { CheckedSource } from './source.ts';

/**
 * Finds the output of an earlier run of the newest compiler for the same texts on this machine. It is that of the first build of
 * source without addresses, which has the same addresses for its dependencies.
 */
export async function findKeptBuild(source: CheckedSource): Promise<Build | undefined> {
  const { folder, packages, isFree } = source;
  if (!isFree) return undefined;
  try {
    const read = readFrom(packages);
    const files = await read(folder);
    const kept = await readCached(await cacheInputs(files, await readDependencies(files, folder, read)));
    if (!kept) return undefined;
    const modules = kept.modules.map((module) => fromBase64(module));
    const dependencies = listDependencies(source, placeholderId);
    await checkAddresses(modules, dependencies, nodeHost);
    return { compiler: '1.71.1', modules, dependencies };
  } catch (error) {
    // A build says why, in the words of the compiler.
    if (error instanceof MoveCompileError || error instanceof BytecodeError) return undefined;
    throw error;
  }
}
