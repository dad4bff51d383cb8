import { setTimeout as delay } from 'node:timers/promises';
import { findPublishers, isVerifiedPublisher } from '@adaptor-marketplace/adaptor/chain';
import {
  alikeWarnings,
  listingWarningCodes,
  otherPublisherWarnings,
  publisherWarnings,
  type Warning,
} from '@adaptor-marketplace/adaptor/draft';
import { displayText, nameSkeleton } from '@adaptor-marketplace/adaptor/names';
import type { Listing } from '@adaptor-marketplace/adaptor/transactions';
import type { CatalogQuery } from '@adaptor-marketplace/sdk';
import { z } from 'zod';
import {
  type CatalogEntry,
  catalogAnswer,
  catalogEntry,
  parseResponse,
  readPatiently,
  searchTextMax,
} from './api.ts';
import { type Draft, formatWarningLines } from './draft.ts';
import { CommandFailedError, say } from './io.ts';
import type { Session } from './signing.ts';

/** A prediction of how the catalog will treat a listing. */
interface ListingCheck {
  /** True if the catalog will show it by default; null if the signer's node cannot verify the publisher. */
  shownByDefault: boolean | null;
  /** Reasons why it will not be shown, and listings whose names look alike. */
  warnings: Warning[];
}

const answerShape = catalogAnswer.extend({
  adaptors: z.array(catalogEntry.extend({ publisher: z.string(), firstListedAtMs: z.int() })),
});

/** Look-alikes that are read: one more than is shown, since the signer's own listing may be among them. */
const alikeReadMax = 6;

/**
 * Checks a listing before it is signed. The package's publishers come from the signer's own node, by the indexer's
 * rule. Existing listings come from the marketplace.
 */
export async function checkListing(
  { market, client, network, address }: Session,
  { name }: Draft['manifest'],
  { packageId, serviceType }: Listing,
): Promise<ListingCheck> {
  const readEntries = async (query: CatalogQuery) =>
    parseResponse(answerShape, await market.api.listAdaptors({ query: { network, ...query } })).adaptors;
  const [publishers, likely, found] = await Promise.all([
    findPublishers(client, packageId),
    readEntries({ alike: name, limit: alikeReadMax }),
    readEntries({ q: serviceType.slice(0, searchTextMax) }),
  ]);
  const skeleton = nameSkeleton(name);
  const alike = likely
    .map((entry) => ({ ...entry, name: entry.manifest.name }))
    .filter((entry) => entry.serviceType !== serviceType && nameSkeleton(entry.name) === skeleton)
    .sort((one, other) => one.firstListedAtMs - other.firstListedAtMs);
  const verdict = isVerifiedPublisher(publishers, address);
  const shown = found.find((entry) => entry.serviceType === serviceType && entry.publisherVerified);
  const hidden =
    verdict.status === 'verified'
      ? otherPublisherWarnings(address, shown)
      : publisherWarnings(packageId, address, publishers);
  return {
    shownByDefault: verdict.status === 'unknown' ? null : hidden.length === 0,
    warnings: [...hidden, ...alikeWarnings(name, alike)],
  };
}

/** The lines about a check that are printed before anything is signed. */
export function formatCheckLines({ shownByDefault, warnings }: ListingCheck): string[] {
  const shown = 'catalog  shows this listing by default: you published the package, or own its UpgradeCap';
  return [...formatWarningLines(warnings), ...(shownByDefault ? [shown] : [])];
}

/** The line about a service's entry in the catalog, for an owner who grants to the service or revokes from it. */
export function formatEntryLine({
  publisherVerified,
  manifest: { name, deprecated, successor },
}: Pick<CatalogEntry, 'publisherVerified' | 'manifest'>): string {
  const shown = displayText(name);
  if (!publisherVerified)
    return `warning  ${shown}: the publisher of this listing is not verified. Anyone can list a service of others.`;
  if (deprecated === undefined) return `listing  ${shown}, of a verified publisher`;
  const instead = successor === undefined ? '' : `, who names ${successor} in its place`;
  return `warning  ${shown} is deprecated by its publisher${instead}: ${displayText(deprecated)}`;
}

/**
 * Returns the warnings of a draft that concern the signer of `register`. The others are about facts that `checkListing`
 * checks, which may have changed since, or are about the transaction, which the command builds by itself.
 */
export function pickLastingWarnings({ warnings }: Draft): Warning[] {
  const settled: readonly string[] = [
    ...listingWarningCodes,
    'already_listed',
    'upgraded_package',
    'transaction_not_built',
  ];
  return warnings.filter(({ code }) => !settled.includes(code));
}

type Entry = z.infer<typeof catalogEntry>;

const patienceMs = 180_000;
const pauseMs = 500;
/**
 * A marketplace whose node was behind checks again after some seconds. Until then, its first negative verdict may be
 * wrong.
 */
const doubtMs = 15_000;

export interface CatalogListing {
  entry: Entry;
  shownByDefault: boolean;
}

/**
 * Returns the signer's entry for a service in the catalog. With `byDefault`, only if the catalog shows it by default.
 */
async function readOwnListing(
  { market, network, address }: Session,
  serviceType: string,
  { byDefault = false } = {},
): Promise<Entry | undefined> {
  const q = serviceType.slice(0, searchTextMax);
  const query: CatalogQuery = {
    network,
    q,
    publisher: address,
    ...(!byDefault && { include: 'unverified' }),
  };
  const { adaptors } = parseResponse(catalogAnswer, await market.api.listAdaptors({ query }));
  return adaptors.find((one) => one.serviceType === serviceType);
}

/**
 * Waits until the catalog has the listing: the marketplace has read the event and verified the manifest.
 * @param check a publisher that it verified gives the marketplace extra time to verify it too
 * @param after the version on chain before
 * @throws CommandFailedError if the catalog does not have it within three minutes
 */
export function waitUntilListed(
  session: Session,
  { serviceType, manifestHash }: Listing,
  check: Pick<ListingCheck, 'shownByDefault'>,
  after = 0,
): Promise<CatalogListing> {
  const isThis = (entry: Entry | undefined): entry is Entry =>
    entry?.manifestHash === manifestHash && entry.version > after;
  let seen: number | undefined;
  return waitFor(session, serviceType, 'It is listed on chain, but not in the catalog', async (entry) => {
    if (!isThis(entry)) return undefined;
    seen ??= performance.now();
    const shownByDefault = isThis(await readOwnListing(session, serviceType, { byDefault: true }));
    const inDoubt = check.shownByDefault && performance.now() - seen < doubtMs;
    return shownByDefault || !inDoubt ? { entry, shownByDefault } : undefined;
  });
}

/**
 * Waits until the catalog has no listing of the signer for the service.
 * @throws CommandFailedError after three minutes
 */
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
  const { io, market } = session;
  const started = performance.now();
  if (!io.liveErr) say(io.err, ['waiting  for the catalog']);
  try {
    for (;;) {
      const result = await readPatiently(
        async () => settled(await readOwnListing(session, serviceType)),
        started + patienceMs,
      );
      if (result !== undefined) return result;
      const elapsedMs = performance.now() - started;
      if (elapsedMs > patienceMs) {
        throw new CommandFailedError(
          `${otherwise} after ${patienceMs / 1000} seconds: ${market.baseUrl}/status shows how far the marketplace has ` +
            'read, and how many manifests it could not verify.',
        );
      }
      if (io.liveErr) {
        io.err(`\r\u001b[Kwaiting  for the catalog (${Math.round(elapsedMs / 1000)} s)`);
      }
      await delay(pauseMs);
    }
  } finally {
    if (io.liveErr) io.err('\r\u001b[K');
  }
}
