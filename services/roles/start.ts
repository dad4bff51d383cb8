import { randomBytes } from 'node:crypto';
import { openProviders } from '../../lib/chain/providers/providers.ts';
import type { Config } from '../../lib/config/index.ts';
import { startFailure } from '../../lib/config/start-failure.ts';
import { FatalError } from '../../lib/errors/index.ts';
import { createKv } from '../../lib/kv/index.ts';
import { type DemoFile, toSettings } from '../demo/file.ts';
import { openWebhooks } from '../dispatcher/dispatcher.ts';
import { completeNetworks } from './deployments.ts';
import { database, demoNetwork } from './prerequisites.ts';
import { type Process, type Role, roles, serveMetrics, waitingRoom } from './process.ts';
import { agent, agentKey, type Chains, gateway, indexer, tools } from './services.ts';

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
  const standIn = config.networks.length === 0;
  const chosen = requested ?? roles.filter((role) => role !== 'localnet' || standIn);
  if (requested?.length === 1 && requested[0] === 'localnet' && !standIn) {
    // If it exited, an orchestrator would restart it forever.
    log.warn(
      'The localnet role has nothing to do: a SUI_..._RPC_URL or RPC_URLS setting names a network. It idles until it is stopped.',
    );
    const idle = setInterval(() => undefined, 60_000);
    closing.defer(() => clearInterval(idle));
    return;
  }
  if (chosen.includes('localnet') && !standIn) {
    throw new FatalError(
      'bad_settings',
      'The localnet role stands in for testnet: unset the SUI_..._RPC_URL and RPC_URLS settings.',
    );
  }
  if (requested) requireRoleSettings(requested, config);
  const room = waitingRoom(chosen, context);
  closing.defer(() => room.close());
  const abandon = new AbortController();
  const stop = AbortSignal.any([context.stop, abandon.signal]);
  const parts = [
    chosen.some((role) => role !== 'localnet') ? database(room, { ...context, stop }) : undefined,
    standIn ? demoNetwork(chosen, room, { ...context, stop }) : undefined,
    completeNetworks(config.networks, room, { ...context, stop }),
  ] as const;
  const [databaseUrl, demo, followed] = await Promise.all(parts).catch(async (error) => {
    // The other part must have added what it starts to `closing`, or that would outlive the process.
    abandon.abort();
    await Promise.allSettled(parts);
    throw error;
  });
  const networks = demo ? [toSettings(demo)] : followed;
  await room.close();
  if (databaseUrl === undefined) return;

  const serves = chosen.includes('dispatcher') || chosen.includes('gateway');
  const needsKv = serves || networks.some(({ rpcBudget }) => rpcBudget !== undefined);
  const kv = config.kv && needsKv ? await createKv(config.kv, context) : undefined;
  closing.defer(() => kv?.close());
  const { metrics } = context;
  const chains = { networks, providers: openProviders(networks, closing, { kv, metrics, log }) };
  if (chosen.includes('indexer')) indexer(databaseUrl, chains, context);
  const agentUrl = await agentServices({ requested, chosen, databaseUrl, ...chains, demo }, context);
  if (!serves) return;

  const served = networks.map(({ network }) => network);
  const webhooks = kv && openWebhooks(databaseUrl, served, kv, context);
  if (chosen.includes('dispatcher')) {
    webhooks?.dispatcher.start();
    if (webhooks) log.info('the dispatcher runs');
  }
  if (chosen.includes('gateway')) {
    const access = kv && { ...config, kv };
    const parts = { databaseUrl, ...chains, demo, access, webhooks, agentUrl };
    await gateway(parts, context);
  }
}

interface AgentRoles extends Chains {
  requested: readonly Role[] | undefined;
  chosen: readonly Role[];
  databaseUrl: string;
  demo: DemoFile | undefined;
}

/** Starts the agent and its tool service, if requested or with a managed key. @returns the url of the agent service */
async function agentServices(
  { requested, chosen, ...parts }: AgentRoles,
  context: Process,
): Promise<string | undefined> {
  const { config } = context;
  // Requested roles start or fail; without a request, a role starts if its settings are there.
  const starts = (role: Role) =>
    requested
      ? requested.includes(role)
      : chosen.includes(role) && agentKey(config, parts.demo) !== undefined;
  let { toolsUrl } = config;
  const ownTools = starts('tools') && (requested !== undefined || toolsUrl === undefined);
  requireAgentSettings({ ownTools, ownAgent: starts('agent') }, config);
  const shared = { ...parts, internalSecret: config.internalAgentSecret ?? randomBytes(32).toString('hex') };
  if (ownTools) toolsUrl = await tools(shared, context);
  if (!starts('agent')) return config.agentUrl;
  if (toolsUrl === undefined) throw agentWithoutTools();
  return await agent(shared, toolsUrl, context);
}

/** Checks the settings before anything starts. @throws FatalError `bad_settings` */
function requireRoleSettings(requested: readonly Role[], config: Config): void {
  if (requested.includes('dispatcher') && !config.kv) {
    const reason =
      'The dispatcher role needs a key-value store, which holds the subscriptions: set REDIS_URL or another of its settings.';
    throw new FatalError('bad_settings', reason);
  }
  const [ownTools, ownAgent] = [requested.includes('tools'), requested.includes('agent')];
  requireAgentSettings({ ownTools, ownAgent }, config);
  if (ownAgent && !ownTools && config.toolsUrl === undefined) throw agentWithoutTools();
}

function requireAgentSettings(
  { ownTools, ownAgent }: Record<'ownTools' | 'ownAgent', boolean>,
  { internalAgentSecret }: Config,
): void {
  if (ownTools === ownAgent || internalAgentSecret !== undefined) return;
  const reason = 'Set INTERNAL_AGENT_SECRET: the agent and the tool service run in different processes.';
  throw new FatalError('bad_settings', reason);
}

function agentWithoutTools(): FatalError {
  return new FatalError('bad_settings', 'The agent role needs TOOLS_URL, or the tools role beside it.');
}
