import { setTimeout as delay } from 'node:timers/promises';
import type { Network } from '@adaptor-marketplace/adaptor';
import { Agent } from 'undici';
import { problem } from '../../../lib/errors/index.ts';
import { OutboundError } from '../../../lib/outbound/errors.ts';
import { readBlob, storeBlob } from '../../../lib/walrus/blobs.ts';

export interface BlobUploadOptions {
  /** The network's Walrus publisher and aggregator, without trailing slashes, from the operator's settings. */
  publisherUrl: string;
  aggregatorUrl: string;
  /** Time limits for storing the blob, and for finding it afterwards. Real publishers take tens of seconds. */
  storeTimeoutMs?: number;
  findTimeoutMs?: number;
}

interface BlobUpload {
  /** Stores a blob, and reads it back from the aggregator. Returns its uri. @throws ProblemError 502, 503, 504 */
  upload(bytes: Buffer): Promise<string>;
  close(): Promise<void>;
}

/** Bound on concurrent uploads: anyone may request one, and the operator pays for it. */
const concurrentUploadsMax = 16;
const firstPauseMs = 100;
const pauseMsMax = 2_000;

export function createBlobUpload({
  publisherUrl,
  aggregatorUrl,
  storeTimeoutMs = 60_000,
  findTimeoutMs = 20_000,
}: BlobUploadOptions): BlobUpload {
  // The agent connects to private addresses too: in development publisher and aggregator are local.
  const walrus = new Agent({ connections: concurrentUploadsMax, pipelining: 1 });
  let running = 0;

  /** Reads a blob with retries, because an aggregator may not know it directly after it was stored. */
  async function readBack(blobId: string, maxBytes: number): Promise<Uint8Array> {
    const deadlineMs = performance.now() + findTimeoutMs;
    for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
      const timeoutMs = Math.max(1, Math.ceil(deadlineMs - performance.now()));
      try {
        return await readBlob(walrus, aggregatorUrl, blobId, { maxBytes, timeoutMs });
      } catch (error) {
        if (!(error instanceof OutboundError && error.retryable)) throw error;
        if (performance.now() + pauseMs > deadlineMs)
          throw problem('upload_timeout', `${notFound}: ${error.message}`);
        await delay(pauseMs);
      }
    }
  }

  async function store(bytes: Buffer): Promise<string> {
    const blobId = await storeBlob(walrus, publisherUrl, bytes, { timeoutMs: storeTimeoutMs }).catch(
      createRethrow('The Walrus publisher did not store the blob'),
    );
    const found = await readBack(blobId, bytes.length).catch(createRethrow(notFound));
    if (bytes.equals(found)) return `walrus://${blobId}`;
    throw problem('upload_failed', 'The Walrus aggregator answers other bytes than the publisher was given.');
  }

  return {
    async upload(bytes) {
      if (running >= concurrentUploadsMax) {
        throw problem('upload_busy', 'Too many blobs are being uploaded; try again shortly.');
      }
      running += 1;
      try {
        return await store(bytes);
      } finally {
        running -= 1;
      }
    },
    close: () => walrus.destroy(),
  };
}

const notFound = 'The blob was stored, but cannot be read back';

/** Creates a handler that rethrows errors of outbound requests as problems, and other errors unchanged. */
function createRethrow(what: string) {
  return (cause: unknown): never => {
    if (!(cause instanceof OutboundError)) throw cause;
    const code = cause.kind === 'timeout' ? 'upload_timeout' : 'upload_failed';
    throw problem(code, `${what}: ${cause.message}`);
  };
}

/** Uploads to Walrus, for each network whose publisher is set. */
export type Uploads = ReadonlyMap<Network, BlobUpload>;

interface UploadNetwork {
  network: Network;
  publisherUrl?: string | undefined;
  aggregatorUrl?: string | undefined;
}

export function openUploads(networks: readonly UploadNetwork[], closing: AsyncDisposableStack): Uploads {
  const uploads = new Map<Network, BlobUpload>();
  for (const { network, publisherUrl, aggregatorUrl } of networks) {
    if (publisherUrl === undefined || aggregatorUrl === undefined) continue;
    const upload = createBlobUpload({ publisherUrl, aggregatorUrl });
    closing.defer(() => upload.close());
    uploads.set(network, upload);
  }
  return uploads;
}

/**
 * @param otherwise sentences that say what the caller can do without a publisher
 * @throws ProblemError 503 if the service has no publisher for the network
 */
export function requireUpload(uploads: Uploads, network: Network, otherwise: string): BlobUpload {
  const upload = uploads.get(network);
  if (upload) return upload;
  const setting = `WALRUS_${network.toUpperCase()}_PUBLISHER_URL`;
  throw problem(
    'publisher_not_configured',
    `This service has no Walrus publisher for ${network} (${setting}). ${otherwise}`,
  );
}
