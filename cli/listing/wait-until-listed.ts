import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import type { Listing } from '../../lib/adaptor/registry-calls.ts';
import { catalogAnswer, type catalogEntry } from '../api/catalog.ts';
import { read } from '../api/read.ts';
import { Refusal, say } from '../io.ts';
import type { Session } from '../signing/session.ts';
import type { ListingCheck } from './check-listing.ts';

const patienceMs = 180_000;
const pauseMs = 500;

/** A listing as it stands in the catalog. */
export interface InCatalog {
  entry: z.infer<typeof catalogEntry>;
  shownByDefault: boolean;
}

/** A marketplace whose node was behind looks again after some seconds: how long its first no is not believed. */
const doubtMs = 15_000;

/**
 * Waits until the catalog has the listing: once the event was read and the manifest verified.
 * @param check what is known of it: where the publisher is verified by it, the marketplace has time to find out too
 * @throws Refusal where it is not there within three minutes
 */
export async function waitUntilListed(
  { io, api, network, address }: Session,
  { serviceType, manifestHash }: Listing,
  check: Pick<ListingCheck, 'shownByDefault'>,
): Promise<InCatalog> {
  const started = performance.now();
  let seen: number | undefined;
  const find = async (include: 'unverified' | undefined) => {
    const query = { network, publisher: address, include };
    const { body, indexedCheckpoint } = await api.get('/api/adaptors', query);
    const entry = read(catalogAnswer, body).adaptors.find(
      (one) => one.serviceType === serviceType && one.manifestHash === manifestHash,
    );
    return { entry, indexedCheckpoint };
  };
  if (!io.liveErr) say(io.err, ['waiting  for the catalog']);
  try {
    for (;;) {
      const { entry, indexedCheckpoint } = await find('unverified');
      if (entry) {
        seen ??= performance.now();
        const shownByDefault = (await find(undefined)).entry !== undefined;
        const inDoubt = check.shownByDefault && performance.now() - seen < doubtMs;
        if (shownByDefault || !inDoubt) return { entry, shownByDefault };
      }
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
