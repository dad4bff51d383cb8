import type { NamedObject } from '@adaptor-marketplace/adaptor/draft/objects';
import { TypeTagSerializer } from '@mysten/sui/bcs';

type TypeTag = ReturnType<typeof TypeTagSerializer.parseFromStr>;

/**
 * Those of the objects that a stranger's code must not get from an owner, beside the wallet that the lock is on: any
 * wallet, since the lock of one holds nothing of another, and all that belongs to the packages named.
 * @param packageIds as first published
 */
export function ownersObjects(
  objects: Iterable<NamedObject>,
  packageIds: ReadonlySet<string>,
): NamedObject[] {
  const isOwners = (tag: TypeTag): boolean => {
    if ('vector' in tag) return isOwners(tag.vector);
    if (!('struct' in tag)) return false;
    const { address, module, name, typeParams } = tag.struct;
    if (packageIds.has(address) || (module === 'wallet' && name === 'Wallet')) return true;
    return typeParams.some(isOwners);
  };
  return [...objects].filter(({ type }) => isOwners(TypeTagSerializer.parseFromStr(type, true)));
}
