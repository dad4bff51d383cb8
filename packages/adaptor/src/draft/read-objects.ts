import { GrpcTypes } from '@mysten/sui/grpc';
import { type Answer, ask } from '../chain/answers.ts';
import { callOptions } from '../chain/call-options.ts';
import { normalizeAddress } from '../chain/names.ts';
import { canonicalType } from '../move-types.ts';
import type { NamedObject } from './objects.ts';

/** The part of a `SuiGrpcClient` that reads objects. */
interface ObjectReader {
  ledgerService: {
    batchGetObjects(
      request: GrpcTypes.BatchGetObjectsRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.BatchGetObjectsResponse }>;
  };
}

const { SHARED, IMMUTABLE } = GrpcTypes.Owner_OwnerKind;
const timeoutMs = 5_000;

/**
 * Reads the objects that every transaction can use, by id: shared and immutable ones, no packages. Others are missing
 * from the map.
 * @throws the signal's reason
 */
export async function readFixedObjects(
  { ledgerService }: ObjectReader,
  ids: readonly string[],
  signal?: AbortSignal,
): Promise<Answer<Map<string, NamedObject>>> {
  const requests = ids.map((objectId) => ({ objectId }));
  const readMask = { paths: ['object_id', 'object_type', 'owner'] };
  const call = ledgerService.batchGetObjects({ requests, readMask }, callOptions(timeoutMs, signal));
  const answer = await ask(call);
  signal?.throwIfAborted();
  if (answer.status !== 'found') return answer;
  const found = answer.value.objects.flatMap(({ result }) => {
    const { objectId = '', objectType = '', owner } = result.oneofKind === 'object' ? result.object : {};
    const [id, type] = [normalizeAddress(objectId), canonicalType(objectType)];
    if (!id || !type || (owner?.kind !== SHARED && owner?.kind !== IMMUTABLE)) return [];
    return [[id, { objectId: id, type }] as const];
  });
  return { status: 'found', value: new Map(found) };
}
