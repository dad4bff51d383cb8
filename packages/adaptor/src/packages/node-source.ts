import { BytecodeError, parseModule } from '@adaptor-marketplace/move-bytecode';
import type { GrpcTypes } from '@mysten/sui/grpc';
import { ask, isLate } from '../chain/answers.ts';
import { callOptions } from '../chain/call-options.ts';
import { normalizeAddress } from '../chain/names.ts';
import { type PackageContent, type PackageSource, PackageUnreadableError } from './source.ts';

const timeoutMs = 10_000;

/** The part of a `SuiGrpcClient` that reads objects by their ids. */
interface PackageObjectReader {
  ledgerService: {
    getObject(
      request: GrpcTypes.GetObjectRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.GetObjectResponse }>;
  };
}

/**
 * Reads packages from a full node. Each read is one call of at most ten seconds. A node gives bytecode, type origins and
 * linkage with the package as an object, and its `GetPackage` has none of them.
 */
export function nodePackages(client: PackageObjectReader): PackageSource {
  return {
    async read(id, signal) {
      const packageId = normalizeAddress(id) ?? id;
      const request = { objectId: packageId, readMask: { paths: ['version', 'package'] } };
      const call = client.ledgerService.getObject(request, callOptions(timeoutMs, signal));
      const answer = await ask(call);
      signal?.throwIfAborted();
      if (answer.status === 'unavailable') {
        const late = isLate(answer);
        const what = late ? 'took too long' : 'could not answer';
        throw new PackageUnreadableError(late ? 'late' : 'unavailable', packageId, `The node ${what}.`);
      }
      const object = answer.status === 'found' ? answer.value.object : undefined;
      if (!object?.package) {
        throw new PackageUnreadableError(
          'absent',
          packageId,
          `There is no package ${packageId} on this network.`,
        );
      }
      return toPackageContent(packageId, object.package, object.version ?? 1n);
    },
  };
}

function toPackageContent(id: string, pkg: GrpcTypes.Package, version: bigint): PackageContent {
  const address = (text: string | undefined) => normalizeAddress(text ?? '') ?? id;
  // Copied, because the bytes are views of the whole response, which is several times as large.
  const modules = new Map(
    pkg.modules.map(({ name = '', contents }) => [name, Uint8Array.from(contents ?? [])]),
  );
  return {
    id,
    originalId: readOriginalId(modules) ?? id,
    version,
    modules,
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

/** Reads the address by which a package's modules name themselves; undefined if the bytecode cannot be read. */
function readOriginalId(modules: ReadonlyMap<string, Uint8Array>): string | undefined {
  const [smallest] = [...modules.values()].sort((a, b) => a.length - b.length);
  if (!smallest) return undefined;
  try {
    const {
      module_handles: handles,
      self_module_handle_idx: self,
      address_identifiers,
    } = parseModule(smallest);
    return normalizeAddress(`0x${address_identifiers[handles[self]!.address]}`);
  } catch (error) {
    if (error instanceof BytecodeError) return undefined;
    throw error;
  }
}
