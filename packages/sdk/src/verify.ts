import { getErrorMessage, normalizeAddress, parseServiceType } from '@adaptor-marketplace/adaptor';
import {
  findPublishers,
  isVerifiedPublisher,
  type ListingReader,
  type PublisherReader,
  readListing,
  readWitness,
} from '@adaptor-marketplace/adaptor/chain';
import {
  checkManifestAgainstListing,
  isShownForm,
  manifestHash,
} from '@adaptor-marketplace/adaptor/manifest';
import type { RegistryIds } from '@adaptor-marketplace/adaptor/transactions';
import type { CatalogEntry } from './generated/types.gen.ts';

/** The result of one check. `unknown`: the node could not answer. Try again later, or use another node. */
export type Check = { status: 'passed' } | { status: 'failed' | 'unknown'; reason: string };

/** The verdict about an entry: the result of each check, and all of them together. */
export interface EntryVerdict {
  /** True if every check passed. */
  verified: boolean;
  checks: {
    /** The registry holds this listing of this publisher, at this version. */
    listing: Check;
    /** The published manifest has the hash that the registry holds, and describes this listing. The entry shows it. */
    manifest: Check;
    /** The service type is a witness that the package defines. */
    witness: Check;
    /** The publisher published the package, or owns its UpgradeCap. */
    publisher: Check;
  };
}

/** The part of an entry that the chain can confirm. Usage, reviews and warnings come from the marketplace alone. */
export type VerifiableEntry = Pick<
  CatalogEntry,
  | 'serviceType'
  | 'packageId'
  | 'publisher'
  | 'manifestUri'
  | 'manifestHash'
  | 'version'
  | 'manifest'
  | 'publishedFields'
>;

/**
 * Verifies an entry of the catalog against the chain, without trust in the marketplace that it comes from.
 * @param client a client of a node that you trust
 * @param registry ids that you trust: write them into your app, and do not take them from the marketplace
 * @returns a verdict with the result of each check; a node that does not answer makes a check `unknown`
 */
export async function verifyEntry(
  client: ListingReader & PublisherReader,
  registry: RegistryIds,
  entry: VerifiableEntry,
): Promise<EntryVerdict> {
  const type = parseServiceType(entry.serviceType);
  const publisher = normalizeAddress(entry.publisher);
  const packageId = normalizeAddress(entry.packageId);
  if ('error' in type || publisher === undefined || packageId === undefined) {
    const check = failed('The entry names no service type, publisher and package.');
    return toVerdict({ listing: check, manifest: check, witness: check, publisher: check });
  }
  const serviceType = type.canonical;
  const [listing, witness, publishers] = await Promise.all([
    readListing(client, registry, { serviceType, publisher }),
    readWitness(client, serviceType, packageId),
    findPublishers(client, packageId),
  ]);
  const registered = listing.status === 'found' ? listing.value : undefined;
  return toVerdict({
    listing: registered
      ? compareListing(registered, { ...entry, packageId })
      : { status: listing.status === 'absent' ? 'failed' : 'unknown', reason: getReason(listing) },
    manifest: registered
      ? checkManifest(entry, registered.manifestHash, { serviceType, packageId })
      : { status: 'unknown', reason: 'The registry holds no hash to compare with.' },
    witness: toCheck(witness.check, 'valid'),
    publisher: toCheck(isVerifiedPublisher(publishers, publisher), 'verified'),
  });
}

const passed: Check = { status: 'passed' };
const failed = (reason: string): Check => ({ status: 'failed', reason });
const getReason = (result: object) => ('reason' in result ? String(result.reason) : '');

function toVerdict(checks: EntryVerdict['checks']): EntryVerdict {
  return { verified: Object.values(checks).every(({ status }) => status === 'passed'), checks };
}

function compareListing(
  registered: Record<(typeof compared)[number], string | number>,
  entry: Record<(typeof compared)[number], string | number>,
): Check {
  const name = compared.find((field) => registered[field] !== entry[field]);
  if (name === undefined) return passed;
  return failed(`The registry has the ${name} ${registered[name]}, and the entry ${entry[name]}.`);
}

const compared = ['version', 'packageId', 'manifestUri', 'manifestHash'] as const;

function checkManifest(
  { manifest, publishedFields }: VerifiableEntry,
  expected: string,
  listed: { serviceType: string; packageId: string },
): Check {
  try {
    const published = { ...manifest, ...publishedFields };
    const hash = manifestHash(published);
    if (hash !== expected) return failed(`The manifest has the hash ${hash}, and the registry ${expected}.`);
    // The hash covers the published fields, and not the values that are shown in their place.
    if (publishedFields && !isShownForm(published, manifest)) {
      return failed(
        'The manifest differs from the published one in more than the fields that cannot be shown as published.',
      );
    }
    const misfit = checkManifestAgainstListing(manifest, listed);
    return misfit === undefined ? passed : failed(misfit);
  } catch (error) {
    return failed(`The manifest has no hash: ${getErrorMessage(error)}`);
  }
}

function toCheck(result: { status: string; reason?: string }, passingStatus: string): Check {
  if (result.status === passingStatus) return passed;
  if (result.status === 'unknown') return { status: 'unknown', reason: result.reason ?? '' };
  return failed(result.reason ?? 'The publisher neither published the package nor owns its UpgradeCap.');
}
