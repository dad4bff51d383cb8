import { normalizeAddress } from '@adaptor-marketplace/adaptor';
import { type Answer, ask, callOptions, readLineage } from '@adaptor-marketplace/adaptor/chain';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { GrpcTypes } from '@mysten/sui/grpc';
import type { PoolClient } from 'pg';
import {
  type BoundSource,
  changeFilter,
  type SourceIdentity,
  type SourceState,
} from '../../../db/queries/sources.ts';
import type { NetworkSettings } from '../../../lib/config/networks.ts';
import { FatalError } from '../../../lib/errors/index.ts';
import { batchReads } from '../checks/batched-reads.ts';
import { createCheckReader } from '../checks/check-reader.ts';
import type { EventData, FollowedPackage, Source } from '../sources/source.ts';
import { listPackages } from '../stream/event-filter.ts';

type Packages = Pick<Source<EventData>, 'packages'>;

const timeoutMs = 10_000;

/**
 * Resolves to the prefixes `0x<defining id>::<module>` of the event types that a source follows, sorted. An event is
 * trusted by its type alone: the package that was called may be anyone's. A type has the id of the version that defined
 * it, so a later version may add prefixes, and removes none.
 * @param asOf a checkpoint: every version up to it counts
 * @param written ids of packages that were written up to it, according to the ledger itself
 * @throws FatalError `bad_settings` if a package has none of its modules; Error if the node does not answer
 */
export type EventTypesReader = (asOf?: number, written?: readonly string[]) => Promise<string[]>;

/**
 * Returns a reader of the event types of a source on one node, which caches the answers. Ids of known versions are in
 * `seen`, found ones are added: a node without the index of versions is queried by them.
 */
export function createTypesReader(
  client: ChainClient,
  source: Packages,
  settings: NetworkSettings,
  seen: Set<string>,
): EventTypesReader {
  const readers = source
    .packages(settings)
    .map((followed) => createPackageTypesReader(client, followed, settings, seen));
  return async (asOf, written = []) => {
    const types = await Promise.all(readers.map((read) => read(asOf, written)));
    return [...new Set(types.flat())].sort();
  };
}

/** Returns a reader of the event types of one package: the newest version names all that any version defined. */
function createPackageTypesReader(
  client: ChainClient,
  followed: FollowedPackage,
  settings: NetworkSettings,
  seen: Set<string>,
) {
  let newest: { id: string; version: bigint; types: string[] } | undefined;

  async function readNewest(ids: readonly string[], originalId: string): Promise<void> {
    for (const [id, pkg] of await readPackages(client, ids)) {
      if (normalizeAddress(pkg.originalId ?? '') !== originalId) continue;
      const version = pkg.version ?? 0n;
      if (newest && newest.version >= version) continue;
      newest = { id, version, types: listDefinedTypes(pkg, followed, settings) };
      seen.add(id);
    }
  }

  return async (asOf: number | undefined, written: readonly string[]): Promise<string[]> => {
    const lineage = await readLineage(client, followed.packageId, { asOf });
    if (lineage.status !== 'found') throw new Error(`package ${followed.packageId}: ${lineage.reason}`);
    const { ids, listed } = lineage.value;
    // Versions that the node does not list are those that the ledger showed, to this run or to an earlier one.
    const shown = newest ? written : [...ids, ...seen, ...written];
    const unread = (listed ? ids.slice(-1) : shown).filter((id) => id !== newest?.id);
    for (let start = 0; start < unread.length; start += groupMax) {
      await readNewest(unread.slice(start, start + groupMax), ids[0]);
    }
    return newest?.types ?? [];
  };
}

/** Maximum number of packages to read at once: the ledger may show thousands between two frames. */
const groupMax = 50;

/** Reads packages in one request, and single ones if the node serves no batches. @throws Error if one is missing */
function readPackages(
  client: ChainClient,
  ids: readonly string[],
): Promise<(readonly [id: string, pkg: GrpcTypes.Package])[]> {
  const { movePackageService, ledgerService } = client;
  const reader = createCheckReader({ ledgerService: batchReads(ledgerService), movePackageService });
  return Promise.all(
    ids.map(async (packageId) => {
      const answer = await ask(reader.movePackageService.getPackage({ packageId }));
      if (answer.status !== 'found') throw new Error(`package ${packageId}: ${answer.reason}`);
      if (answer.value.package) return [packageId, answer.value.package] as const;
      throw new Error(`the node answered without package ${packageId}`);
    }),
  );
}

function listDefinedTypes(
  pkg: GrpcTypes.Package,
  { packageId, setting, modules }: FollowedPackage,
  { network }: NetworkSettings,
): string[] {
  const types = pkg.modules
    .filter(({ name }) => modules.includes(name ?? ''))
    .flatMap(({ name, datatypes }) =>
      datatypes.map(({ definingId }) => `${normalizeAddress(definingId ?? '') ?? ''}::${name}`),
    );
  if (types.length === 0 || types.some((type) => type.startsWith('::'))) {
    const name = `${network.toUpperCase()}_${setting}`;
    const missing =
      modules.length === 1 ? `no module ${modules[0]}` : `none of the modules ${modules.join(', ')}`;
    throw new FatalError('bad_settings', `${name}: package ${packageId} has ${missing}.`);
  }
  return types;
}

/** Opens a client of the node that has what the first one pruned. */
type OpenArchive = (() => Promise<ChainClient>) | undefined;

/**
 * Returns the first checkpoint that can hold an event of these packages, or 0 if neither node knows it.
 * @throws Error if a node did not answer: a wrong 0 would be stored
 */
export async function readFirstCheckpoint(
  client: ChainClient,
  archive: OpenArchive,
  packages: readonly Pick<FollowedPackage, 'packageId'>[],
): Promise<number> {
  const published = await Promise.all(
    packages.map(({ packageId }) => findPublication(client, archive, packageId)),
  );
  return Math.min(...published.map((checkpoint) => checkpoint ?? 0));
}

/**
 * Returns the checkpoint of the transaction that published this version; undefined if neither node knows it. The
 * archive is queried only if the node does not know it. @throws Error if a node did not answer
 */
async function findPublication(
  client: ChainClient,
  openArchive: OpenArchive,
  objectId: string,
): Promise<number | undefined> {
  const { digest, checkpoint } = await readPublication(client, objectId);
  if (checkpoint !== undefined || !openArchive) return checkpoint;
  return (await readPublication(await openArchive(), objectId, digest)).checkpoint;
}

/** Reads the transaction that published a version, as far as the node has it. `digest`: that of the transaction, if known. */
async function readPublication({ ledgerService }: ChainClient, objectId: string, digest?: string) {
  const settle = <T>(answer: Answer<T>): T | undefined => {
    if (answer.status === 'unavailable') throw new Error(`package ${objectId}: ${answer.reason}`);
    return answer.status === 'found' ? answer.value : undefined;
  };
  let publisher = digest;
  if (publisher === undefined) {
    const request = { objectId, readMask: { paths: ['previous_transaction'] } };
    const found = settle(await ask(ledgerService.getObject(request, callOptions(timeoutMs))));
    publisher = found?.object?.previousTransaction;
  }
  if (publisher === undefined) return {};
  const request = { digest: publisher, readMask: { paths: ['checkpoint'] } };
  const found = settle(await ask(ledgerService.getTransaction(request, callOptions(timeoutMs))));
  const checkpoint = found?.transaction?.checkpoint;
  return { digest: publisher, checkpoint: checkpoint === undefined ? undefined : Number(checkpoint) };
}

/** A followed package was upgraded, and its newest version defines event types that the filter lacks. */
export class PackageUpgradedError extends Error {}

/** Separates the prefixes of event types in a stored filter. */
const separator = ' ';

export const encodeFilter = (eventTypes: readonly string[]) => eventTypes.join(separator);

/** Ids of the package versions whose event types a filter names. */
export const listFilterVersions = (filter: string) => listPackages(filter.split(separator));

interface StoredFilter {
  identity: SourceIdentity;
  stored: BoundSource;
  /** Event types that the source's packages define now, as `EventTypesReader` returns them. */
  eventTypes: readonly string[];
  /** Ids of the first versions of the packages in the settings. */
  originals: readonly string[];
  client: ChainClient;
  archive: OpenArchive;
}

/**
 * Returns the state from which to continue with these event types. A later version of a followed package may add types
 * to the stored ones, as long as its first event is still ahead.
 * @throws FatalError `other_filter` for any other change, `missed_upgrade` if events of that version were passed over,
 *   `pruned_cursor` if its publication is pruned; Error if the node is behind, or does not answer
 */
export async function resumeFilter(db: PoolClient, options: StoredFilter): Promise<SourceState> {
  const { identity, stored, eventTypes, originals } = options;
  const former = stored.filter.split(separator);
  const missing = former.filter((type) => !eventTypes.includes(type));
  const added = eventTypes.filter((type) => !former.includes(type));
  const versions = listPackages(added);
  if (missing.length > 0) {
    await requireKnown(options.client, listPackages(missing));
    throw createFilterError(options);
  }
  if (added.length === 0) return stored;
  // The version was already followed, so the settings changed, or the modules that this software knows.
  const followed = new Set([...originals, ...listFilterVersions(stored.filter)]);
  if (versions.some((id) => followed.has(id))) throw createFilterError(options);
  for (const id of versions) await requireAhead(options, id);
  return changeFilter(db, identity, { from: stored, to: encodeFilter(eventTypes) });
}

function createFilterError({ identity: { name, network }, stored, eventTypes }: StoredFilter): FatalError {
  return new FatalError(
    'other_filter',
    `Source ${name} of ${network} was filled with events of ${stored.filter}, and is now set to ` +
      `${encodeFilter(eventTypes)}. Set the former packages, or use another database.`,
  );
}

/** Fails if the node does not know a version whose types are stored: it is then behind. */
async function requireKnown({ movePackageService }: ChainClient, ids: readonly string[]): Promise<void> {
  for (const packageId of ids) {
    const answer = await ask(movePackageService.getPackage({ packageId }, callOptions(timeoutMs)));
    if (answer.status !== 'found') throw new Error(`package ${packageId}: ${answer.reason}`);
  }
}

/** Returns the lowest checkpoint that the node has. @throws Error if it does not answer */
async function readLowest({ ledgerService }: ChainClient): Promise<number> {
  const info = await ask(ledgerService.getServiceInfo({}, callOptions(timeoutMs)));
  if (info.status !== 'found') throw new Error(info.reason);
  return Number(info.value.lowestAvailableCheckpoint ?? 0n);
}

async function requireAhead(
  { identity: { name, network }, stored, client, archive }: StoredFilter,
  id: string,
): Promise<void> {
  const published = await findPublication(client, archive, id);
  if (published === undefined) {
    // A backend that is behind does not show the version yet either.
    if ((await readLowest(client)) <= stored.checkpoint + 1)
      throw new Error(`package ${id}: the node does not show when it was published`);
    throw new FatalError(
      'pruned_cursor',
      `The node no longer says when package ${id} was published. ` +
        `Set SUI_${network.toUpperCase()}_ARCHIVE_URL to a node that does.`,
    );
  }
  if (published > stored.checkpoint) return;
  throw new FatalError(
    'missed_upgrade',
    `Source ${name} of ${network} is at checkpoint ${stored.checkpoint} without the event types of package ${id}, ` +
      `which was published at checkpoint ${published}. Use another database, which is filled from the beginning.`,
  );
}
