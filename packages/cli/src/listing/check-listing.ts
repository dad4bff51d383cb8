import { findPublishers, isVerifiedPublisher } from '@adaptor-marketplace/adaptor/chain/publisher';
import {
  alikeWarnings,
  listingWarningCodes,
  otherPublisherWarnings,
  publisherWarnings,
} from '@adaptor-marketplace/adaptor/draft/listing-warnings';
import type { Warning } from '@adaptor-marketplace/adaptor/draft/warning';
import { nameSkeleton } from '@adaptor-marketplace/adaptor/names/skeleton';
import type { Listing } from '@adaptor-marketplace/adaptor/registry-calls';
import { z } from 'zod';
import { catalogAnswer, catalogEntry } from '../api/catalog.ts';
import { read } from '../api/read.ts';
import type { Session } from '../signing/session.ts';
import type { Draft } from './draft.ts';
import { warningLines } from './lines.ts';

/** What the catalog will do with a listing. */
export interface ListingCheck {
  /** Whether it shows the listing by default; null where the signer's node cannot say whether they are the publisher. */
  shownByDefault: boolean | null;
  /** Why it does not, and listings whose names look alike. */
  warnings: Warning[];
}

const answerShape = catalogAnswer.extend({
  adaptors: z.array(catalogEntry.extend({ publisher: z.string(), firstListedAtMs: z.int() })),
});

/** Characters that the catalog searches for. */
const queryLengthMax = 200;
/** Look-alikes that are read: one more than are shown, since the signer's own listing may be among them. */
const alikeReadMax = 6;

/**
 * Checks a listing before it is signed. Who the package's publisher is comes from the signer's own node, by the rule
 * that the indexer judges by; what is listed comes from the marketplace.
 */
export async function checkListing(
  { api, client, network, address }: Session,
  { name }: Draft['manifest'],
  { packageId, serviceType }: Listing,
): Promise<ListingCheck> {
  const entriesOf = async (query: Record<string, string>) =>
    read(answerShape, (await api.get('/api/adaptors', { network, ...query })).body).adaptors;
  const [publishers, likely, found] = await Promise.all([
    findPublishers(client, packageId),
    entriesOf({ alike: name, limit: String(alikeReadMax) }),
    entriesOf({ q: serviceType.slice(0, queryLengthMax) }),
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

/** What is said of a check before anything is signed. */
export function checkLines({ shownByDefault, warnings }: ListingCheck): string[] {
  const shown = 'catalog  shows this listing by default: you published the package, or own its UpgradeCap';
  return [...warningLines(warnings), ...(shownByDefault ? [shown] : [])];
}

/**
 * The warnings of a draft that are for the signer of `register`. The others say what `checkListing` looks at, which may
 * have changed since, or to sign update() in place of register(), which the command does by itself.
 */
export function lastingWarnings({ warnings }: Draft): Warning[] {
  const settled: readonly string[] = [...listingWarningCodes, 'already_listed'];
  return warnings.filter(({ code }) => !settled.includes(code));
}
