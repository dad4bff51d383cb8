import { exchange, forkSilently } from '@adaptor-marketplace/process/bounded';
import type { PackageFiles } from '../builder.ts';
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
interface FailedBuild {
  /** The compiler's diagnostics, or the bound that stopped it. */
  reason: string;
}

export interface BuildRequest {
  compiler: CompilerVersion;
  folder: string;
  packages: ReadonlyMap<string, PackageFiles>;
  isFree: boolean;
  /** Modules of the package on chain. The older compilers come with a comparison of their own, which needs them. */
  onChain: readonly Uint8Array[];
  /** Ids of dependencies on chain, by their names. */
  ids: ReadonlyMap<string, string>;
  bounds: BuildBounds;
}

export type BuildMessage = Build | FailedBuild;

export interface BuildBounds {
  /** Maximum processor time of the process, in milliseconds. */
  processorMs: number;
  /** Maximum resident memory of the process, in megabytes. */
  memoryMb: number;
}

export const buildBounds: BuildBounds = { processorMs: 20_000, memoryMb: 512 };

/** Maximum length of the compiler's diagnostics. */
const reasonMax = 10_000;

/**
 * Compiles source in a process of its own, since the source of strangers must neither block nor end this one. The process
 * reads no file of the source from disk, has no access to the environment, and ends with the build.
 */
export async function buildSource(
  { folder, packages, isFree }: CheckedSource,
  compiler: CompilerVersion,
  onChain: readonly Uint8Array[],
  ids: ReadonlyMap<string, string> = new Map(),
  bounds: BuildBounds = buildBounds,
): Promise<Build | FailedBuild> {
  const request: BuildRequest = { compiler, folder, packages, isFree, onChain, ids, bounds };
  // Something else can end the process, such as a system without memory: only the second end is that of the source.
  const message = (await attempt(request)) ?? (await attempt(request));
  if (message === undefined) {
    const { processorMs, memoryMb } = bounds;
    const reason = `The build took more than ${processorMs / 1_000} s of processor time or ${memoryMb} MB of memory.`;
    return { reason };
  }
  return 'reason' in message ? { reason: message.reason.slice(0, reasonMax) } : message;
}

/** Returns undefined if the process ended before its result. */
async function attempt(request: BuildRequest): Promise<BuildMessage | undefined> {
  const child = forkSilently(script, permissions);
  try {
    return await exchange(child, request, (built: BuildMessage) => built);
  } finally {
    child.kill('SIGKILL');
  }
}

/** Node's permissions: no writes, no other programs. Node 22 has them from 22.13 on. */
const permissions = process.allowedNodeEnvironmentFlags.has('--permission')
  ? ['--permission', '--allow-fs-read=*', '--allow-worker']
  : [];

/** Scripts are `.js` in the published package. */
const extension = import.meta.url.endsWith('.ts') ? '.ts' : '.js';
const script = new URL(`./build-apart${extension}`, import.meta.url);
