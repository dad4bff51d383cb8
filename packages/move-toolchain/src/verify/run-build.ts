import { BytecodeError } from '@adaptor-marketplace/move-bytecode';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, utf8ToBytes } from '@noble/hashes/utils.js';
import { MoveCompileError } from '../compile-error.ts';
import { placeholderId } from '../package-names.ts';
import type { BuildHost } from './build-host.ts';
import type { Build, BuildInput, FailedBuild } from './built.ts';
import { checkAddresses } from './check-addresses.ts';
import { compilers } from './compilers.ts';
import { listDependencies } from './list-dependencies.ts';

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
