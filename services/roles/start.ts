import { randomBytes } from 'node:crypto';
import type { DatabaseAddress } from '../../db/client.ts';
import { openProviders } from '../../lib/chain/providers/providers.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import { startFailure } from '../../lib/config/start-failure.ts';
import { createKv } from '../../lib/kv/index.ts';
import { type DemoFile, toSettings } from '../demo/file.ts';
import { openWebhooks } from '../dispatcher/dispatcher.ts';
import { completeNetworks } from './deployments.ts';
import { openDemoNetwork, prepareDatabase } from './prerequisites.ts';
import { createWaitingRoom, type Process, serveMetrics, type WaitingRoom } from './process.ts';
import { checkRequiredPorts } from './required-ports.ts';
import { chooseRoles, hasLocalNetwork, type Role } from './roles.ts';
import {
  type Chains,
  startAgentRole,
  startGatewayRole,
  startIndexerRole,
  startToolsRole,
} from './services.ts';

/**
 * Starts the roles; without a request, those that have their settings. What runs is added to `closing`, also if a later
 * part cannot start.
 * @throws FatalError that names the setting to change, or StateError
 */
export async function startRoles(requested: readonly Role[] | undefined, context: Process): Promise<void> {
  try {
    await serveMetrics(context);
    await start(requested, context);
  } catch (error) {
    throw startFailure(error, context.config);
  }
}

async function start(requested: readonly Role[] | undefined, context: Process): Promise<void> {
  const { config, log, closing } = context;
  const usesLocalNetwork = hasLocalNetwork(config);
  if (requested?.length === 1 && requested[0] === 'localnet' && !usesLocalNetwork) {
    // If it exited, an orchestrator would restart it forever.
    log.warn(
      'The localnet role has nothing to do: a SUI_..._RPC_URL or RPC_URLS setting names a network. It idles until it is stopped.',
    );
    const idle = setInterval(() => undefined, 60_000);
    closing.defer(() => clearInterval(idle));
    return;
  }
  const chosen = chooseRoles(requested, config);
  await checkRequiredPorts(chosen, config);
  const room = createWaitingRoom(chosen, context);
  closing.defer(() => room.close());
  const abandon = new AbortController();
  const stop = AbortSignal.any([context.stop, abandon.signal]);
  const prerequisites = [
    chosen.some((role) => role !== 'localnet') ? prepareDatabase(room, { ...context, stop }) : undefined,
    usesLocalNetwork ? openDemoNetwork(chosen, room, { ...context, stop }) : undefined,
    completeNetworks(config.networks, room, { ...context, stop }),
  ] as const;
  const [address, demo, followed] = await Promise.all(prerequisites).catch(async (error) => {
    // The others must add what they start to `closing` before the process ends.
    abandon.abort();
    await Promise.allSettled(prerequisites);
    throw error;
  });
  if (address === undefined) return;
  const parts = { chosen, database: address, demo, networks: demo ? [toSettings(demo)] : followed, room };
  await context.phases.during('starting the services', () => startServices(parts, context));
}

interface ServiceParts {
  chosen: readonly Role[];
  database: DatabaseAddress;
  demo: DemoFile | undefined;
  networks: NetworkSettings[];
  room: WaitingRoom;
}

async function startServices(
  { chosen, database, demo, networks, room }: ServiceParts,
  context: Process,
): Promise<void> {
  const { config, log, closing } = context;
  const needsWebhooks = chosen.includes('dispatcher') || chosen.includes('gateway');
  const needsKv = needsWebhooks || networks.some(({ rpcBudget }) => rpcBudget !== undefined);
  const kv = config.kv && needsKv ? await createKv(config.kv, context) : undefined;
  closing.defer(() => kv?.close());
  const { metrics } = context;
  const chains = { networks, providers: openProviders(networks, closing, { kv, metrics, log }) };
  if (chosen.includes('indexer')) await startIndexerRole(database, chains, context);
  const agentUrl = await startAgentServices({ chosen, database, ...chains, demo, room }, context);
  if (!needsWebhooks) return;

  const served = networks.map(({ network }) => network);
  const webhooks = kv && openWebhooks(database, served, kv, context);
  if (chosen.includes('dispatcher')) {
    webhooks?.dispatcher.start();
    if (webhooks) log.info('the dispatcher runs');
  }
  if (chosen.includes('gateway')) {
    const access = kv && { ...config, kv };
    const parts = { database, ...chains, demo, access, webhooks, agentUrl, room };
    await startGatewayRole(parts, context);
  }
}

/** Starts the agent and its tool service, if they are chosen. @returns the url of the agent service */
async function startAgentServices(
  { chosen, ...parts }: Omit<ServiceParts, 'networks'> & Chains,
  context: Process,
): Promise<string | undefined> {
  const { config } = context;
  const shared = { ...parts, internalSecret: config.internalAgentSecret ?? randomBytes(32).toString('hex') };
  const toolsUrl = chosen.includes('tools') ? await startToolsRole(shared, context) : config.toolsUrl;
  const key = config.agentKey ?? (parts.demo && { secretKey: parts.demo.host.secretKey });
  // `chooseRoles` guarantees that a chosen agent has both.
  if (!chosen.includes('agent') || toolsUrl === undefined || key === undefined) return config.agentUrl;
  return await startAgentRole(shared, { toolsUrl, key }, context);
}
