import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { type DatabaseAddress, openDatabase } from '../../db/client.ts';
import { addKey, operator } from '../../db/queries/agent/access.ts';
import { createSqlRole } from '../../db/sql-role.ts';
import { executorKeysMax } from '../../lib/agent/shapes.ts';
import type { NetworkProviders } from '../../lib/chain/providers/providers.ts';
import { describeSettings } from '../../lib/config/describe.ts';
import { environment } from '../../lib/config/index.ts';
import { listFollowedSources, type NetworkSettings } from '../../lib/config/networks.ts';
import { digestToken } from '../../lib/credentials/token.ts';
import { createDnsLookup } from '../../lib/outbound/guard.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { createLocalSigner, type KeySource } from '../agent/key/signer.ts';
import { type DemoFile, readDemoFile, writeDemoFile } from '../demo/file.ts';
import { findRunning } from '../demo/running.ts';
import { compileSamplePackage } from '../demo/sample-package.ts';
import type { Webhooks } from '../dispatcher/dispatcher.ts';
import type { AccessSettings } from '../gateway/access/admission.ts';
import type { statusBody } from '../gateway/operations/health.ts';
import { openDatabaseWait } from './database-wait.ts';
import { bindProcessPort, type Process, type WaitingRoom } from './process.ts';

// Each role loads its service when it starts. Loading all of them takes twice the time and the memory.

export async function startIndexerRole(
  database: DatabaseAddress,
  { networks, providers }: Chains,
  { config, log, metrics, closing }: Process,
): Promise<void> {
  const { startIndexer } = await import('../indexer/index.ts');
  const sources = networks.flatMap((settings) => listFollowedSources(settings));
  const db = openDatabase(database, { max: sources.length + networks.length + 8, name: 'indexer', log });
  closing.defer(() => db.close());
  const rules = { allowCidrs: config.outboundAllowCidrs, lookup: createDnsLookup() };
  const outbound = createOutbound(rules);
  closing.defer(() => outbound.close());
  // The indexer bounds how many files it reads at once.
  const bucketOutbound = createOutbound({ ...rules, connectionsPerHost: 'unbounded' });
  closing.defer(() => bucketOutbound.close());
  const running = startIndexer({ db, networks, providers, outbound, bucketOutbound, log, metrics });
  closing.defer(() => running.close());
  log.info({ networks: networks.map(({ network }) => network) }, 'the indexer runs');
}

/** The networks, and their providers, which the roles of a process share. */
export interface Chains {
  networks: NetworkSettings[];
  providers: NetworkProviders;
}

interface AgentParts extends Chains {
  database: DatabaseAddress;
  demo: DemoFile | undefined;
  internalSecret: string;
  room: WaitingRoom;
}

/** @returns the url of the tool service */
export async function startToolsRole(
  { database, networks, providers, internalSecret }: AgentParts,
  { config, log, metrics, closing }: Process,
): Promise<string> {
  const { startTools } = await import('../tools/start.ts');
  const db = openDatabase(database, { max: 8, name: 'tools', statementTimeoutMs: 10_000, log });
  closing.defer(() => db.close());
  const { toolsHost: host, toolsPort: port } = config;
  const server = await startTools({ db, host, port, networks, providers, internalSecret, log, metrics });
  closing.defer(() => server.close());
  log.info({ url: server.url }, 'the tool service runs');
  return server.url;
}

/** @returns the url of the agent service */
export async function startAgentRole(
  { database, networks, providers, demo, internalSecret, room }: AgentParts,
  { toolsUrl, key }: { toolsUrl: string; key: KeySource },
  context: Process,
): Promise<string> {
  const { config, log, metrics, closing } = context;
  const { startAgent } = await import('../agent/index.ts');
  const signer = await createLocalSigner(key);
  const db = openDatabase(database, { max: 16, name: 'agent', log });
  closing.defer(() => db.close());
  const whenReached = openDatabaseWait(room, db, context);
  if (demo) await whenReached(() => addKey(db.pool, pickDemoKey(demo), executorKeysMax));
  const { agentHost: host, agentPort: port } = config;
  const service = { db, networks, providers, host, port, signer, toolsUrl, internalSecret, log, metrics };
  const server = await startAgent({ ...config, ...service, whenReached });
  closing.defer(() => server.close());
  log.info({ url: server.url, address: signer.address }, 'the agent service runs');
  return server.url;
}

function pickDemoKey({ network, owner, agent }: DemoFile) {
  const digest = digestToken(agent.executorKey);
  const id = `exec_${digest.slice(0, 17)}`;
  const issued = { issuedBy: operator, scope: {}, createdAt: new Date(), expiresAt: null };
  return { id, digest, network, walletId: owner.walletId, label: 'demo', ...issued };
}

interface GatewayParts extends Chains {
  database: DatabaseAddress;
  demo: DemoFile | undefined;
  access: AccessSettings | undefined;
  webhooks: Webhooks | undefined;
  agentUrl: string | undefined;
  room: WaitingRoom;
}

export async function startGatewayRole(
  { database, networks, providers, demo, access, webhooks, agentUrl, room }: GatewayParts,
  context: Process,
): Promise<void> {
  const { startGateway } = await import('../gateway/start.ts');
  const { config, log, metrics, closing, stop } = context;
  const pool = { max: 10, name: 'gateway', statementTimeoutMs: 10_000, pipeline: true };
  const db = openDatabase(database, { ...pool, log });
  closing.defer(() => db.close());
  const { host, defaultNetwork, maxLagSeconds, trustProxy, internalAgentCidrs } = config;
  const sqlDatabaseUrl =
    config.sqlDatabaseUrl === 'embedded:' ? await createSqlRole(db.directUrl) : config.sqlDatabaseUrl;
  const server = await startGateway({
    db,
    readReplicas: config.readReplicas,
    host,
    port: async (listen) => {
      await room.close();
      return await bindProcessPort('http', 'default', context)(listen);
    },
    whenReached: openDatabaseWait(room, db, context),
    networks,
    providers,
    defaultNetwork,
    unserved: config.unserved,
    maxLagSeconds,
    trustProxy,
    internalAgentCidrs,
    access,
    webhooks: webhooks && pickWebhookSettings(webhooks),
    sqlDatabaseUrl,
    trustedDocuments: config.trustedDocuments,
    publicUrl: config.errorPagesUrl,
    securityContact: config.securityContact,
    agentUrl,
    settings: describeSettings(environment()),
    local: demo && { ...demo, samplePackage: () => compileSamplePackage(demo.packages.wallet) },
    log,
    metrics,
  });
  closing.defer(() => server.close());
  if (demo) {
    // The localnet role may have rewritten the file since, and another gateway of the folder may have its address there.
    const file = (await readDemoFile(config.dataDir)) ?? demo;
    const baseUrl = (await findRunning(file.baseUrl)) ?? server.url;
    await writeDemoFile(config.dataDir, { ...file, baseUrl });
  }
  announce(server.url, demo, context);
  const ready = printWhenReady(server.url, demo !== undefined, stop);
  if (demo) void ready.then(() => offerDemoSources(server.url, demo, context));
}

/** Offers the source of the demo once the service is ready. Without it, the demo works and shows no source. */
async function offerDemoSources(url: string, demo: DemoFile, { log, stop }: Process): Promise<void> {
  try {
    stop.throwIfAborted();
    const { offerSources } = await import('../demo/offer-sources.ts');
    await offerSources(url, demo, stop);
  } catch (err) {
    if (!stop.aborted) log.warn({ err }, 'not all sources of the demo were offered');
  }
}

function announce(url: string, demo: DemoFile | undefined, { config, notices, phases }: Process): void {
  phases.end();
  const lines = [
    `Site      ${url}/`,
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

const pickWebhookSettings = ({ subscriptions, secrets, outbound, dispatcher }: Webhooks) => ({
  subscriptions,
  secrets,
  outbound,
  dispatch: dispatcher.dispatch,
});

async function printWhenReady(url: string, withDemo: boolean, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const response = await fetch(`${url}/readyz`, { signal: stop }).catch(() => undefined);
    if (response?.ok && (!withDemo || (await isDemoChecked(url, stop)))) {
      process.stdout.write('Ready. Ctrl-C stops everything.\n');
      return;
    }
    await delay(250, undefined, { signal: stop }).catch(() => undefined);
  }
}

/** Returns `true` if the demo's listings have been checked. Until then the catalog is empty. */
async function isDemoChecked(url: string, stop: AbortSignal): Promise<boolean> {
  const response = await fetch(`${url}/status`, { signal: stop }).catch(() => undefined);
  const status = (await response?.json().catch(() => undefined)) as z.infer<typeof statusBody> | undefined;
  const networks = Object.values(status?.networks ?? {});
  const isChecked = ({
    listings: { listed, publisherChecks, witnessChecks },
    manifests,
  }: (typeof networks)[number]) =>
    listed > 0 && [publisherChecks, witnessChecks, manifests].every((states) => !states.pending);
  return networks.length > 0 && networks.every(isChecked);
}
