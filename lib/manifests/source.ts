import { manifestLimits } from '@adaptor-marketplace/adaptor/manifest';
import { Agent } from 'undici';
import { OutboundError } from '../outbound/errors.ts';
import type { Outbound } from '../outbound/index.ts';
import { readBlob } from '../walrus/blobs.ts';

type ManifestUri = { kind: 'walrus'; blobId: string } | { kind: 'url'; url: string };

interface ManifestSourceOptions {
  /** The network's Walrus aggregator, without a trailing slash. The operator sets it, so it is trusted. */
  aggregatorUrl: string;
  /** Fetches strangers' urls. The caller closes it. */
  outbound: Outbound;
}

export interface ManifestSource {
  /** @throws OutboundError, whose message may be shown to the publisher. */
  read(uri: string, signal?: AbortSignal): Promise<Uint8Array>;
  close(): Promise<void>;
}

/** Community convention, with and without `blob/`; ids are 32 bytes in URL-safe base64. */
const walrusPattern = /^walrus:\/\/(?:blob\/)?([A-Za-z0-9_-]{43})$/;

/** Timeout of the whole fetch of one manifest. */
const timeoutMs = 10_000;

/** Parses a uri by its form alone. The guard decides whether a url may be fetched. */
export function parseManifestUri(uri: string): ManifestUri | { error: string } {
  const blobId = walrusPattern.exec(uri)?.[1];
  if (blobId !== undefined) return { kind: 'walrus', blobId };
  if (/^walrus:/i.test(uri))
    return { error: 'A Walrus uri is walrus://<blobId> with a blob id of 43 characters.' };
  if (/^https?:\/\//i.test(uri)) return { kind: 'url', url: uri };
  return { error: 'A manifest uri is walrus://<blobId> or https://<url>.' };
}

/** Resolves manifest uris of one network to bytes, bounded in size and time on either way. */
export function createManifestSource({ aggregatorUrl, outbound }: ManifestSourceOptions): ManifestSource {
  // No address guard: in development the aggregator is a local one.
  const aggregator = new Agent({ connections: 32, pipelining: 1 });
  return {
    read: async (uri, signal) => {
      const parsed = parseManifestUri(uri);
      if ('error' in parsed) throw new OutboundError('forbidden_url', parsed.error, { retryable: false });
      const bounds = { maxBytes: manifestLimits.bytesMax, timeoutMs, signal };
      if (parsed.kind === 'url') return outbound.fetchBytes(parsed.url, bounds);
      return readBlob(aggregator, aggregatorUrl, parsed.blobId, bounds);
    },
    close: () => aggregator.destroy(),
  };
}
