import { z } from 'zod';
import { manifestHash } from '../../../lib/adaptor/manifest.ts';

export interface Stored {
  manifestUri: string;
  manifestHash: string;
}

/** Stores a manifest where its uri is found. */
export type Store = (manifest: unknown) => Promise<Stored>;

const blob = z.object({ blobId: z.string() });
const receipt = z.union([
  z
    .object({ newlyCreated: z.object({ blobObject: blob }) })
    .transform((made) => made.newlyCreated.blobObject),
  z.object({ alreadyCertified: blob }).transform((made) => made.alreadyCertified),
]);

/** Puts the manifest into the blob store through Walrus' publisher API. */
export async function storeManifest(blobStoreUrl: string, manifest: unknown): Promise<Stored> {
  const response = await fetch(`${blobStoreUrl}/v1/blobs?epochs=5`, {
    method: 'PUT',
    body: JSON.stringify(manifest),
  });
  if (!response.ok) throw new Error(`the blob store answered ${response.status}: ${await response.text()}`);
  const { blobId } = receipt.parse(await response.json());
  return { manifestUri: `walrus://${blobId}`, manifestHash: manifestHash(manifest) };
}
