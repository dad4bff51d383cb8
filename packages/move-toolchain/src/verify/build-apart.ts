import { createHash } from 'node:crypto';
import { BytecodeError } from '@adaptor-marketplace/move-bytecode';
import { boundProcess } from '@adaptor-marketplace/process/bounded';
import { MoveCompileError } from '../compile-error.ts';
import { placeholderId } from '../sources.ts';
import type { BuildMessage, BuildRequest } from './build.ts';
import { checkAddresses } from './check-addresses.ts';
import { compilers } from './compilers.ts';
import { listDependencies } from './list-dependencies.ts';

// The process of `buildSource`.

process.once('disconnect', () => process.exit());
process.once('message', async (request: BuildRequest) => {
  const { processorMs, memoryMb } = request.bounds;
  await boundProcess({ processorMs, residentMb: memoryMb });
  process.send!(await build(request));
});

async function build(request: BuildRequest): Promise<BuildMessage> {
  const { compiler, isFree, ids } = request;
  try {
    const makeUp = isFree ? placeholderId : makeUpAddresses(request);
    const findAddress = (name: string) => ids.get(name) ?? makeUp(name);
    const dependencies = listDependencies(request, findAddress);
    const modules = await compilers[compiler](request, findAddress);
    await checkAddresses(modules, dependencies);
    return { compiler, modules, dependencies };
  } catch (error) {
    if (error instanceof MoveCompileError) return { reason: error.message };
    if (error instanceof BytecodeError)
      return { reason: `The chain takes no such package: ${error.message}.` };
    throw error;
  }
}

/** Addresses that neither the source nor the package on chain can contain: they are hashes of both. */
function makeUpAddresses({ packages, onChain }: BuildRequest): (name: string) => string {
  const inputs = createHash('sha256').update(JSON.stringify([...packages]));
  for (const module of onChain) inputs.update(module);
  const seed = inputs.digest('hex');
  return (name) => `0x${createHash('sha256').update(`${seed} ${name}`).digest('hex')}`;
}
