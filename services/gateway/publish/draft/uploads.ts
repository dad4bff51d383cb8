import type { Network } from '@adaptor-marketplace/adaptor/networks';
import { type Problem, ProblemError } from '../../../../lib/errors/index.ts';
import {
  createManifestUpload,
  type ManifestUpload,
  ManifestUploadError,
} from '../../../../lib/manifests/upload.ts';
import type { GatewayNetwork } from '../../options.ts';

/** The way to Walrus of each network whose publisher this host has set. */
export type Uploads = ReadonlyMap<Network, ManifestUpload>;

export function openUploads(networks: readonly GatewayNetwork[], closing: AsyncDisposableStack): Uploads {
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
  throw new ProblemError({
    status: 503,
    code: 'publisher_not_configured',
    title: 'Not configured',
    detail:
      `This host has no Walrus publisher for ${network} (WALRUS_${network.toUpperCase()}_PUBLISHER_URL). Draft ` +
      'without upload, store the canonical JSON of the manifest yourself, and put its uri into the arguments.',
  });
}

const problems: Record<ManifestUploadError['reason'], Omit<Problem, 'detail'>> = {
  late: { status: 504, code: 'upload_timeout', title: 'Upload timeout' },
  failed: { status: 502, code: 'upload_failed', title: 'Upload failed' },
  busy: { status: 503, code: 'upload_busy', title: 'Busy', headers: { 'retry-after': '5' } },
};

/** @throws ProblemError 502, 503 or 504 where the manifest could not be stored, or not be read back */
export async function uploadManifest(upload: ManifestUpload, manifest: unknown): Promise<string> {
  try {
    return await upload.upload(manifest);
  } catch (error) {
    if (!(error instanceof ManifestUploadError)) throw error;
    throw new ProblemError({ ...problems[error.reason], detail: error.message });
  }
}
