import type { Network } from '@adaptor-marketplace/adaptor';
import { findPublishers, type Publishers } from '@adaptor-marketplace/adaptor/chain';
import {
  alikeWarnings,
  buildUnsigned,
  type DraftedEntry,
  describeRegistryCall,
  otherPublisherWarnings,
  publisherWarnings,
  registryCall,
  unsignedTransaction,
  type Warning,
  warningSchema,
} from '@adaptor-marketplace/adaptor/draft';
import { register, update } from '@adaptor-marketplace/adaptor/transactions';
import type { Pool } from 'pg';
import { z } from 'zod';
import { readAlikeNames } from '../../../db/queries/catalog/entry.ts';
import { readListedEntries } from '../../../db/queries/catalog/find.ts';
import { readLiveVersion } from '../../../db/queries/catalog/listings.ts';
import type { PublishChain } from './route.ts';

const unsignedCall = registryCall.extend({
  transaction: unsignedTransaction.optional().meta({
    description: 'Where the body names a sender and the manifest is stored.',
  }),
});

export const unsignedCallsShape = {
  register: unsignedCall
    .extend({ deployed: z.boolean().meta({ description: 'Whether the registry is on this network.' }) })
    .meta({ description: 'The unsigned registry::register.' }),
  update: unsignedCall.optional().meta({
    description: 'The unsigned registry::update, where the sender lists this service type already.',
  }),
  warnings: z.array(warningSchema),
};

type UnsignedCalls = z.infer<z.ZodObject<typeof unsignedCallsShape>>;

interface Listing {
  chain: PublishChain;
  db: Pool;
  entry: DraftedEntry;
  deployed: boolean;
  /** Id of the registry's newest version, whose functions are called. */
  calledRegistryId: string;
  /** Address that signs. Without it, no transaction is built. */
  sender: string | undefined;
}

/** Time limit for all node requests that build one transaction. */
const buildTimeoutMs = 10_000;

/** Builds the call of `register()`, and that of `update()` if the sender lists the service type already. */
export async function buildUnsignedCalls(
  { chain, db, entry, deployed, calledRegistryId: packageId, sender }: Listing,
  signal: AbortSignal,
): Promise<UnsignedCalls> {
  const { network, registryPackageId, registryObjectId } = chain.settings;
  const registry = { packageId, originalId: registryPackageId, objectId: registryObjectId };
  const version =
    sender === undefined
      ? undefined
      : await readLiveVersion(db, { network, serviceType: entry.serviceType, publisher: sender });
  const signed = version === undefined ? 'register' : 'update';
  const warnings: Warning[] = [];
  if (!deployed) warnings.push(warnNotDeployed(registryObjectId));
  if (version !== undefined) warnings.push(warnAlreadyListed(version));

  async function build() {
    const { manifestUri } = entry;
    if (sender === undefined || !deployed) return undefined;
    if (manifestUri === null) {
      warnings.push(notStored);
      return undefined;
    }
    const append = signed === 'register' ? register : update;
    const client = chain.client.within(buildTimeoutMs, signal);
    const built = await buildUnsigned(client, sender, (tx) =>
      append(tx, registry, { ...entry, manifestUri }),
    );
    if (built.refusal !== undefined) warnings.push(warnNotBuilt(built.refusal));
    return built.transaction;
  }

  const transaction = await build();
  const call = (name: 'register' | 'update') => ({
    ...describeRegistryCall(name, registry, entry),
    ...(name === signed && transaction && { transaction }),
  });
  return {
    register: { deployed, ...call('register') },
    ...(signed === 'update' && { update: call('update') }),
    warnings: [...warnUpgraded(entry, signed), ...warnings],
  };
}

/** Warns of an upgraded package: `register()` accepts only the package that first defined a service type. */
function warnUpgraded({ packageId, serviceType }: DraftedEntry, signed: 'register' | 'update'): Warning[] {
  const [definedIn] = serviceType.split('::');
  if (definedIn === packageId || signed === 'update') return [];
  const detail =
    `The package is an upgrade, and register() takes only ${definedIn}, which defined the service type. Draft and ` +
    'register that one, then draft this one again: the answer will hold the update().';
  return [{ code: 'upgraded_package', detail }];
}

const warnNotDeployed = (objectId: string): Warning => ({
  code: 'registry_not_deployed',
  detail: `The network has no registry at ${objectId}: tell the host.`,
});

const warnAlreadyListed = (version: number): Warning => ({
  code: 'already_listed',
  detail: `You list this service type already, in version ${version}: sign update(), not register().`,
});

const notStored: Warning = {
  code: 'manifest_not_stored',
  detail:
    'There is no transaction to sign before the manifest has a uri: draft with upload, or fill in your own.',
};

const warnNotBuilt = (reason: string): Warning => ({
  code: 'transaction_not_built',
  detail: `The transaction has no bytes to sign yet: ${reason}`,
});

/** Time limit for all node requests about a package's publishers. */
const publishersTimeoutMs = 10_000;

export const readPublishers = (
  { client }: PublishChain,
  packageId: string,
  signal: AbortSignal,
): Promise<Publishers> => findPublishers(client.within(publishersTimeoutMs, signal), packageId);

interface DraftedListing {
  packageId: string;
  serviceType: string;
  name: string;
}

/** The address that will sign, and the publishers of its package. */
interface Signing {
  sender: string;
  publishers: Promise<Publishers>;
}

/** Returns warnings for a signing publisher: what the catalog will not show, and listings with a similar name. */
export async function readListingWarnings(
  db: Pool,
  network: Network,
  { packageId, serviceType, name }: DraftedListing,
  signing: Signing | undefined,
): Promise<Warning[]> {
  const alike = alikeWarnings(name, await readAlikeNames(db, { network, serviceType, name }));
  if (!signing) return alike;
  const { sender } = signing;
  const publisher = publisherWarnings(packageId, sender, await signing.publishers);
  if (publisher.length > 0) return [...publisher, ...alike];
  const [shown] = await readListedEntries(db, [{ network, serviceType }], { fields: [], alikeNames: false });
  return [...otherPublisherWarnings(sender, shown), ...alike];
}
