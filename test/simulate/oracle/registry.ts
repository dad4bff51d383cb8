import { parseServiceType } from '@adaptor-marketplace/adaptor';
import { registryEvents } from '../../../lib/chain/events/registry.ts';
import type { Acts } from '../acts/actors.ts';
import { type Rows, writeRow } from './rows.ts';

interface Listing {
  serviceType: string;
  publisher: string;
  version: number;
  packageId: string;
  manifestUri: string;
  manifestHash: string;
  listed: boolean;
  /** Hashes of all of its manifests. */
  announced: readonly string[];
}

/** State of the registry. */
interface Registry {
  /** Keys are service type and publisher. */
  listings: Map<string, Listing>;
  versions: Rows;
  attestations: Rows;
  /** All events, in the order of the chain. */
  events: RegistryEvent[];
}

export interface RegistryEvent {
  /** Digest of the transaction and position in it. */
  id: string;
  name: string;
  serviceType: string;
  /** Null for an attestation. */
  publisher: string | null;
}

export const createRegistry = (): Registry => ({
  listings: new Map(),
  versions: new Set(),
  attestations: new Set(),
  events: [],
});

export function foldRegistryEvent(
  id: string,
  name: string,
  bcs: Uint8Array,
  { listings, versions, attestations, events }: Registry,
): void {
  if (!registryEvents.isName(name)) return;
  // biome-ignore lint/suspicious/noExplicitAny: the fields of all four events are read alike
  const fields = registryEvents.decode(name, bcs) as any;
  const parsed = parseServiceType(fields.serviceType);
  const serviceType = 'error' in parsed ? fields.serviceType : parsed.canonical;
  events.push({ id, name, serviceType, publisher: name === 'Attested' ? null : fields.publisher });
  if (name === 'Attested') {
    attestations.add(writeRow([id, serviceType, fields.attester, fields.score, fields.timestampMs]));
    return;
  }
  const { publisher, version, packageId, manifestUri, manifestHash } = fields;
  const key = `${serviceType} ${publisher}`;
  const former = listings.get(key);
  const isListed = name !== 'Unlisted';
  // An unlisting repeats the package, which a version without a manifest does not need.
  const contents = isListed ? [packageId, manifestHash] : [null, null];
  versions.add(writeRow([serviceType, publisher, version, isListed, ...contents]));
  if (!isListed) {
    if (former) listings.set(key, { ...former, listed: false });
    return;
  }
  const announced = [...(former?.announced ?? []), manifestHash];
  listings.set(key, {
    serviceType,
    publisher,
    version,
    packageId,
    manifestUri,
    manifestHash,
    listed: true,
    announced,
  });
}

/** Rows of the tables about listings. */
export function listRegistry({ listings, versions, attestations }: Registry) {
  const rows = [...listings.values()].map((one) =>
    writeRow([
      one.serviceType,
      one.publisher,
      one.version,
      one.packageId,
      one.manifestUri,
      one.manifestHash,
      one.listed,
    ]),
  );
  return { listings: new Set(rows), versions, attestations };
}

/** Expectations of the catalog. Keys are service type and publisher. */
export interface Shown {
  /** Listings that it must show. */
  shown: ReadonlyMap<string, { version: number; manifestHash: string }>;
  /** Listings that it must not show. */
  hidden: ReadonlySet<string>;
}

/**
 * Says of the actors' listings which the catalog shows: those of the package's publisher, or of the address that holds its
 * UpgradeCap, with a good manifest. Two kinds are left out of both: a listing whose latest manifest is bad and an earlier
 * one good, as the catalog may show the earlier version, and listings of one type by both addresses, of which it shows one.
 * @param capHolders addresses by UpgradeCap
 */
export function judge(
  listings: Iterable<Listing>,
  { manifests, packages }: Pick<Acts, 'manifests' | 'packages'>,
  capHolders: ReadonlyMap<string, string>,
): Shown {
  const isGood = (hash: string) => manifests.get(hash) === 'good';
  const hidden = new Set<string>();
  const verified = new Map<string, Listing[]>();
  for (const listing of listings) {
    const { serviceType, publisher, packageId, listed, announced } = listing;
    const found = packages.find(({ packageIds }) => packageIds.includes(packageId));
    if (!found) continue;
    const isVerified = [found.publisher, capHolders.get(found.upgradeCapId)].includes(publisher);
    if (listed && isVerified && announced.some(isGood))
      verified.set(serviceType, [...(verified.get(serviceType) ?? []), listing]);
    else hidden.add(`${serviceType} ${publisher}`);
  }
  const shown = new Map<string, { version: number; manifestHash: string }>();
  for (const [serviceType, [listing, other]] of verified) {
    const { publisher, version, manifestHash } = listing!;
    if (!other && isGood(manifestHash)) shown.set(`${serviceType} ${publisher}`, { version, manifestHash });
  }
  return { shown, hidden };
}
