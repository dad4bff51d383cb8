import { MarketplaceError, toConnectionError } from './errors.ts';
import type { Network, PackageSource } from './generated/types.gen.ts';
import { delay, limitBody, type Send } from './requests.ts';

/** Source for a package on chain. */
export interface SourceOfferRequest {
  /** A zip file with the Move package, or the id of a Walrus blob with it. */
  source: Uint8Array<ArrayBuffer> | { blobId: string };
  /** Id of the package, one version of it. */
  packageId: string;
  /** Default: the marketplace's default network. */
  network?: Network | undefined;
  /** Folder of the package in the archive, if it has several. */
  folder?: string | undefined;
}

/** A response can take long: the marketplace may first read a blob, and it unpacks one archive at a time. */
const timeoutMs = 180_000;
/** Bound on a result: its differences have at most 256 KiB. */
const bytesMax = 4 * 1024 * 1024;
const pauseMs = 1_000;

/** Offers source. The verdict of the result is `pending`, unless the same source was compared before. */
export async function offerSource(
  send: Send,
  baseUrl: string,
  { source, packageId, network, folder }: SourceOfferRequest,
  signal: AbortSignal | undefined,
): Promise<PackageSource> {
  const query = new URLSearchParams({ packageId });
  if (network !== undefined) query.set('network', network);
  if (folder !== undefined) query.set('folder', folder);
  const isArchive = source instanceof Uint8Array;
  const request = new Request(`${baseUrl}/api/adaptors/verify?${query}`, {
    method: 'POST',
    headers: { 'content-type': isArchive ? 'application/zip' : 'application/json' },
    body: isArchive ? source : JSON.stringify(source),
    signal: signal ?? null,
  });
  return await sendForSource(send, request, signal);
}

/** Reads the result of an offer every second until it has a verdict, and as late as a rate limit allows. */
export async function awaitVerdict(
  send: Send,
  baseUrl: string,
  { packageId, network, offer }: Pick<PackageSource, 'packageId' | 'network' | 'offer'>,
  signal: AbortSignal | undefined,
): Promise<PackageSource> {
  const query = new URLSearchParams({ packageId, network, ...(offer !== null && { offer }) });
  for (;;) {
    const request = new Request(`${baseUrl}/api/adaptors/verify?${query}`, { signal: signal ?? null });
    let waitMs = pauseMs;
    try {
      const result = await sendForSource(send, request, signal);
      if (result.verdict !== 'pending') return result;
    } catch (error) {
      const isEarly = error instanceof MarketplaceError && error.status === 429;
      if (!isEarly || error.retryAfterSeconds === undefined) throw error;
      waitMs = error.retryAfterSeconds * 1_000;
    }
    await delay(waitMs, signal);
  }
}

async function sendForSource(
  send: Send,
  request: Request,
  signal: AbortSignal | undefined,
): Promise<PackageSource> {
  try {
    const response = await send(request, { timeoutMs });
    return (await limitBody(response, bytesMax).json()) as PackageSource;
  } catch (error) {
    throw toConnectionError(error, signal);
  }
}
