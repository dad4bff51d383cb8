import { type ObjectBatchReader, readObjects, unwrapAnswer } from '@adaptor-marketplace/adaptor/chain';
import { GrpcTypes } from '@mysten/sui/grpc';
import { type Cap, capTypes, decodeCap } from './caps.ts';

interface HeldCapsQuery {
  walletPackageId: string;
  holder: string;
  ids: readonly string[];
  timeoutMs: number;
}

const kinds = ['scoped', 'bearer'] as const;

/**
 * Reads the caps with these ids that the holder still has. It reads them by id, because anyone can send the holder so
 * many other objects that a list would not reach them. Caps that the node does not return are left out.
 */
export async function readHeldCaps(
  client: ObjectBatchReader,
  { walletPackageId, holder, ids, timeoutMs }: HeldCapsQuery,
): Promise<Cap[]> {
  const paths = ['owner', 'object_type', 'contents'];
  const read = await readObjects(client, [...new Set(ids)], { paths, timeoutMs });
  return (unwrapAnswer(read) ?? []).flatMap(({ owner, objectType, contents }) => {
    const kind = kinds.find((one) => objectType === `${walletPackageId}::${capTypes[one]}`);
    const isHeld = owner?.kind === GrpcTypes.Owner_OwnerKind.ADDRESS && owner.address === holder;
    return kind && isHeld && contents?.value ? [decodeCap(kind, contents.value)] : [];
  });
}
