import type { Network } from '@adaptor-marketplace/adaptor';
import type { NetworkSettings } from '../../../../lib/config/networks.ts';
import { problem } from '../../../../lib/errors/index.ts';
import {
  createManifestUpload,
  type ManifestUpload,
  ManifestUploadError,
} from '../../../../lib/manifests/upload.ts';

type WalrusSettings = Pick<NetworkSettings, 'network'> &
  Partial<Pick<NetworkSettings, 'publisherUrl' | 'aggregatorUrl'>>;

/** The way to Walrus of each network whose publisher this host has set. */
export type Uploads = ReadonlyMap<Network, ManifestUpload>;

export function openUploads(networks: readonly WalrusSettings[], closing: AsyncDisposableStack): Uploads {
  const uploads = new Map<Network, ManifestUpload>();
  for (const { network, publisherUrl, aggregatorUrl } of networks) {
    if (publisherUrl === undefined || aggregatorUrl === undefined) continue;
    const upload = createManifestUpload({ publisherUrl, aggregatorUrl });
    closing.defer(() => upload.close());
    uploads.set(network, upload);
  }
  return uploads;
}

/** @throws ProblemError 503 where the host has no publisher for the network */
export function requireUpload(uploads: Uploads, network: Network): ManifestUpload {
  const upload = uploads.get(network);
  if (upload) return upload;
  throw problem(
    'publisher_not_configured',
    `This service has no Walrus publisher for ${network} (WALRUS_${network.toUpperCase()}_PUBLISHER_URL). Draft ` +
      'without upload, store the canonical JSON of the manifest yourself, and put its uri into the arguments.',
  );
}

const codes = { late: 'upload_timeout', failed: 'upload_failed', busy: 'upload_busy' } as const;

/** @throws ProblemError 502, 503 or 504 where the manifest could not be stored, or not be read back */
export async function uploadManifest(upload: ManifestUpload, manifest: unknown): Promise<string> {
  try {
    return await upload.upload(manifest);
  } catch (error) {
    if (!(error instanceof ManifestUploadError)) throw error;
    throw problem(codes[error.reason], error.message);
  }
}
