import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { ask, callOptions, type PackageReader } from '@adaptor-marketplace/adaptor/chain';
import { isExecutable, listOpSteps, type StepSpec } from '@adaptor-marketplace/adaptor/manifest';
import type { GrpcTypes } from '@mysten/sui/grpc';
import type { ListedOps } from '../../../db/queries/checks.ts';

const timeoutMs = 10_000;

/** Other packages that a listing's ops call, by id; `undefined` for a package that does not exist. */
export type CalledPackages = ReadonlyMap<string, GrpcTypes.Package | undefined>;

/** Maximum other packages to read for one listing: a manifest may name hundreds. Calls judge the other ops. */
const calledMax = 8;

/** Reads the other packages that the ops of a listing's manifest call; one that the node does not show is left out. */
export async function readCalled(
  { movePackageService }: PackageReader,
  manifest: ListedOps | undefined,
): Promise<CalledPackages> {
  const steps = (manifest?.ops ?? []).filter(isExecutable).flatMap(listOpSteps);
  const others = new Set(steps.map(findOtherPackage).filter((id) => id !== undefined));
  const read = [...others].slice(0, calledMax).map(async (packageId) => {
    const answer = await ask(movePackageService.getPackage({ packageId }, callOptions(timeoutMs)));
    if (answer.status === 'unavailable') return [];
    return [[packageId, answer.status === 'found' ? answer.value.package : undefined] as const];
  });
  return new Map((await Promise.all(read)).flat());
}

/** Returns the id of the package that a call names; undefined if it is of the listing's own. */
export const findOtherPackage = ({ packageId }: StepSpec) => packageId && normalizeAddress(packageId);
