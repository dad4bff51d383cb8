import { setTimeout as delay } from 'node:timers/promises';
import type { Listing } from '@adaptor-marketplace/adaptor/registry-calls';
import type { z } from 'zod';
import { catalogAnswer, type catalogEntry } from '../api/catalog.ts';
import { read } from '../api/read.ts';
import { Refusal, say } from '../io.ts';
import type { Session } from '../signing/session.ts';
import type { ListingCheck } from './check-listing.ts';

type Entry = z.infer<typeof catalogEntry>;

const patienceMs = 180_000;
const pauseMs = 500;
/** Characters that the catalog searches for. */
const queryLengthMax = 200;
/** A marketplace whose node was behind looks again after some seconds: how long its first no is not believed. */
const doubtMs = 15_000;

/** A listing as it stands in the catalog. */
export interface InCatalog {
  entry: Entry;
  shownByDefault: boolean;
}

interface OwnListing {
  entry: Entry | undefined;
  /** The last checkpoint that the catalog knows of. */
  indexedCheckpoint: string | undefined;
}

/** What the catalog has of the signer's for a service; `byDefault`, what it shows to those who ask for nothing more. */
export async function ownListing(
  { api, network, address }: Session,
  serviceType: string,
  { byDefault = false } = {},
): Promise<OwnListing> {
  const q = serviceType.slice(0, queryLengthMax);
  const { body, indexedCheckpoint } = await api.get('/api/adaptors', {
    ...{ network, q, publisher: address, include: byDefault ? undefined : 'unverified' },
  });
  const entry = read(catalogAnswer, body).adaptors.find((one) => one.serviceType === serviceType);
  return { entry, indexedCheckpoint };
}

/**
 * Waits until the catalog has the listing: once the event was read and the manifest verified.
 * @param check what is known of it: where the publisher is verified by it, the marketplace has time to find out too
 * @param after the version of it that the catalog had before
 * @throws Refusal where it is not there within three minutes
 */
export function waitUntilListed(
  session: Session,
  { serviceType, manifestHash }: Listing,
  check: Pick<ListingCheck, 'shownByDefault'>,
  after = 0,
): Promise<InCatalog> {
  const isThis = (entry: Entry | undefined): entry is Entry =>
    entry?.manifestHash === manifestHash && entry.version > after;
  let seen: number | undefined;
  return waitFor(session, serviceType, 'It is listed on chain, but not in the catalog', async (entry) => {
    if (!isThis(entry)) return undefined;
    seen ??= performance.now();
    const shownByDefault = isThis((await ownListing(session, serviceType, { byDefault: true })).entry);
    const inDoubt = check.shownByDefault && performance.now() - seen < doubtMs;
    return shownByDefault || !inDoubt ? { entry, shownByDefault } : undefined;
  });
}

/** Returns once the catalog has no listing of the signer's for the service. @throws Refusal after three minutes */
export async function waitUntilUnlisted(session: Session, serviceType: string): Promise<void> {
  await waitFor(session, serviceType, 'It is unlisted on chain, but still in the catalog', async (entry) =>
    entry === undefined ? true : undefined,
  );
}

async function waitFor<Result>(
  session: Session,
  serviceType: string,
  otherwise: string,
  settled: (entry: Entry | undefined) => Promise<Result | undefined>,
): Promise<Result> {
  const { io, api } = session;
  const started = performance.now();
  if (!io.liveErr) say(io.err, ['waiting  for the catalog']);
  try {
    for (;;) {
      const { entry, indexedCheckpoint } = await ownListing(session, serviceType);
      const result = await settled(entry);
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
