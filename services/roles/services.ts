import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { openDatabase } from '../../db/client.ts';
import { addKey, operator } from '../../db/queries/agent/access.ts';
import { executorKeysMax } from '../../lib/agent/shapes.ts';
import type { Config, NetworkSettings } from '../../lib/config/index.ts';
import { followedSources } from '../../lib/config/sources.ts';
import { tokenDigest } from '../../lib/credentials/token.ts';
import { FatalError } from '../../lib/errors/index.ts';
import type { Kv } from '../../lib/kv/index.ts';
import { createOutbound, dnsLookup } from '../../lib/outbound/index.ts';
import { webhookOutbound } from '../../lib/webhooks/outbound.ts';
import { secretBox } from '../../lib/webhooks/secrets.ts';
import { openSubscriptions } from '../../lib/webhooks/subscriptions.ts';
import { startAgent } from '../agent/index.ts';
import { type KeySource, localSigner } from '../agent/key/signer.ts';
import { type DemoFile, readDemoFile, writeDemoFile } from '../demo/file.ts';
import { createDispatcher, type Dispatcher } from '../dispatcher/dispatcher.ts';
import type { AccessSettings } from '../gateway/access/admit.ts';
import type { statusBody } from '../gateway/operations/status.ts';
import { startGateway } from '../gateway/start.ts';
import type { WebhookSettings } from '../gateway/webhooks/host.ts';
import { startIndexer } from '../indexer/index.ts';
import { startTools } from '../tools/start.ts';
import { type Process, portOf } from './process.ts';

export function indexer(
  databaseUrl: string,
  networks: NetworkSettings[],
  { config, log, metrics, closing }: Process,
): void {
  const sources = networks.flatMap((settings) => followedSources(settings));
  const db = openDatabase(databaseUrl, { max: sources.length + networks.length + 8, name: 'indexer', log });
  closing.defer(() => db.close());
  const outbound = createOutbound({ allowCidrs: config.outboundAllowCidrs, lookup: dnsLookup() });
  closing.defer(() => outbound.close());
  const running = startIndexer({ db, networks, outbound, log, metrics });
  closing.defer(() => running.close());
  log.info({ networks: networks.map(({ network }) => network) }, 'follows the chain');
}

/** The dispatcher, started or for the route that runs it once, and what the gateway needs beside it. */
export function openWebhooks(
  databaseUrl: string,
  networks: NetworkSettings[],
  kv: Kv,
  { config, log, metrics, closing }: Process,
): { dispatcher: Dispatcher; settings: WebhookSettings } {
  const db = openDatabase(databaseUrl, { max: 8, name: 'dispatcher', log });
  closing.defer(() => db.close());
  const outbound = webhookOutbound(config.outboundAllowCidrs);
  closing.defer(() => outbound.close());
  const subscriptions = openSubscriptions(kv);
  const secrets = config.adminSecret === undefined ? undefined : secretBox(config.adminSecret);
  const names = networks.map(({ network }) => network);
  const dispatcher = createDispatcher({
    db,
    networks: names,
    subscriptions,
    mayLoseSubscriptions: config.kv?.kind === 'memory',
    secrets,
    outbound,
    log,
    metrics,
  });
  closing.defer(() => dispatcher.close());
  return { dispatcher, settings: { subscriptions, secrets, outbound, dispatch: dispatcher.dispatch } };
}

export function dispatcherWithoutStore(): FatalError {
  return new FatalError(
    'bad_settings',
    'The dispatcher role needs a key-value store, which holds the subscriptions: set REDIS_URL or another of its settings.',
  );
}

interface AgentParts {
  databaseUrl: string;
  networks: NetworkSettings[];
  demo: DemoFile | undefined;
  /** By which the services of this host know each other. */
  internalSecret: string;
}

/** Where the managed key is; undefined where this host runs no actions. The local network brings one of its own. */
export function agentKey({ agentKey }: Config, demo: DemoFile | undefined): KeySource | undefined {
  return agentKey ?? (demo && { secretKey: demo.host.secretKey });
}

/** Starts the tool service and answers its url. */
export async function tools(
  { databaseUrl, networks, internalSecret }: AgentParts,
  { config, log, metrics, closing }: Process,
): Promise<string> {
  const db = openDatabase(databaseUrl, { max: 8, name: 'tools', statementTimeoutMs: 10_000, log });
  closing.defer(() => db.close());
  const { toolsHost: host, toolsPort: port } = config;
  const server = await startTools({ db, host, port, networks, internalSecret, log, metrics });
  closing.defer(() => server.close());
  log.info({ url: server.url }, 'drafts actions');
  return server.url;
}

/**
 * Starts the agent service and answers its url.
 * @throws FatalError `bad_settings` without a managed key
 */
export async function agent(
  { databaseUrl, networks, demo, internalSecret }: AgentParts,
  toolsUrl: string,
  { config, log, metrics, closing }: Process,
): Promise<string> {
  const source = agentKey(config, demo);
  if (!source) {
    throw new FatalError('bad_settings', 'The agent role needs AGENT_SECRET_KEY or AGENT_SECRET_KEY_FILE.');
  }
  const signer = await localSigner(source);
  const db = openDatabase(databaseUrl, { max: 10, name: 'agent', log });
  closing.defer(() => db.close());
  if (demo) await addKey(db.pool, demoKey(demo), executorKeysMax);
  const { agentHost: host, agentPort: port, adminSecret, paywallUrl, defaultNetwork } = config;
  const { dailyLimits, gasLimits, runsDaily, publicUrl } = config;
  const server = await startAgent({
    ...{ db, networks, defaultNetwork, host, port, signer, toolsUrl, internalSecret, adminSecret },
    ...{ dailyLimits, gasLimits, runsDaily, paywallUrl, publicUrl },
    log,
    metrics,
  });
  closing.defer(() => server.close());
  log.info({ url: server.url, address: signer.address }, 'runs actions');
  return server.url;
}

/** The executor key in `demo.json`, for the owner's wallet. */
function demoKey({ network, owner, agent }: DemoFile) {
  const digest = tokenDigest(agent.executorKey);
  const id = `exec_${digest.slice(0, 17)}`;
  const issued = { issuedBy: operator, scope: {}, createdAt: new Date(), expiresAt: null };
  return { id, digest, network, walletId: owner.walletId, label: 'demo', ...issued };
}

interface GatewayParts {
  databaseUrl: string;
  networks: NetworkSettings[];
  demo: DemoFile | undefined;
  access: AccessSettings | undefined;
  webhooks: WebhookSettings | undefined;
  /** Where the agent service is; undefined where this host has none. */
  agentUrl: string | undefined;
}

export async function gateway(
  { databaseUrl, networks, demo, access, webhooks, agentUrl }: GatewayParts,
  context: Process,
): Promise<void> {
  const { config, log, metrics, closing, stop } = context;
  const db = openDatabase(databaseUrl, { max: 10, name: 'gateway', statementTimeoutMs: 10_000, log });
  closing.defer(() => db.close());
  const { host, defaultNetwork, maxLagSeconds, trustProxy, internalAgentCidrs } = config;
  const server = await startGateway({
    db,
    host,
    port: portOf('http', 'default', context),
    networks,
    defaultNetwork,
    maxLagSeconds,
    trustProxy,
    internalAgentCidrs,
    access,
    webhooks,
    agentUrl,
    log,
    metrics,
  });
  closing.defer(() => server.close());
  if (demo) {
    // The localnet role may have written the file again meanwhile.
    const file = (await readDemoFile(config.dataDir)) ?? demo;
    await writeDemoFile(config.dataDir, { ...file, baseUrl: server.url });
  }
  announce(server.url, demo, context);
  void sayWhenReady(server.url, { withDemo: demo !== undefined, stop });
}

function announce(url: string, demo: DemoFile | undefined, { config, notices }: Process): void {
  const lines = [
    `Catalog   ${url}/api/adaptors`,
    `Docs      ${url}/docs`,
    `Graph     ${url}/graphql`,
    `Status    ${url}/status`,
  ];
  if (demo) {
    lines.push(
      `Network   ${demo.rpcUrl}  (a local network stands in for testnet: nothing here is public)`,
      `Keys      ${config.dataDir}/demo.json`,
    );
  }
  lines.push(...[...notices].map((notice) => `Note      ${notice}`));
  notices.clear();
  process.stdout.write(`\n${lines.join('\n')}\n\n`);
}

interface ReadyOptions {
  withDemo: boolean;
  stop: AbortSignal;
}

async function sayWhenReady(url: string, { withDemo, stop }: ReadyOptions): Promise<void> {
  while (!stop.aborted) {
    const answer = await fetch(`${url}/readyz`, { signal: stop }).catch(() => undefined);
    if (answer?.ok && (!withDemo || (await isDemoJudged(url, stop)))) {
      process.stdout.write('Ready. Ctrl-C stops everything.\n');
      return;
    }
    await delay(250, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Whether the demo's listings have been checked: until then the catalog would look empty to whoever asks at once. */
async function isDemoJudged(url: string, stop: AbortSignal): Promise<boolean> {
  const answer = await fetch(`${url}/status`, { signal: stop }).catch(() => undefined);
  const status = (await answer?.json().catch(() => undefined)) as z.infer<typeof statusBody> | undefined;
  const networks = Object.values(status?.networks ?? {});
  const isJudged = ({
    listings: { listed, publisherChecks, witnessChecks },
    manifests,
  }: (typeof networks)[number]) =>
    listed > 0 && [publisherChecks, witnessChecks, manifests].every((states) => !states.pending);
  return networks.length > 0 && networks.every(isJudged);
}
