import { type BuildBounds, buildSource } from './build.ts';
import { judgeSource, newest, type SourceVerification } from './judge.ts';
import { findKeptBuild } from './kept-build.ts';
import type { PreparedSource } from './source.ts';

/**
 * Builds and compares source, see `judgeSource`. Each build runs in a process of its own. One that this machine did before
 * is kept.
 * @throws BytecodeError if the package has a module that cannot be read
 */
export async function verifySource(
  onChain: Iterable<Uint8Array>,
  source: PreparedSource,
  bounds?: BuildBounds,
): Promise<SourceVerification> {
  return judgeSource(onChain, source, async (checked, compiler, chain, ids) => {
    const kept = compiler === newest && ids === undefined ? await findKeptBuild(checked) : undefined;
    return kept ?? (await buildSource(checked, compiler, chain, ids, bounds));
  });
}
