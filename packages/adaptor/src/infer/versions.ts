import type { Answer } from '../chain/answers.ts';
import { readLineage, type VersionReader } from '../chain/package-versions.ts';

/** The most literals that a node accepts in one filter. */
const versionsMax = 10;

/** Returns storage ids of a package's versions: the given one, and the nine latest others that the node lists. */
export async function latestVersions(
  node: VersionReader,
  /** Canonical id of any version. */
  packageId: string,
  signal?: AbortSignal,
): Promise<Answer<string[]>> {
  const answer = await readLineage(node, packageId, { signal });
  signal?.throwIfAborted();
  if (answer.status !== 'found') return answer;
  const { ids, listed } = answer.value;
  // The versions of a framework package share one id.
  const others = new Set(listed ? ids : []);
  others.delete(packageId);
  return { status: 'found', value: [packageId, ...[...others].slice(1 - versionsMax)] };
}
