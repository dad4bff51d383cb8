import { GrpcTypes } from '@mysten/sui/grpc';
import type { Answer } from '../chain/answers.ts';
import { normalizeAddress } from '../chain/names.ts';
import { type ObjectBatchReader, readObjects } from '../chain/objects.ts';
import { canonicalType } from '../move-types.ts';
import type { NamedObject } from './objects.ts';

const { SHARED, IMMUTABLE } = GrpcTypes.Owner_OwnerKind;
const timeoutMs = 5_000;

/**
 * Reads the objects that every transaction can use, by id: shared and immutable ones, no packages. Others are missing
 * from the map.
 * @throws the signal's reason
 */
export async function readFixedObjects(
  client: ObjectBatchReader,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<Answer<Map<string, NamedObject>>> {
  const paths = ['object_id', 'object_type', 'owner'];
  const answer = await readObjects(client, ids, { paths, timeoutMs, signal });
  signal?.throwIfAborted();
  if (answer.status !== 'found') return answer;
  const found = answer.value.flatMap(({ objectId = '', objectType = '', owner }) => {
    const [id, type] = [normalizeAddress(objectId), canonicalType(objectType)];
    if (!id || !type || (owner?.kind !== SHARED && owner?.kind !== IMMUTABLE)) return [];
    return [[id, { objectId: id, type, isImmutable: owner.kind === IMMUTABLE }] as const];
  });
  return { status: 'found', value: new Map(found) };
}
