import type { Network } from '@adaptor-marketplace/adaptor';
import {
  type PreparedSource,
  prepareSource,
  readZip,
  SourceRefusedError,
  sourceLimits,
} from '@adaptor-marketplace/move-toolchain/verify/source';
import { Agent } from 'undici';
import { createSemaphore } from '../../../lib/concurrency/semaphore.ts';
import { createShares } from '../../../lib/concurrency/shares.ts';
import { problem } from '../../../lib/errors/index.ts';
import { OutboundError } from '../../../lib/outbound/errors.ts';
import { readBlob } from '../../../lib/walrus/blobs.ts';

/** Maximum number of archives in memory: in all, and of one sender's address. */
const archivesMax = { all: 8, sender: 1 };
const blobTimeoutMs = 20_000;

/** Reads the archives that callers offer as source. All callers share bounds on memory and on processor time. */
export interface SourceUploads {
  /** Takes one of the `archivesMax` slots. Returns a function that releases it. @throws ProblemError 429, 503 */
  take(sender: string): () => void;
  /** Reads an archive that is a Walrus blob. @throws ProblemError 502 */
  readBlob(network: Network, blobId: string, signal: AbortSignal): Promise<Uint8Array>;
  /** Unpacks the source in an archive. @throws ProblemError 400 with the reason */
  unpack(archive: Uint8Array, folder: string | undefined, signal: AbortSignal): Promise<PreparedSource>;
}

interface BlobNetwork {
  network: Network;
  aggregatorUrl?: string | undefined;
}

export function openSourceUploads(
  networks: readonly BlobNetwork[],
  closing: AsyncDisposableStack,
): SourceUploads {
  // The agent connects to private addresses too: the operator sets the aggregators, and in development they are local.
  const walrus = new Agent({ connections: archivesMax.all, pipelining: 1 });
  closing.defer(() => walrus.destroy());
  const aggregators = new Map(networks.map(({ network, aggregatorUrl }) => [network, aggregatorUrl]));
  const shares = createShares(archivesMax);
  // Unpacking runs on the thread that answers all requests, so one archive is unpacked at a time.
  const unpacking = createSemaphore(1);
  return {
    take: (sender) =>
      shares.take({ sender }, (kind, max) =>
        kind === 'sender'
          ? problem('offers_busy', `Your address sends source now. It can send ${max} archive at a time.`, {
              status: 429,
            })
          : problem('offers_busy', `${max} archives are being read. Try again shortly.`, { status: 503 }),
      ),
    async readBlob(network, blobId, signal) {
      const aggregatorUrl = aggregators.get(network);
      if (aggregatorUrl === undefined)
        throw problem(
          'blob_unavailable',
          `This host has no Walrus aggregator for ${network}. Send the zip file.`,
        );
      try {
        const bounds = { maxBytes: sourceLimits.archiveBytes, timeoutMs: blobTimeoutMs, signal };
        return await readBlob(walrus, aggregatorUrl, blobId, bounds);
      } catch (error) {
        if (!(error instanceof OutboundError)) throw error;
        if (error.kind === 'too_large') throw problem('source_refused', error.message);
        throw problem('blob_unavailable', `The blob ${blobId} cannot be read: ${error.message}`);
      }
    },
    unpack: (archive, folder, signal) =>
      unpacking.run(async () => {
        try {
          return prepareSource(await readZip(archive), folder);
        } catch (error) {
          throw error instanceof SourceRefusedError ? problem('source_refused', error.message) : error;
        }
      }, signal),
  };
}
