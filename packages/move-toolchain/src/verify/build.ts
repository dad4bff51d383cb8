import { exchange, forkSilently } from '@adaptor-marketplace/process/bounded';
import type { Build, BuildInput, CompilerVersion, FailedBuild } from './built.ts';
import type { CheckedSource } from './source.ts';

export interface BuildRequest extends BuildInput {
  bounds: BuildBounds;
}

export interface BuildBounds {
  /** Maximum processor time of the process, in milliseconds. */
  processorMs: number;
  /** Maximum resident memory of the process, in megabytes. */
  memoryMb: number;
}

export const buildBounds: BuildBounds = { processorMs: 20_000, memoryMb: 512 };

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
  return message;
}

/** Returns undefined if the process ended before its result. */
async function attempt(request: BuildRequest): Promise<Build | FailedBuild | undefined> {
  const child = forkSilently(script, permissions);
  try {
    return await exchange(child, request, (built: Build | FailedBuild) => built);
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
