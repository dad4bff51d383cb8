import type { ListingStanding } from './listing.ts';

/** `shown`, or the reason why the catalog does not show a listing by default. */
export const statuses = [
  'shown',
  'quarantined',
  'unlisted',
  'name_invalid',
  'manifest_mismatch',
  'manifest_invalid',
  'manifest_unreachable',
  'manifest_pending',
  'witness_invalid',
  'witness_pending',
  'publisher_unverified',
  'publisher_pending',
  'other_publisher_shown',
] as const;
export type ListingStatus = (typeof statuses)[number];

/** Returns the reason why the catalog does not show a listing by default: the first of the rules that it fails. */
export function deriveStanding(listing: ListingStanding): { status: ListingStatus; reason: string | null } {
  const because = (error: string | null) => (error === null ? '' : `: ${error.replace(/\.+$/, '')}`);
  const { fetchStatus, publisherCheck, quarantined, witnessCheck } = listing;
  // It comes first: no change by the publisher ends it.
  if (quarantined) {
    return {
      status: 'quarantined',
      reason: `An operator of this marketplace holds it in quarantine${because(quarantined.reason)}.`,
    };
  }
  if (!listing.listed) return { status: 'unlisted', reason: 'The publisher has unlisted it.' };
  if (listing.nameError !== null) {
    return { status: 'name_invalid', reason: `The service type is not valid: ${listing.nameError}.` };
  }
  if (listing.shownPublisher === listing.publisher) return { status: 'shown', reason: null };
  if (listing.manifestError !== null) {
    return {
      status: 'manifest_invalid',
      reason: `The manifest does not belong to this listing: ${listing.manifestError}.`,
    };
  }
  if (fetchStatus === 'mismatch') {
    return {
      status: 'manifest_mismatch',
      reason: `The file at the manifest's uri does not have the registered hash${because(listing.fetchError)}.`,
    };
  }
  if (fetchStatus === 'invalid') {
    return { status: 'manifest_invalid', reason: `The manifest is not valid${because(listing.fetchError)}.` };
  }
  if (witnessCheck === 'invalid') {
    return {
      status: 'witness_invalid',
      reason: `The package has no usable witness of this name${because(listing.checkError)}.`,
    };
  }
  if (fetchStatus === 'unreachable') {
    return {
      status: 'manifest_unreachable',
      reason: `The manifest cannot be fetched${because(listing.fetchError)}. The indexer tries again.`,
    };
  }
  if (fetchStatus !== 'verified') {
    return { status: 'manifest_pending', reason: 'The indexer has not fetched the manifest yet.' };
  }
  if (witnessCheck === 'pending') {
    return { status: 'witness_pending', reason: 'The indexer has not checked the witness yet.' };
  }
  if (publisherCheck === 'pending') {
    return { status: 'publisher_pending', reason: 'The indexer has not checked the publisher yet.' };
  }
  if (publisherCheck !== 'verified') {
    const unknown = publisherCheck === 'unknown' ? ' The node no longer has the proof.' : '';
    return {
      status: 'publisher_unverified',
      reason: `The publisher neither published the package nor owns its UpgradeCap, as far as the indexer can see.${unknown} Only those who include unverified listings see it.`,
    };
  }
  return {
    status: 'other_publisher_shown',
    reason: `The earlier listing of ${listing.shownPublisher ?? 'another verified publisher'} is shown. Those who include unverified listings see both.`,
  };
}
