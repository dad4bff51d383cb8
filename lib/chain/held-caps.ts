import { ask, callOptions, unwrapAnswer } from '@adaptor-marketplace/adaptor/chain';
import { GrpcTypes } from '@mysten/sui/grpc';
import { type Cap, capTypes, decodeCap } from './caps.ts';

/** The part of a `SuiGrpcClient` that reads objects by their ids. */
export interface ObjectBatchReader {
  ledgerService: {
    batchGetObjects(
      request: GrpcTypes.BatchGetObjectsRequest,
      options?: ReturnType<typeof callOptions>,
    ): PromiseLike<{ response: GrpcTypes.BatchGetObjectsResponse }>;
  };
}

interface HeldCapsQuery {
  walletPackageId: string;
  holder: string;
  ids: readonly string[];
  timeoutMs: number;
}

const kinds = ['scoped', 'bearer'] as const;
/** Ids of one request to a node. */
const batchMax = 100;

/**
 * Reads those of the caps that the address holds now. A list of its objects may not reach them, because anyone can send
 * it any number of others. Caps that the node does not return are left out.
 */
export async function readHeldCaps(
  client: ObjectBatchReader,
  { walletPackageId, holder, ids, timeoutMs }: HeldCapsQuery,
): Promise<Cap[]> {
  const distinct = [...new Set(ids)];
  const batches = Array.from({ length: Math.ceil(distinct.length / batchMax) }, (_, at) =>
    distinct.slice(at * batchMax, (at + 1) * batchMax),
  );
  const readMask = { paths: ['owner', 'object_type', 'contents'] };
  const answers = await Promise.all(
    batches.map((batch) => {
      const requests = batch.map((objectId) => ({ objectId }));
      return ask(client.ledgerService.batchGetObjects({ requests, readMask }, callOptions(timeoutMs)));
    }),
  );
  const results = answers.flatMap((answer) => unwrapAnswer(answer)?.objects ?? []);
  return results.flatMap(({ result }) => {
    if (result.oneofKind !== 'object') return [];
    const { owner, objectType, contents } = result.object;
    const kind = kinds.find((one) => objectType === `${walletPackageId}::${capTypes[one]}`);
    const isHeld = owner?.kind === GrpcTypes.Owner_OwnerKind.ADDRESS && owner.address === holder;
    return kind && isHeld && contents?.value ? [decodeCap(kind, contents.value)] : [];
  });
}
