import type { SourceVerification } from '@adaptor-marketplace/move-toolchain/verify';
import type { PreparedSource } from '@adaptor-marketplace/move-toolchain/verify/source';
import { exchange, forkSilently } from '@adaptor-marketplace/process/bounded';

export interface VerificationRequest {
  /** Modules of the package on chain. */
  modules: Uint8Array[];
  source: PreparedSource;
  /** Maximum processor time of the comparison, in milliseconds. */
  processorMs: number;
}

/** Compares source with the modules of a package. Undefined if the comparison failed or exceeded its bounds. */
export type VerifySource = (
  modules: Uint8Array[],
  source: PreparedSource,
  signal: AbortSignal,
) => Promise<SourceVerification | undefined>;

/** Bounds on the comparison. The builds, in processes of their own, have the bounds of `buildSource`. */
export const comparisonBounds = { processorMs: 20_000, memoryMb: 512 };

const script = new URL('./verify-apart.ts', import.meta.url);

/** Verifies source in a process of its own: code of strangers must neither block nor end this one. */
export const verifyApart: VerifySource = async (modules, source, signal) => {
  // Something else can end the process, such as a system without memory: only the second end is that of the source.
  return (await attempt(modules, source, signal)) ?? (await attempt(modules, source, signal));
};

async function attempt(modules: Uint8Array[], source: PreparedSource, signal: AbortSignal) {
  signal.throwIfAborted();
  const { processorMs, memoryMb } = comparisonBounds;
  const child = forkSilently(script, [`--max-old-space-size=${memoryMb}`]);
  const end = () => child.kill('SIGKILL');
  signal.addEventListener('abort', end, { once: true });
  try {
    const request: VerificationRequest = { modules, source, processorMs };
    const verification = await exchange(child, request, (result: SourceVerification) => result);
    signal.throwIfAborted();
    return verification;
  } finally {
    signal.removeEventListener('abort', end);
    end();
  }
}
