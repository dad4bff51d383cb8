import { randomBytes } from 'node:crypto';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import { StateError } from '@adaptor-marketplace/localnet/errors';
import { collectDefaultMetrics, Registry } from '@prometheus-io/client';
import { Argument, Command } from 'commander';
import { environment, environmentFileNames } from '../lib/config/environment.ts';
import { type Config, loadConfig, type NetworkSettings } from '../lib/config/index.ts';
import { startFailure } from '../lib/config/start-failure.ts';
import { FatalError } from '../lib/errors/index.ts';
import { createKv } from '../lib/kv/index.ts';
import { createLogger, type Logger } from '../lib/log/index.ts';
import { type DemoFile, settingsOf } from './demo/file.ts';
import { agent, agentKey, tools, gateway, indexer, dispatcherWithoutStore, openWebhooks } from './roles/services.ts';
import { database, demoNetwork } from './roles/prerequisites.ts';
import { serveMetrics, waitingRoom } from './roles/http-servers.ts';
import { type Process, type Role, roles } from './roles/process.ts';

const command = new Command('adaptor-marketplace')
  .description(
    'Follows the adaptor registry and serves the catalog. Settings come from the environment (.env).',
  )
  .addArgument(
    new Argument('[roles...]', 'what this process does').choices(['all', ...roles]).default(['all']),
  )
  .action(async (names: (Role | 'all')[]) => {
    await run(names.includes('all') ? undefined : (names as Role[]));
  });
await command.parseAsync();

async function run(named: Role[] | undefined): Promise<void> {
  const config = settingsOrExit();
  const log = createLogger(config.logLevel);
  for (const warning of config.warnings) log.warn(warning);
  const stop = stopSignal(log);
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  await using closing = new AsyncDisposableStack();
  try {
    const context: Process = { config, log, metrics, closing, notices: new Set(), stop };
    await serveMetrics(context);
    await start(named, context);
    for (const notice of context.notices) log.warn(notice);
    if (!stop.aborted)
      await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
  } catch (failure) {
    if (stop.aborted) return;
    const error = startFailure(failure, config);
    const isKnown = error instanceof FatalError || error instanceof StateError;
    log.fatal(isKnown ? { code: error.code } : { err: error }, messageOf(error));
    process.exitCode = 1;
  }
}

async function start(named: Role[] | undefined, context: Process): Promise<void> {
  const { config, log, closing } = context;
  const standIn = config.networks.length === 0;
  const wanted = named ?? roles.filter((role) => role !== 'localnet' || standIn);
  if (named?.length === 1 && named[0] === 'localnet' && !standIn) {
    // Ending would have an orchestrator start it again, for ever.
    log.warn(
      'The localnet role has nothing to do: a SUI_..._RPC_URL setting names a network. It waits to be stopped.',
    );
    const idle = setInterval(() => undefined, 60_000);
    closing.defer(() => clearInterval(idle));
    return;
  }
  if (wanted.includes('localnet') && !standIn) {
    throw new FatalError(
      'bad_settings',
      'The localnet role stands in for testnet: unset the SUI_..._RPC_URL settings.',
    );
  }
  if (named) requireRoleSettings(named, config);
  const room = waitingRoom(wanted, context);
  closing.defer(() => room.close());
  const abandon = new AbortController();
  const stop = AbortSignal.any([context.stop, abandon.signal]);
  const parts = [
    wanted.some((role) => role !== 'localnet') ? database(room, { ...context, stop }) : undefined,
    standIn ? demoNetwork(wanted, room, { ...context, stop }) : undefined,
  ] as const;
  const [databaseUrl, demo] = await Promise.all(parts).catch(async (error) => {
    // What the other part is starting must have reached `closing`, or it would outlive the process's end.
    abandon.abort();
    await Promise.allSettled(parts);
    throw error;
  });
  const networks = demo ? [settingsOf(demo)] : config.networks;
  await room.close();
  if (databaseUrl === undefined) return;

  if (wanted.includes('indexer')) indexer(databaseUrl, networks, context);
  const agentUrl = await agentServices({ named, wanted, databaseUrl, networks, demo }, context);
  if (!wanted.includes('dispatcher') && !wanted.includes('gateway')) return;

  const kv = config.kv && (await createKv(config.kv, context));
  closing.defer(() => kv?.close());
  const webhooks = kv && openWebhooks(databaseUrl, networks, kv, context);
  if (wanted.includes('dispatcher')) {
    webhooks?.dispatcher.start();
    if (webhooks) log.info('dispatches webhooks');
  }
  if (wanted.includes('gateway')) {
    const access = kv && { ...config, kv };
    const parts = { databaseUrl, networks, demo, access, webhooks: webhooks?.settings, agentUrl };
    await gateway(parts, context);
  }
}

interface AgentRoles {
  named: Role[] | undefined;
  wanted: readonly Role[];
  databaseUrl: string;
  networks: NetworkSettings[];
  demo: DemoFile | undefined;
}

/** The agent service and the tool service behind it, where this host has a managed key. Answers the former's url. */
async function agentServices(
  { named, wanted, ...parts }: AgentRoles,
  context: Process,
): Promise<string | undefined> {
  const { config } = context;
  // Asked for by name they start, or say what is missing; else they are there where they can be.
  const starts = (role: Role) =>
    named ? named.includes(role) : wanted.includes(role) && agentKey(config, parts.demo) !== undefined;
  let { toolsUrl } = config;
  const ownTools = starts('tools') && (named !== undefined || toolsUrl === undefined);
  requireAgentSettings({ ownTools, ownAgent: starts('agent') }, config);
  const shared = { ...parts, internalSecret: config.internalAgentSecret ?? randomBytes(32).toString('hex') };
  if (ownTools) toolsUrl = await tools(shared, context);
  if (!starts('agent')) return config.agentUrl;
  if (toolsUrl === undefined) throw agentWithoutTools();
  return await agent(shared, toolsUrl, context);
}

/**
 * What the settings alone rule out, ahead of all that a role waits for.
 * @throws FatalError `bad_settings`
 */
function requireRoleSettings(named: readonly Role[], config: Config): void {
  if (named.includes('dispatcher') && !config.kv) throw dispatcherWithoutStore();
  const [ownTools, ownAgent] = [named.includes('tools'), named.includes('agent')];
  requireAgentSettings({ ownTools, ownAgent }, config);
  if (ownAgent && !ownTools && config.toolsUrl === undefined) throw agentWithoutTools();
}

function requireAgentSettings(
  { ownTools, ownAgent }: Record<'ownTools' | 'ownAgent', boolean>,
  { internalAgentSecret }: Config,
): void {
  if (ownTools === ownAgent || internalAgentSecret !== undefined) return;
  const reason = 'INTERNAL_AGENT_SECRET is needed where agent and tool service are not one process.';
  throw new FatalError('bad_settings', reason);
}

function agentWithoutTools(): FatalError {
  return new FatalError('bad_settings', 'The agent role needs TOOLS_URL, or the tools role beside it.');
}

function settingsOrExit(): Config {
  try {
    return loadConfig(environment(), environmentFileNames());
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  }
}

/**
 * The first Ctrl-C, SIGTERM or closing of the terminal asks for a clean end; a second Ctrl-C or SIGTERM does not
 * wait for it.
 */
function stopSignal(log: Logger): AbortSignal {
  const controller = new AbortController();
  // A terminal that has closed refuses what is written to it, and must not break off the clean end by that.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
  const onSignal = (signal: NodeJS.Signals) => {
    // A terminal that closes may well follow another signal.
    if (controller.signal.aborted && signal === 'SIGHUP') return;
    if (controller.signal.aborted) process.exit(130);
    log.info({ signal }, 'stopping');
    controller.abort();
  };
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onSignal);
  return controller.signal;
}
