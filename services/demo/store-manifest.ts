import { canonicalJson, manifestHash } from '@adaptor-marketplace/adaptor/manifest';
import { getGlobalDispatcher } from 'undici';
import { storeBlob } from '../../lib/walrus/store-blob.ts';

export interface Stored {
  manifestUri: string;
  manifestHash: string;
}

/** Stores a manifest where its uri is found. */
export type Store = (manifest: unknown) => Promise<Stored>;

const timeoutMs = 60_000;

/** Puts the manifest into the blob store through Walrus' publisher API. */
export async function storeManifest(blobStoreUrl: string, manifest: unknown): Promise<Stored> {
  const bytes = Buffer.from(canonicalJson(manifest));
  const blobId = await storeBlob(getGlobalDispatcher(), blobStoreUrl, bytes, { timeoutMs });
  return { manifestUri: `walrus://${blobId}`, manifestHash: manifestHash(manifest) };
}
