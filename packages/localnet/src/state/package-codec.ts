import { bcs } from '@mysten/sui/bcs';
import type { PackageObject } from './objects.ts';

/** The chain's `MovePackage` of a package: its id, modules, type origins and linkage. */
function movePackageOf(package_: Omit<PackageObject, 'previousTransaction' | 'kind'>) {
  return {
    id: package_.id,
    version: package_.version,
    moduleMap: package_.modules,
    typeOriginTable: package_.typeOrigins.map(({ module, datatype, packageId }) => ({
      moduleName: module,
      datatypeName: datatype,
      package: packageId,
    })),
    linkageTable: new Map(
      [...package_.linkage].map(([originalId, { storageId, version }]) => [
        originalId,
        { upgradedId: storageId, upgradedVersion: version },
      ]),
    ),
  };
}

export function encodePackage(package_: PackageObject): Uint8Array {
  return bcs.MovePackage.serialize(movePackageOf(package_)).toBytes();
}

/** The inverse; `MovePackage` does not name the original id, which modules carry as their own address. */
export function decodePackage(
  bytes: Uint8Array,
  originalId: string,
  previousTransaction: string,
): PackageObject {
  const parsed = bcs.MovePackage.parse(bytes);
  return {
    kind: 'package',
    id: parsed.id,
    version: BigInt(parsed.version),
    originalId,
    modules: new Map([...parsed.moduleMap].map(([name, module]) => [name, Uint8Array.from(module)])),
    typeOrigins: parsed.typeOriginTable.map((origin) => ({
      module: origin.moduleName,
      datatype: origin.datatypeName,
      packageId: origin.package,
    })),
    linkage: new Map(
      [...parsed.linkageTable].map(([id, upgrade]) => [
        id,
        { storageId: upgrade.upgradedId, version: BigInt(upgrade.upgradedVersion) },
      ]),
    ),
    previousTransaction,
  };
}
