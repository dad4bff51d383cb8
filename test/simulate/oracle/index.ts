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
  tables: Readonly<
    Record<
      'events' | 'listings' | 'versions' | 'attestations' | 'wallets' | 'delegates' | 'grants' | 'uses',
      Rows
    >
  >;
  /** Listings that the catalog must show, by service type and publisher, and those that it must not. */
  shown: ReadonlyMap<string, { version: number; manifestHash: string }>;
  hidden: ReadonlySet<string>;
  /** Events of the registry: digest of the transaction and position in it. */
  registryEventIds: ReadonlySet<string>;
  /** Number of payments out of wallets under a cap, by recipient. */
  payments: ReadonlyMap<string, number>;
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
  const registry: Registry = { listings: new Map(), versions: new Set(), attestations: new Set() };
  const wallets: Wallets = {
    owners: new Map(),
    paused: new Map(),
    delegates: new Set(),
    grants: new Map(),
    uses: new Map(),
    payments: new Map(),
  };
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
      foldRegistryEvent(names[1]!, bcs, registry);
    } else if (packageId === packages.wallet) foldWalletEvent(names.join('::'), bcs, digest, wallets);
  }
  return {
    tables: {
      events,
      listings: new Set(
        [...registry.listings.values()].map((one) =>
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
      versions: registry.versions,
      attestations: registry.attestations,
      wallets: new Set(
        [...wallets.owners].map(([id, owner]) => writeRow([id, owner, wallets.paused.get(id) ?? false])),
      ),
      delegates: wallets.delegates,
      grants: new Set(
        [...wallets.grants].map(([key, allowance]) => writeRow([...key.split(' '), String(allowance)])),
      ),
      uses: new Set([...wallets.uses].map(([key, digests]) => writeRow([...key.split(' '), digests.size]))),
    },
    ...judge(registry.listings.values(), acts),
    registryEventIds,
    payments: wallets.payments,
  };
}

/** State of the registry. */
interface Registry {
  /** Keys are service type and publisher. */
  listings: Map<string, Listing>;
  versions: Rows;
  attestations: Rows;
}

/** State of all wallets. */
interface Wallets {
  owners: Map<string, string>;
  paused: Map<string, boolean>;
  delegates: Rows;
  /** Allowances by wallet, service and coin. */
  grants: Map<string, bigint>;
  /** Digests of the transactions in which a service was used, by service and wallet. */
  uses: Map<string, Set<string>>;
  payments: Map<string, number>;
}

function foldRegistryEvent(
  name: string,
  bcs: Uint8Array,
  { listings, versions, attestations }: Registry,
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

function foldWalletEvent(name: string, bcs: Uint8Array, digest: string, wallets: Wallets): void {
  const { owners, paused, delegates, grants, uses, payments } = wallets;
  if (!walletEvents.isName(name)) return;
  // biome-ignore lint/suspicious/noExplicitAny: the fields of all events are read alike
  const fields = walletEvents.decode(name, bcs) as any;
  if (name === 'wallet::WalletCreated' || name === 'wallet::OwnerChanged')
    owners.set(fields.walletId, fields.owner);
  if (name === 'wallet::WalletPauseChanged') paused.set(fields.walletId, fields.paused);
  if (name === 'delegate::Added') delegates.add(writeRow([fields.walletId, fields.delegate]));
  if (name === 'delegate::Removed') delegates.delete(writeRow([fields.walletId, fields.delegate]));
  if (name === 'policy::SpendConfirmed')
    payments.set(fields.recipient, (payments.get(fields.recipient) ?? 0) + 1);
  const isUse = ['wallet::CoinWithdrawn', 'wallet::CoinDeposited', 'intent::PaymentValidated'].includes(name);
  if (
    isUse &&
    fields.service !== null &&
    fields.amount !== '0' &&
    !fields.service.endsWith('::PolicySpend')
  ) {
    const used = `${fields.service} ${fields.walletId}`;
    uses.set(used, (uses.get(used) ?? new Set()).add(digest));
  }
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
