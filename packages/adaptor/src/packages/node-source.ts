import type { GrpcTypes } from '@mysten/sui/grpc';
import { ask, isLate } from '../chain/answers.ts';
import { callOptions } from '../chain/call-options.ts';
import { normalizeAddress } from '../chain/names.ts';
import type { PackageReader } from '../chain/witness.ts';
import { type PackageContent, type PackageSource, PackageUnreadableError } from './source.ts';

const timeoutMs = 10_000;

/** Reads packages from a full node. Each read is one call of at most ten seconds. */
export function nodePackages(client: PackageReader): PackageSource {
  return {
    async read(id, signal) {
      const packageId = normalizeAddress(id) ?? id;
      const call = client.movePackageService.getPackage({ packageId }, callOptions(timeoutMs, signal));
      const answer = await ask(call);
      signal?.throwIfAborted();
      if (answer.status === 'unavailable') {
        const late = isLate(answer);
        const what = late ? 'took too long' : 'could not answer';
        throw new PackageUnreadableError(late ? 'late' : 'unavailable', packageId, `The node ${what}.`);
      }
      if (answer.status === 'absent' || !answer.value.package) {
        throw new PackageUnreadableError(
          'absent',
          packageId,
          `There is no package ${packageId} on this network.`,
        );
      }
      return toPackageContent(packageId, answer.value.package);
    },
  };
}

/**
 * Converts a package from the form of the node's API.
 * @param id the canonical id that was requested
 */
export function toPackageContent(id: string, pkg: GrpcTypes.Package): PackageContent {
  const address = (text: string | undefined) => normalizeAddress(text ?? '') ?? id;
  return {
    id,
    originalId: address(pkg.originalId),
    version: pkg.version ?? 1n,
    // Copied, because the bytes are views of the whole response, which is several times as large.
    modules: new Map(pkg.modules.map(({ name = '', contents }) => [name, Uint8Array.from(contents ?? [])])),
    typeOrigins: new Map(
      pkg.typeOrigins.map(({ moduleName, datatypeName, packageId }) => [
        `${moduleName}::${datatypeName}`,
        address(packageId),
      ]),
    ),
    linkage: new Map(
      pkg.linkage.map(({ originalId, upgradedId }) => [address(originalId), address(upgradedId)]),
    ),
  };
}
