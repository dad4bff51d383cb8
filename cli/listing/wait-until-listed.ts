import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { Listing } from '../../lib/adaptor/registry-calls.ts';
import { catalogAnswer, type catalogEntry } from '../api/catalog.ts';
import { read } from '../api/read.ts';
import { Refusal, say } from '../io.ts';
import type { Session } from '../signing/session.ts';

type Entry = z.infer<typeof catalogEntry>;

const patienceMs = 180_000;
const pauseMs = 500;
/** Characters that the catalog searches for. */
const queryLengthMax = 200;

/** What the catalog has of the signer's for a service, and the last checkpoint that it knows of. */
export async function ownListing(
  { api, network, address }: Session,
  serviceType: string,
): Promise<{ entry: Entry | undefined; indexedCheckpoint: string | undefined }> {
  const q = serviceType.slice(0, queryLengthMax);
  const query = { network, q, publisher: address, include: 'unverified' };
  const { body, indexedCheckpoint } = await api.get('/api/adaptors', query);
  const entry = read(catalogAnswer, body).adaptors.find((one) => one.serviceType === serviceType);
  return { entry, indexedCheckpoint };
}

/**
 * The listing in the catalog, which shows it once the event was read and the manifest verified.
 * @param after the version of it that the catalog had before
 * @throws Refusal where it does not within three minutes
 */
export function waitUntilListed(
  session: Session,
  { serviceType, manifestHash }: Listing,
  after = 0,
): Promise<Entry> {
  return waitFor(session, serviceType, 'It is listed on chain, but not in the catalog', (entry) =>
    entry?.manifestHash === manifestHash && entry.version > after ? entry : undefined,
  );
}

/** Returns once the catalog has no listing of the signer's for the service. @throws Refusal after three minutes */
export async function waitUntilUnlisted(session: Session, serviceType: string): Promise<void> {
  await waitFor(session, serviceType, 'It is unlisted on chain, but still in the catalog', (entry) =>
    entry === undefined ? true : undefined,
  );
}

async function waitFor<Result>(
  session: Session,
  serviceType: string,
  otherwise: string,
  settled: (entry: Entry | undefined) => Result | undefined,
): Promise<Result> {
  const { io, api } = session;
  const started = performance.now();
  if (!io.liveErr) say(io.err, ['waiting  for the catalog']);
  try {
    for (;;) {
      const { entry, indexedCheckpoint } = await ownListing(session, serviceType);
      const result = settled(entry);
      if (result !== undefined) return result;
      const elapsedMs = performance.now() - started;
      if (elapsedMs > patienceMs) {
        throw new Refusal(
          `${otherwise} after ${patienceMs / 1000} seconds: ${api.url}/status says how far the marketplace has ` +
            'read, and how many manifests it could not verify.',
        );
      }
      if (io.liveErr) {
        const checkpoint = indexedCheckpoint?.replace(/\D/g, '') || '?';
        const seconds = Math.round(elapsedMs / 1000);
        io.err(
          `\r\u001b[Kwaiting  for the catalog, which has read up to checkpoint ${checkpoint} (${seconds} s)`,
        );
      }
      await delay(pauseMs);
    }
  } finally {
    if (io.liveErr) io.err('\r\u001b[K');
  }
}
