import { setTimeout as delay } from 'node:timers/promises';
import type { Listing } from '@adaptor-marketplace/adaptor/registry-calls';
import type { z } from 'zod';
import { catalogAnswer, type catalogEntry } from '../api/catalog.ts';
import { read } from '../api/read.ts';
import { Refusal, say } from '../io.ts';
import type { Session } from '../signing/session.ts';

const patienceMs = 180_000;
const pauseMs = 500;

/**
 * The listing in the catalog, which shows it once the event was read and the manifest verified.
 * @throws Refusal where it does not within three minutes
 */
export async function waitUntilListed(
  { io, api, network, address }: Session,
  { serviceType, manifestHash }: Listing,
): Promise<z.infer<typeof catalogEntry>> {
  const started = performance.now();
  if (!io.liveErr) say(io.err, ['waiting  for the catalog']);
  try {
    for (;;) {
      const query = { network, publisher: address, include: 'unverified' };
      const { body, indexedCheckpoint } = await api.get('/api/adaptors', query);
      const entry = read(catalogAnswer, body).adaptors.find(
        (one) => one.serviceType === serviceType && one.manifestHash === manifestHash,
      );
      if (entry) return entry;
      const elapsedMs = performance.now() - started;
      if (elapsedMs > patienceMs) {
        throw new Refusal(
          `It is listed on chain, but not in the catalog after ${patienceMs / 1000} seconds: ${api.url}/status says ` +
            'how far the marketplace has read, and how many manifests it could not verify.',
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
