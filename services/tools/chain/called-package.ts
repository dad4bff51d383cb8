import { foundOf } from '@adaptor-marketplace/adaptor/chain/found';
import type { PackageVersions } from '@adaptor-marketplace/adaptor/chain/package-versions';

/**
 * The newest version of a package, which calls go to. One that does not exist stands for itself: nothing of it is found.
 * @param originalId as first published
 * @throws ProblemError 502 or 504 where the node does not say
 */
export async function calledPackage(versions: PackageVersions, originalId: string): Promise<string> {
  return foundOf(await versions.newest(originalId)) ?? originalId;
}
