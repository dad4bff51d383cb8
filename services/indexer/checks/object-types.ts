import { ask, callOptions, type PublisherReader } from '@adaptor-marketplace/adaptor/chain';
import { isExecutable, listFixedObjects } from '@adaptor-marketplace/adaptor/manifest';
import { normalizeStructTag } from '@mysten/sui/utils';
import type { ListedOps } from '../../../db/queries/checks.ts';

const timeoutMs = 10_000;
/** Maximum objects to read for one listing: a manifest may name thousands. The coins of ops with others stay open. */
const objectsMax = 64;
const typeLengthMax = 1_000;

/** Types of objects by their ids, both as the chain spells them. */
export type ObjectTypes = ReadonlyMap<string, string>;

/** Types of the objects that the ops of a manifest fix. The type of an object never changes. */
export interface FixedObjects {
  types: ObjectTypes;
  /** `false` if the node did not show one of them: it may be behind, or the object does not exist. */
  isComplete: boolean;
}

/** Reads the types of the objects that the executable ops of a manifest fix, the first `objectsMax` of them. */
export async function readObjectTypes(
  { ledgerService }: Pick<PublisherReader, 'ledgerService'>,
  manifest: ListedOps | undefined,
): Promise<FixedObjects> {
  const ids = new Set((manifest?.ops ?? []).filter(isExecutable).flatMap(listFixedObjects));
  const types = new Map<string, string>();
  const read = [...ids].slice(0, objectsMax).map(async (objectId) => {
    const request = { objectId, readMask: { paths: ['object_type'] } };
    const answer = await ask(ledgerService.getObject(request, callOptions(timeoutMs)));
    const type = answer.status === 'found' ? answer.value.object?.objectType : undefined;
    if (type === undefined || !type.includes('::')) return false;
    const normalized = normalizeStructTag(type);
    if (normalized.length <= typeLengthMax) types.set(objectId, normalized);
    return true;
  });
  return { types, isComplete: (await Promise.all(read)).every(Boolean) };
}
