import { normalizeAddress, parseServiceType } from '../chain/names.ts';

/** The subject of a verified manifest or of a listing: an adaptor by its service type, or a rule by its rule type. */
export type Subject = { packageId: string } & ({ serviceType: string } | { ruleType: string });

const describeSubject = (subject: Subject) =>
  'serviceType' in subject
    ? { packageId: subject.packageId, what: 'service type', whose: 'an adaptor', type: subject.serviceType }
    : { packageId: subject.packageId, what: 'rule type', whose: 'a rule', type: subject.ruleType };

/**
 * Explains in a sentence why a verified manifest does not describe its listing. Returns undefined if it does. A
 * publisher can commit to any bytes, also to a copy of another listing's manifest, or to one of the other kind.
 */
export function checkManifestAgainstListing(manifest: Subject, listing: Subject): string | undefined {
  const [named, listed] = [describeSubject(manifest), describeSubject(listing)];
  if (named.what !== listed.what) return `The manifest is ${named.whose}'s, the listing ${listed.whose}'s.`;
  const [actual, expected] = [parseServiceType(named.type), parseServiceType(listed.type)];
  if ('error' in actual || 'error' in expected || actual.canonical !== expected.canonical) {
    return `The manifest is for ${named.what} ${named.type}, the listing for ${listed.type}.`;
  }
  if (normalizeAddress(named.packageId) !== normalizeAddress(listed.packageId)) {
    return `The manifest names package ${named.packageId}, the listing ${listed.packageId}.`;
  }
  return undefined;
}
