import { ask } from '@adaptor-marketplace/adaptor/chain/answers';
import { callOptions } from '@adaptor-marketplace/adaptor/chain/call-options';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { normalizeAddress } from '@adaptor-marketplace/adaptor/chain/names';
import { readLineage } from '@adaptor-marketplace/adaptor/chain/package-versions';
import type { GrpcTypes } from '@mysten/sui/grpc';
import type { NetworkSettings } from '../../../lib/config/index.ts';
import { FatalError } from '../../../lib/errors/index.ts';
import type { EventData, FollowedPackage, Source } from '../sources/source.ts';

type Packages = Pick<Source<EventData>, 'packages'>;

const timeoutMs = 10_000;

/**
 * Prefixes `0x<defining id>::<module>` of the event types that a source is about, sorted. Events are believed by their
 * type alone: the package that was called may be anyone's. A type has the id of the version that defined it, so a later
 * version may add prefixes, and takes none away.
 * @param asOf a checkpoint: every version up to it counts
 * @param written ids of packages that were written up to it, as the ledger itself shows
 * @throws FatalError `bad_settings` when a package has none of its modules; Error when the node does not say
 */
export type EventTypesNow = (asOf?: number, written?: readonly string[]) => Promise<string[]>;

/**
 * The event types of a source on one node, whose answers are remembered.
 * @param seen ids of versions that were met before, by which a node without the index of versions is asked for them;
 * those that are met are added
 */
export function eventTypesOf(
  client: ChainClient,
  source: Packages,
  settings: NetworkSettings,
  seen: Set<string>,
): EventTypesNow {
  const readers = source.packages(settings).map((followed) => typesOf(client, followed, settings, seen));
  return async (asOf, written = []) => {
    const types = await Promise.all(readers.map((read) => read(asOf, written)));
    return [...new Set(types.flat())].sort();
  };
}

/** The event types of one package: those that its newest version names, which are all that any version defined. */
function typesOf(
  client: ChainClient,
  followed: FollowedPackage,
  settings: NetworkSettings,
  seen: Set<string>,
) {
  let newest: { id: string; version: bigint; types: string[] } | undefined;

  async function take(id: string, originalId: string): Promise<void> {
    if (newest?.id === id) return;
    const found = await readPackage(client, id);
    if (normalizeAddress(found.originalId ?? '') !== originalId) return;
    const version = found.version ?? 0n;
    if (newest && newest.version >= version) return;
    newest = { id, version, types: definedTypes(found, followed, settings) };
    seen.add(id);
  }

  return async (asOf: number | undefined, written: readonly string[]): Promise<string[]> => {
    const lineage = await readLineage(client, followed.packageId, { asOf });
    if (lineage.status !== 'found') throw new Error(`package ${followed.packageId}: ${lineage.reason}`);
    const { ids, listed } = lineage.value;
    // Versions that the node does not list are those that the ledger showed, to this run or to an earlier one.
    const shown = newest ? written : [...ids, ...seen, ...written];
    for (const id of listed ? ids.slice(-1) : shown) await take(id, ids[0]);
    return newest?.types ?? [];
  };
}

async function readPackage(
  { movePackageService }: ChainClient,
  packageId: string,
): Promise<GrpcTypes.Package> {
  const answer = await ask(movePackageService.getPackage({ packageId }, callOptions(timeoutMs)));
  if (answer.status !== 'found') throw new Error(`package ${packageId}: ${answer.reason}`);
  if (answer.value.package) return answer.value.package;
  throw new Error(`the node answered without package ${packageId}`);
}

function definedTypes(
  { typeOrigins }: GrpcTypes.Package,
  { packageId, setting, modules }: FollowedPackage,
  { network }: NetworkSettings,
): string[] {
  const types = typeOrigins
    .filter(({ moduleName }) => modules.includes(moduleName ?? ''))
    .map(({ packageId: id, moduleName }) => `${normalizeAddress(id ?? '') ?? ''}::${moduleName}`);
  if (types.length === 0 || types.some((type) => type.startsWith('::'))) {
    const name = `${network.toUpperCase()}_${setting}`;
    const wanted =
      modules.length === 1 ? `no module ${modules[0]}` : `none of the modules ${modules.join(', ')}`;
    throw new FatalError('bad_settings', `${name}: package ${packageId} has ${wanted}.`);
  }
  return types;
}

/** First checkpoint that can hold an event of the source; 0 where the node cannot tell. */
export async function firstCheckpointOf(
  client: ChainClient,
  source: Packages,
  settings: NetworkSettings,
): Promise<number> {
  const packages = source.packages(settings);
  const published = await Promise.all(packages.map(({ packageId }) => publishedAt(client, packageId)));
  return Math.min(...published.map((checkpoint) => checkpoint ?? 0));
}

/** The checkpoint of the transaction that published this version of a package; undefined where the node cannot tell. */
export async function publishedAt(
  { ledgerService }: ChainClient,
  objectId: string,
): Promise<number | undefined> {
  const pkg = await ask(
    ledgerService.getObject(
      { objectId, readMask: { paths: ['previous_transaction'] } },
      callOptions(timeoutMs),
    ),
  );
  const digest = pkg.status === 'found' ? pkg.value.object?.previousTransaction : undefined;
  if (!digest) return undefined;
  const readMask = { paths: ['checkpoint'] };
  const published = await ask(ledgerService.getTransaction({ digest, readMask }, callOptions(timeoutMs)));
  const checkpoint = published.status === 'found' ? published.value.transaction?.checkpoint : undefined;
  return checkpoint === undefined ? undefined : Number(checkpoint);
}
