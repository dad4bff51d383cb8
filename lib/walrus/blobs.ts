import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { parseJson } from '../json.ts';
import { OutboundError } from '../outbound/errors.ts';
import { type FetchOptions, fetchBytes } from '../outbound/fetch-bytes.ts';
import { sendBytes } from '../outbound/send.ts';

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
  return fetchBytes(dispatcher, new URL(`${aggregatorUrl}/v1/blobs/${blobId}`), {
    ...bounds,
    keepAlive: true,
  });
}

/** Storage period of new blobs, in epochs: the maximum that Walrus sells, about two years on mainnet. */
const epochs = 53;
const receiptBytesMax = 64 * 1024;

/** 32 bytes in URL-safe base64. */
const blob = z.object({ blobId: z.string().regex(/^[A-Za-z0-9_-]{43}$/) });
const receipt = z.union([
  z.object({ newlyCreated: z.object({ blobObject: blob }) }).transform((it) => it.newlyCreated.blobObject),
  z.object({ alreadyCertified: blob }).transform((it) => it.alreadyCertified),
]);

/**
 * Stores bytes through a Walrus publisher, which the host trusts; its url has no trailing slash. Blobs cannot be
 * deleted before they expire. @returns the blob's id @throws OutboundError if it does not confirm that they are stored
 */
export async function storeBlob(
  dispatcher: Dispatcher,
  publisherUrl: string,
  bytes: Uint8Array,
  { timeoutMs }: { timeoutMs: number },
): Promise<string> {
  const url = new URL(`${publisherUrl}/v1/blobs?epochs=${epochs}&permanent=true`);
  const headers = { 'content-type': 'application/octet-stream', 'user-agent': 'adaptor-marketplace' };
  const sent = { headers, body: bytes, readMax: receiptBytesMax, timeoutMs };
  const { status, body } = await sendBytes(dispatcher, 'PUT', url, sent);
  if (status !== 200) {
    const retryable = status >= 500 || status === 429;
    throw new OutboundError('http_status', `The publisher answered ${status}.`, { retryable });
  }
  const stored = receipt.safeParse(parseJson(body.toString('utf8')));
  if (stored.success) return stored.data.blobId;
  const message = 'The publisher did not say that it stored the blob.';
  throw new OutboundError('http_status', message, { retryable: true });
}
