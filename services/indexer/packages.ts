import { ask } from '../../lib/chain/answers.ts';
import { type ChainClient, callOptions } from '../../lib/chain/client.ts';
import { normalizeAddress } from '../../lib/chain/names.ts';
import type { NetworkSettings } from '../../lib/config/index.ts';
import { FatalError } from '../../lib/errors/index.ts';
import type { EventData, FollowedPackage, Source } from './source.ts';

type Packages = Pick<Source<EventData>, 'packages'>;

const timeoutMs = 10_000;

/**
 * Prefixes `0x<defining id>::<module>` of the event types that a source is about. Events are believed by their
 * type alone: the package that was called may be anyone's.
 * @throws FatalError `bad_settings` when a package has none of its modules
 */
export async function eventTypesOf(
  client: ChainClient,
  source: Packages,
  settings: NetworkSettings,
): Promise<string[]> {
  const packages = source.packages(settings);
  const types = await Promise.all(packages.map((followed) => typesOf(client, followed, settings)));
  return [...new Set(types.flat())].sort();
}

async function typesOf(
  { movePackageService }: ChainClient,
  { packageId, setting, modules }: FollowedPackage,
  { network }: NetworkSettings,
): Promise<string[]> {
  const { response } = await movePackageService.getPackage({ packageId }, callOptions(timeoutMs));
  const origins = (response.package?.typeOrigins ?? []).filter(({ moduleName }) =>
    modules.includes(moduleName ?? ''),
  );
  const types = origins.map(
    ({ packageId: id, moduleName }) => `${normalizeAddress(id ?? '') ?? ''}::${moduleName}`,
  );
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
  return Math.min(
    ...(await Promise.all(packages.map((followed) => publishedAt(client, followed.packageId)))),
  );
}

async function publishedAt({ ledgerService }: ChainClient, objectId: string): Promise<number> {
  const pkg = await ask(
    ledgerService.getObject(
      { objectId, readMask: { paths: ['previous_transaction'] } },
      callOptions(timeoutMs),
    ),
  );
  const digest = pkg.status === 'found' ? pkg.value.object?.previousTransaction : undefined;
  if (!digest) return 0;
  const readMask = { paths: ['checkpoint'] };
  const published = await ask(ledgerService.getTransaction({ digest, readMask }, callOptions(timeoutMs)));
  return published.status === 'found' ? Number(published.value.transaction?.checkpoint ?? 0n) : 0;
}
