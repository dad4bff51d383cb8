import { isVerifiedPublisher, type Publishers } from '../chain/publisher.ts';
import { displayText } from '../names/display.ts';
import type { Warning } from './warning.ts';

/** An existing listing whose name looks like a new one's, with the facts for a warning. */
export interface AlikeListing {
  serviceType: string;
  publisher: string;
  name: string;
  firstListedAtMs: number;
  usage: { actions: number; uniqueVaults: number };
}

/** Reasons why the catalog hides a listing by default, or shows a notice beside it. */
export const listingWarningCodes = [
  'name_alike',
  'publisher_not_verified',
  'publisher_unknown',
  'listed_by_other_publisher',
] as const;

/** Warns of existing listings whose names look like the one that a publisher is about to list. */
export function alikeWarnings(name: string, alike: readonly AlikeListing[]): Warning[] {
  if (alike.length === 0) return [];
  const listed = alike.map(
    ({ name: other, publisher, serviceType, firstListedAtMs, usage }) =>
      `${JSON.stringify(displayText(other))} by ${publisher} (${serviceType}), first listed ` +
      `${new Date(firstListedAtMs).toISOString().slice(0, 10)}, with ${usage.actions} actions of ${usage.uniqueVaults} wallets`,
  );
  const detail =
    `${JSON.stringify(displayText(name))} looks like a name that is listed: ${listed.join('; ')}. The catalog points this out at ` +
    'both. Choose another name, unless these listings are yours.';
  return [{ code: 'name_alike', detail }];
}

/**
 * Warns if the catalog does not show a listing of the package by default, because its publisher is not verified.
 * @param publisher address that signs the listing
 */
export function publisherWarnings(packageId: string, publisher: string, publishers: Publishers): Warning[] {
  const verdict = isVerifiedPublisher(publishers, publisher);
  if (verdict.status === 'verified') return [];
  if (verdict.status === 'unknown') {
    const detail =
      `It is unknown whether the catalog shows this listing by default: it does if ${publisher} published ${packageId}, ` +
      `or owns its UpgradeCap. ${verdict.reason}`;
    return [{ code: 'publisher_unknown', detail }];
  }
  const detail =
    'The catalog does not show this listing by default, only with include=unverified: ' +
    `${publisher} neither published ${packageId} nor owns its UpgradeCap. ${describe(publishers)}`;
  return [{ code: 'publisher_not_verified', detail }];
}

/** Names the addresses that can list the package so that the catalog shows it. */
function describe({ publishSender, upgradeCapOwner }: Publishers): string {
  const sender = publishSender.status === 'known' ? publishSender.address : undefined;
  const owner = upgradeCapOwner.status === 'known' ? upgradeCapOwner.address : undefined;
  if (sender !== undefined && sender === owner) return `${sender} did, and does: sign with its key.`;
  if (sender !== undefined && owner !== undefined) {
    return `${sender} published it, ${owner} owns the UpgradeCap: sign with one of their keys.`;
  }
  const known = sender ?? owner;
  if (known !== undefined) return `${known} ${sender ? 'published it' : 'owns it'}: sign with its key.`;
  return 'reason' in publishSender ? publishSender.reason : '';
}

/** Warns if the catalog shows the listing of another verified publisher for the service type. */
export function otherPublisherWarnings(
  publisher: string,
  shown: { publisher: string } | undefined,
): Warning[] {
  if (!shown || shown.publisher === publisher) return [];
  const detail =
    `The catalog shows the listing of this service type by ${shown.publisher}, who is verified too: of several, the ` +
    'first listed is shown by default, the others with include=unverified.';
  return [{ code: 'listed_by_other_publisher', detail }];
}
