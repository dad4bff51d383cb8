import { normalizeAddress } from '../chain/names.ts';
import { type PackageSource, PackageUnreadableError } from '../packages/source.ts';
import { analysisVersion, Certifier, CertifyTargetError } from './certify.ts';
import { readProgram } from './code/program.ts';
import { certificateHash } from './hash.ts';

/** A function as a marketplace certifies it. Hash and version of the analysis are null without a certificate. */
export interface PublishedCertificate {
  packageId: string;
  module: string;
  function: string;
  hash: string | null;
  analysis: number | null;
}

/** Result of certifying the published function again. */
export interface RecomputedCertificate {
  /** Hash from the bytecode that was read. Null if the package, or the function in it, was not found. */
  computed: string | null;
  /**
   * `differs`: also if the package does not have the function. `absent`: the source does not have the package; a node may
   * be one of another network. `other analysis`: hashes of two versions of the analysis say nothing about each other.
   * `not compared`: the marketplace has no certificate.
   */
  result: 'same' | 'differs' | 'absent' | 'other analysis' | 'not compared';
}

/**
 * Computes certificates again from bytecode that the caller reads, and compares their hashes with published ones. Yields
 * each result when it is computed, grouped by package. The analysis of a package has the bounds of `Certifier`.
 * @throws PackageUnreadableError if the source does not answer, or lacks a dependency
 * @example
 * for await (const { module, result } of recomputeCertificates(nodePackages(client), published)) console.log(module, result);
 */
export async function* recomputeCertificates<Published extends PublishedCertificate>(
  packages: PackageSource,
  published: readonly Published[],
): AsyncGenerator<Published & RecomputedCertificate> {
  for (const [packageId, functions] of Map.groupBy(published, (one) => one.packageId)) {
    const program = await readProgram(packages, packageId).catch((error) => requirePresent(error, packageId));
    const certifier = program && new Certifier(program);
    for (const one of functions) {
      const computed = certifier && certifyOne(certifier, one);
      yield { ...one, computed: computed ?? null, result: compareHashes(one, computed) };
    }
  }
}

/** Returns undefined for a package that the source does not have. */
function requirePresent(error: unknown, packageId: string): undefined {
  const isAbsent = error instanceof PackageUnreadableError && error.reason === 'absent';
  if (isAbsent && error.packageId === normalizeAddress(packageId)) return undefined;
  throw error;
}

/** Returns null for a function that the package does not have. */
function certifyOne(certifier: Certifier, { module, function: name }: PublishedCertificate): string | null {
  try {
    return certificateHash(certifier.certify({ module, function: name }));
  } catch (error) {
    if (error instanceof CertifyTargetError) return null;
    throw error;
  }
}

function compareHashes(
  { hash, analysis }: PublishedCertificate,
  computed: string | null | undefined,
): RecomputedCertificate['result'] {
  if (hash === null) return 'not compared';
  if (computed === undefined) return 'absent';
  if (analysis !== analysisVersion) return 'other analysis';
  return computed === hash ? 'same' : 'differs';
}
