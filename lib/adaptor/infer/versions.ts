import type { GrpcTypes } from '@mysten/sui/grpc';
import { type Answer, ask } from '../../chain/answers.ts';
import { callOptions } from '../../chain/client.ts';

/** The part of a `SuiGrpcClient` that lists the versions of a package. */
export interface VersionLister {
  movePackageService: {
    listPackageVersions(
      request: GrpcTypes.ListPackageVersionsRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.ListPackageVersionsResponse }>;
  };
}

/** A node takes no more literals in one filter. */
const versionsMax = 10;
const timeoutMs = 5_000;

/** Storage ids of a package's versions, by the id of any of them: of that one, and of the nine latest others. */
export async function latestVersions(
  node: VersionLister,
  /** Canonical. */
  packageId: string,
  signal?: AbortSignal,
): Promise<Answer<string[]>> {
  const request = { packageId, pageSize: 10_000 };
  const answer = await ask(
    node.movePackageService.listPackageVersions(request, callOptions(timeoutMs, signal)),
  );
  signal?.throwIfAborted();
  if (answer.status !== 'found') return answer;
  // The versions of a framework package share one id.
  const others = new Set(answer.value.versions.flatMap(({ packageId: id }) => id ?? []));
  others.delete(packageId);
  return { status: 'found', value: [packageId, ...[...others].slice(1 - versionsMax)] };
}
