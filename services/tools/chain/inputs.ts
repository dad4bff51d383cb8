import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import type { KnownObject } from '@adaptor-marketplace/adaptor/chain/objects';
import { Inputs, type Transaction } from '@mysten/sui/transactions';

/**
 * The bytes of a transaction's kind, each object put in as it is known.
 * @param isMutable of the shared objects, those that some call takes by `&mut` or by value
 * @throws Error naming an object that is not known
 */
export async function buildKind(
  tx: Transaction,
  objects: ReadonlyMap<string, KnownObject>,
  isMutable: ReadonlySet<string>,
): Promise<Uint8Array> {
  tx.addBuildPlugin(async (data, _options, next) => {
    data.inputs.forEach((input, place) => {
      if (input.$kind !== 'UnresolvedObject') return;
      const id = normalizeAddress(input.UnresolvedObject.objectId) ?? input.UnresolvedObject.objectId;
      const object = objects.get(id);
      if (!object) throw new Error(`The object ${id} was not read.`);
      data.inputs[place] =
        object.kind === 'shared'
          ? Inputs.SharedObjectRef({ ...object, mutable: isMutable.has(id) })
          : Inputs.ObjectRef(object);
    });
    await next();
  });
  return tx.build({ onlyTransactionKind: true });
}
