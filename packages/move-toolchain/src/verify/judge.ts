import { parseModule, replaceAddresses } from '@adaptor-marketplace/move-bytecode';
import {
  comparePackages,
  type PackageComparison,
  verdicts,
} from '@adaptor-marketplace/move-bytecode/compare';
import { MoveCompileError } from '../compile-error.ts';
import type { Build, BuildSource, CompilerVersion } from './built.ts';
import { findOtherAddress, isFreeOfAddresses } from './check-addresses.ts';
import { matchDependencies } from './match-dependencies.ts';
import type { CheckedSource, PreparedSource } from './source.ts';

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

/** The compiler that `compilePackage` has too. */
export const newest = '1.71.1';

/** Compilers for a version of bytecode, the likeliest first. Any other gives other bytes, and can still give the same code. */
const compilersFor = (bytecodeVersion: number): readonly CompilerVersion[] =>
  bytecodeVersion < 7 ? ['1.58.3', '1.26.2', newest] : [newest];

/**
 * Builds source and compares it with the modules of a package on chain, by one compiler after another until the bytes are the
 * same. If none is exact, the best verdict counts.
 * @throws BytecodeError if the package has a module that cannot be read
 */
export async function judgeSource(
  onChain: Iterable<Uint8Array>,
  source: PreparedSource,
  build: BuildSource,
): Promise<SourceVerification> {
  const chain = [...onChain];
  const version = Math.max(...chain.map((module) => parseModule(module).version));
  const checked = checkSource(source);
  if ('reason' in checked) return refuse(source, checked.reason);
  let best: SourceVerification | undefined;
  for (const compiler of compilersFor(version)) {
    const found = await judgeWith(compiler, chain, checked, build);
    if (best === undefined || rank(found) < rank(best)) best = found;
    if (best.verdict === 'exact') break;
  }
  return best!;
}

function checkSource(source: PreparedSource): CheckedSource | { reason: string } {
  try {
    return { ...source, isFree: isFreeOfAddresses(source.packages.values()) };
  } catch (error) {
    if (error instanceof MoveCompileError) return { reason: error.message };
    throw error;
  }
}

const refuse = ({ hash }: PreparedSource, reason: string): SourceVerification => ({
  verdict: 'not_built',
  sourceHash: hash,
  reason,
  dependencies: {},
});

const rank = ({ verdict, comparison }: SourceVerification): number =>
  verdict === 'not_built'
    ? Number.POSITIVE_INFINITY
    : verdicts.indexOf(verdict) * 1_000_000 +
      comparison!.modules.reduce((sum, { differenceCount }) => sum + differenceCount, 0);

async function judgeWith(
  version: CompilerVersion,
  chain: readonly Uint8Array[],
  source: CheckedSource,
  buildSource: BuildSource,
): Promise<SourceVerification> {
  const build = await buildSource(source, version, chain);
  if ('reason' in build) return refuse(source, build.reason);
  const found = matchDependencies(chain, build.modules, build.dependencies);
  const reason = findOtherAddress(source, found);
  if (reason !== undefined) return refuse(source, reason);
  const report = (modules: readonly Uint8Array[]): SourceVerification => {
    const comparison = comparePackages(chain, modules);
    const dependencies = Object.fromEntries(found);
    return {
      verdict: comparison.verdict,
      sourceHash: source.hash,
      compiler: version,
      comparison,
      dependencies,
    };
  };
  if (found.size === 0) return report(build.modules);
  if (source.isFree) {
    const linked = report(linkModules(build, found));
    if (linked.verdict === 'exact') return linked;
  }
  // The code can depend on addresses: the compiler computes `@a == @b`, and orders tables by them. Another build has the true ones.
  const second = await buildSource(source, version, chain, found);
  return 'reason' in second ? refuse(source, second.reason) : report(second.modules);
}

/** The modules of a build with the ids of dependencies on chain, by their names, in place of the addresses of the build. */
function linkModules({ modules, dependencies }: Build, ids: ReadonlyMap<string, string>): Uint8Array[] {
  const linked = new Map(dependencies.map(({ name, address }) => [address, ids.get(name) ?? address]));
  return modules.map((bytes) =>
    replaceAddresses(bytes, parseModule(bytes), (address) =>
      (linked.get(`0x${address}`) ?? address).slice(-64),
    ),
  );
}
