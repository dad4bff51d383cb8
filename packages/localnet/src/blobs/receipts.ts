import { createHash } from 'node:crypto';
import { isValidSuiAddress, normalizeSuiAddress, toBase58 } from '@mysten/sui/utils';
import { z } from 'zod';
import type { StoredBlob } from './folder.ts';

/** The only epoch of the local store: nothing expires, so the ends of storage in receipts are never reached. */
const epoch = 1;
/** Walrus sells storage for at most this many epochs ahead. */
const epochsMax = 53;

const flag = z.enum(['true', 'false']).transform((text) => text === 'true');

/** Query of `PUT /v1/blobs`. Blobs are deletable unless asked to be permanent, as on Walrus. */
export const storeQuery = z
  .object({
    epochs: z.coerce.number().int().min(1).max(epochsMax).default(1),
    deletable: flag.optional(),
    permanent: flag.optional(),
    send_object_to: z
      .string()
      .refine((text) => isValidSuiAddress(normalizeSuiAddress(text)), 'expected a Sui address')
      .optional(),
  })
  .refine(
    ({ deletable, permanent }) => !(deletable && permanent),
    'deletable and permanent exclude each other',
  );

type StoreQuery = z.infer<typeof storeQuery>;

/**
 * What the publisher answers, in its own shape. The ids of objects and transactions are derived from the blob
 * id and stand for nothing on the local chain; sizes are those of the blob itself, as nothing is encoded.
 */
export function receiptFor(blob: StoredBlob, { epochs, permanent }: StoreQuery) {
  const { blobId, size } = blob;
  const endEpoch = epoch + epochs;
  if (!blob.isNew) {
    const event = { txDigest: toBase58(derive('transaction', blobId)), eventSeq: '0' };
    return { alreadyCertified: { blobId, event, endEpoch } };
  }
  const storage = { id: objectId('storage', blobId), startEpoch: epoch, endEpoch, storageSize: size };
  const blobObject = {
    id: objectId('blob', blobId),
    registeredEpoch: epoch,
    blobId,
    size,
    encodingType: 'RS2',
    certifiedEpoch: epoch,
    storage,
    deletable: !permanent,
  };
  const resourceOperation = { registerFromScratch: { encodedLength: size, epochsAhead: epochs } };
  return { newlyCreated: { blobObject, resourceOperation, cost: 0 } };
}

function objectId(kind: string, blobId: string): string {
  return `0x${derive(kind, blobId).toString('hex')}`;
}

function derive(kind: string, blobId: string): Buffer {
  return createHash('sha256').update(`${kind}:${blobId}`).digest();
}
