import type { PackageVersions } from '@adaptor-marketplace/adaptor/chain/package-versions';
import { Refusal } from '../io.ts';
import { nodeFailure } from '../output/node-failure.ts';

/**
 * The version of a package that calls go to: the one that the marketplace names, or else the newest one that the node
 * knows. The signer's own node says whether it is a version of that package at all: another package of the
 * marketplace's choice would be called with what the signer owns.
 * @param packageId as first published
 */
export async function calledPackage(
  versions: PackageVersions,
  packageId: string,
  named: string | null | undefined,
): Promise<string> {
  const called = named ?? (await newestOf(versions, packageId));
  const original = await versions.originalOf(called);
  if (original.status === 'unavailable') {
    throw new Refusal(`The node does not answer: ${nodeFailure(original.reason)}. Try again.`);
  }
  if (original.status === 'found' && original.value === packageId) return called;
  throw new Refusal(`${called} is no version of the package ${packageId}: nothing is signed for it.`);
}

async function newestOf(versions: PackageVersions, packageId: string): Promise<string> {
  const newest = await versions.newest(packageId);
  if (newest.status === 'found') return newest.value;
  throw new Refusal(
    `The node does not tell the versions of ${packageId}: ${nodeFailure(newest.reason)}. Try again.`,
  );
}
