import { parseServiceType } from '@adaptor-marketplace/adaptor';
import { registryEvents } from '../../lib/chain/events/registry.ts';
import { walletEvents } from '../../lib/chain/events/wallet.ts';
import { listAllEvents } from '../support/all-events.ts';
import type { Acts } from './actors.ts';
import type { World } from './world.ts';

/** A row of a table, as text. Two tables are equal if their rows are, in any order. */
type Rows = Set<string>;

/** The expected tables, computed from the events of the chain one at a time, with no code of the indexer but the layouts of events. */
export interface Oracle {
  tables: Readonly<Record<'events' | 'listings' | 'attestations' | 'grants', Rows>>;
  /** Listings that the catalog must show, by service type and publisher, and those that it must not. */
  shown: ReadonlyMap<string, { version: number; manifestHash: string }>;
  hidden: ReadonlySet<string>;
  /** Events of the registry: digest of the transaction and position in it. */
  registryEventIds: ReadonlySet<string>;
}

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

export const writeRow = (values: readonly unknown[]): string => JSON.stringify(values);

export async function foldChain(
  { demo, client }: World,
  acts: Pick<Acts, 'manifests' | 'publishers'>,
): Promise<Oracle> {
  const { packages } = demo;
  const followed = [packages.registry, packages.wallet, packages.rules, packages.agents, packages.escrow];
  const events: Rows = new Set();
  const attestations: Rows = new Set();
  const listings = new Map<string, Listing>();
  const grants = new Map<string, bigint>();
  const registryEventIds = new Set<string>();
  const positions = new Map<string, number>();
  for (const { digest, sender, type, bcs } of await listAllEvents(client)) {
    const position = positions.get(digest) ?? 0;
    positions.set(digest, position + 1);
    const [packageId = '', ...names] = type.split('::');
    if (!followed.includes(packageId)) continue;
    const id = `${digest}:${position}`;
    events.add(writeRow([id, sender, Buffer.from(bcs).toString('hex')]));
    if (packageId === packages.registry) {
      registryEventIds.add(id);
      foldRegistryEvent(names[1]!, bcs, listings, attestations);
    } else if (packageId === packages.wallet) foldWalletEvent(names.join('::'), bcs, grants);
  }
  return {
    tables: {
      events,
      listings: new Set(
        [...listings.values()].map((one) =>
          writeRow([
            one.serviceType,
            one.publisher,
            one.version,
            one.packageId,
            one.manifestUri,
            one.manifestHash,
            one.listed,
          ]),
        ),
      ),
      attestations,
      grants: new Set(
        [...grants].map(([key, allowance]) => writeRow([...key.split(' '), String(allowance)])),
      ),
    },
    ...judge(listings.values(), acts),
    registryEventIds,
  };
}

function foldRegistryEvent(
  name: string,
  bcs: Uint8Array,
  listings: Map<string, Listing>,
  attestations: Rows,
): void {
  if (!registryEvents.isName(name)) return;
  // biome-ignore lint/suspicious/noExplicitAny: the fields of all four events are read alike
  const fields = registryEvents.decode(name, bcs) as any;
  const parsed = parseServiceType(fields.serviceType);
  const serviceType = 'error' in parsed ? fields.serviceType : parsed.canonical;
  if (name === 'Attested') {
    attestations.add(writeRow([serviceType, fields.attester, fields.score, fields.timestampMs]));
    return;
  }
  const { publisher, version, packageId, manifestUri, manifestHash } = fields;
  const key = `${serviceType} ${publisher}`;
  const former = listings.get(key);
  if (name === 'Unlisted') {
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

function foldWalletEvent(name: string, bcs: Uint8Array, grants: Map<string, bigint>): void {
  if (!walletEvents.isName(name)) return;
  // biome-ignore lint/suspicious/noExplicitAny: the fields of all events are read alike
  const fields = walletEvents.decode(name, bcs) as any;
  const key = `${fields.walletId} ${fields.service} ${fields.coin}`;
  if (name === 'wallet::ServiceGranted') grants.set(key, BigInt(fields.allowance));
  if (name === 'wallet::ServiceCoinRevoked') grants.delete(key);
  if (name === 'wallet::CoinWithdrawn' && grants.has(key) && fields.allowanceLeft !== null)
    grants.set(key, BigInt(fields.allowanceLeft));
  if (name !== 'wallet::ServiceRevoked') return;
  for (const other of grants.keys())
    if (other.startsWith(`${fields.walletId} ${fields.service} `)) grants.delete(other);
}

/**
 * Says of the actors' listings which the catalog shows: those of the publisher of the package, with a good manifest. One
 * whose latest manifest is bad, and an earlier one good, is left out of both: the catalog may show the earlier version.
 */
function judge(
  listings: Iterable<Listing>,
  { manifests, publishers }: Pick<Acts, 'manifests' | 'publishers'>,
): Pick<Oracle, 'shown' | 'hidden'> {
  const shown = new Map<string, { version: number; manifestHash: string }>();
  const hidden = new Set<string>();
  for (const { serviceType, publisher, packageId, version, manifestHash, listed, announced } of listings) {
    const owner = publishers.get(packageId);
    if (owner === undefined) continue;
    const key = `${serviceType} ${publisher}`;
    const isGood = (hash: string) => manifests.get(hash) === 'good';
    if (!listed || publisher !== owner || !announced.some(isGood)) hidden.add(key);
    else if (isGood(manifestHash)) shown.set(key, { version, manifestHash });
  }
  return { shown, hidden };
}
