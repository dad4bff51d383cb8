import type { Dispatcher } from 'undici';
import { type FetchOptions, fetchBytes } from '../outbound/index.ts';

/**
 * Reads a blob through a Walrus aggregator, which the host trusts; its url has no trailing slash.
 * @throws OutboundError, retryable where the aggregator does not know the blob: it may just have been stored
 */
export function readBlob(
  dispatcher: Dispatcher,
  aggregatorUrl: string,
  blobId: string,
  bounds: FetchOptions,
): Promise<Uint8Array> {
  return fetchBytes(dispatcher, new URL(`${aggregatorUrl}/v1/blobs/${blobId}`), bounds);
}
