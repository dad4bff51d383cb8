import { comparePackages, type PackageComparison } from '@adaptor-marketplace/move-bytecode/compare';
import { linkPackage } from '../link.ts';
import { type BuildBounds, buildSource } from './build.ts';
import { matchDependencies } from './match-dependencies.ts';
import type { PreparedSource } from './source.ts';

export interface SourceVerification {
  verdict: PackageComparison['verdict'] | 'not_built';
  /** Hash of the source, see `hashSource`. */
  sourceHash: string;
  /** Version of Sui that the compiler is of. Absent if nothing was built. */
  compiler?: string;
  /** Reason for which nothing was built. */
  reason?: string;
  comparison?: PackageComparison;
  /** Original ids of the packages that the source's dependencies stand for, by name. They are subjects of their own. */
  dependencies: Record<string, string>;
}

/**
 * Builds source in a process of its own, and compares it with the modules of a package on chain.
 * @throws BytecodeError if the package has a module that cannot be read
 */
export async function verifySource(
  onChain: Iterable<Uint8Array>,
  source: PreparedSource,
  bounds?: BuildBounds,
): Promise<SourceVerification> {
  const { hash: sourceHash } = source;
  const build = await buildSource(source, bounds);
  if ('reason' in build) return { verdict: 'not_built', sourceHash, reason: build.reason, dependencies: {} };
  const { compiler, modules } = build;
  const chain = [...onChain];
  const found = matchDependencies(chain, modules, build.dependencies);
  const ids = new Map(
    build.dependencies.map(({ name, placeholder }) => [placeholder, found.get(name) ?? placeholder]),
  );
  const linked = linkPackage({ modules, dependencies: [], digest: '' }, ids).modules;
  const comparison = comparePackages(chain, linked);
  return {
    verdict: comparison.verdict,
    sourceHash,
    compiler,
    comparison,
    dependencies: Object.fromEntries(found),
  };
}
