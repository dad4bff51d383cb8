import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, ask, callOptions, findPublishedObject } from '@adaptor-marketplace/adaptor/chain';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { type NetworkNode, openNodes } from '../../lib/chain/nodes.ts';
import type { ConfiguredNetwork, NetworkSettings } from '../../lib/config/networks.ts';
import { FatalError } from '../../lib/errors/index.ts';
import type { Process, WaitingRoom } from './process.ts';

const timeoutMs = 10_000;
const retryMs = 1_000;
const retryMsMax = 30_000;

/**
 * Completes the settings of each network from its chain: finds the shared registry object if no setting names it, and
 * removes the packages of a deployment file that the chain does not have. Settings with a registry object and without a
 * deployment file or attesters need no call. Waits while a node does not answer.
 * @throws FatalError `bad_settings` if the chain says that there is no such registry
 */
export async function completeNetworks(
  networks: readonly ConfiguredNetwork[],
  room: WaitingRoom,
  context: Pick<Process, 'log' | 'stop'>,
): Promise<NetworkSettings[]> {
  await using closing = new AsyncDisposableStack();
  const nodes = openNodes(networks, closing, { priority: 'check', providers: undefined, log: context.log });
  return await Promise.all(
    [...nodes.values()].map(async (node) => {
      const deployed = await dropUndeployed(node, room, context);
      const { registryObjectId = await findRegistry(node, room, context) } = deployed;
      await requireAttestations(node, room, context);
      return { ...deployed, registryObjectId };
    }),
  );
}

type Node = NetworkNode<ConfiguredNetwork>;

/** Removes the packages of the deployment file that the chain does not have. */
async function dropUndeployed(
  { settings, client }: Node,
  room: WaitingRoom,
  context: Pick<Process, 'log' | 'stop'>,
): Promise<ConfiguredNetwork> {
  const deployed = { ...settings };
  for (const name of settings.fromFile) {
    const packageId = settings[name]!;
    const read = () =>
      ask(client.movePackageService.getPackage({ packageId }, callOptions(timeoutMs, context.stop)));
    const answer = await waitForAnswer(read, settings, room, context);
    if (answer.status === 'found') continue;
    if (name === 'registryPackageId') throw createWrongNetworkError(settings);
    context.log.warn(
      { network: settings.network, packageId },
      'the chain does not have this package: it is not followed',
    );
    delete deployed[name];
  }
  return deployed;
}

function createWrongNetworkError({ network, rpcUrl, registryPackageId }: ConfiguredNetwork): FatalError {
  const NETWORK = network.toUpperCase();
  return new FatalError(
    'bad_settings',
    `SUI_${NETWORK}_RPC_URL: ${rpcUrl} has no package ${registryPackageId}, the registry of ${network}: it is a node ` +
      `of another network. For a deployment of your own, set ${NETWORK}_REGISTRY_PACKAGE_ID or ${NETWORK}_DEPLOYMENT_FILE.`,
  );
}

async function findRegistry(
  { settings, client, archive }: Node,
  room: WaitingRoom,
  context: Pick<Process, 'log' | 'stop'>,
): Promise<string> {
  const { network, registryPackageId } = settings;
  const find = (node: ChainClient) =>
    findPublishedObject(node, registryPackageId, `${registryPackageId}::registry::Registry`);
  const search = async () => {
    const answer = await find(client);
    return answer.status === 'absent' && archive ? await find(archive) : answer;
  };
  const answer = await waitForAnswer(search, settings, room, context);
  if (answer.status === 'found') {
    context.log.info({ network, registryObjectId: answer.value }, 'found the shared registry object');
    return answer.value;
  }
  const NETWORK = network.toUpperCase();
  throw new FatalError(
    'bad_settings',
    `${NETWORK}_REGISTRY_OBJECT_ID is required: ${answer.reason} Or set SUI_${NETWORK}_ARCHIVE_URL to a node with the ` +
      'transaction that published the registry.',
  );
}

/** @throws FatalError `bad_settings` if the chain has no such `Registry` of attestations */
async function requireAttestations(
  { settings, client }: Node,
  room: WaitingRoom,
  context: Pick<Process, 'log' | 'stop'>,
): Promise<void> {
  const { network, attesters } = settings;
  if (!attesters) return;
  const { registryId: objectId, packageId } = attesters;
  const request = { objectId, readMask: { paths: ['object_type'] } };
  const read = () => ask(client.ledgerService.getObject(request, callOptions(timeoutMs, context.stop)));
  const answer = await waitForAnswer(read, settings, room, context);
  const type = `${packageId}::attestations::Registry`;
  if (answer.status === 'found' && answer.value.object?.objectType === type) return;
  throw new FatalError(
    'bad_settings',
    `${network.toUpperCase()}_ATTESTERS: registryId: the chain has no object ${objectId} of the type ${type}. ` +
      'Set the Registry object that the package created when it was published.',
  );
}

/** Repeats a read until the node answers it. Logs a reason when it changes. */
async function waitForAnswer<T>(
  read: () => Promise<Answer<T>>,
  { network, rpcUrl }: ConfiguredNetwork,
  room: WaitingRoom,
  { log, stop }: Pick<Process, 'log' | 'stop'>,
): Promise<Exclude<Answer<T>, { status: 'unavailable' }>> {
  let logged: string | undefined;
  for (let attempt = 0; ; attempt++) {
    const answer = await read();
    if (answer.status !== 'unavailable') return answer;
    if (answer.reason !== logged) {
      const url = await room.open();
      log.warn({ network, rpcUrl, reason: answer.reason, url }, 'waiting for the node');
    }
    logged = answer.reason;
    await delay(Math.min(retryMs * 2 ** attempt, retryMsMax), undefined, { signal: stop });
  }
}
