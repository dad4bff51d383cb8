import { setTimeout as delay } from 'node:timers/promises';
import type { z } from 'zod';
import { openDatabase } from '../../db/client.ts';
import type { NetworkSettings } from '../../lib/config/index.ts';
import { type DemoFile, readDemoFile, writeDemoFile } from '../demo/file.ts';
import type { AccessSettings } from '../gateway/access/admit.ts';
import type { statusBody } from '../gateway/operations/status.ts';
import { startGateway } from '../gateway/start.ts';
import type { WebhookSettings } from '../gateway/webhooks/host.ts';
import { portOf, type Process } from './process.ts';

export interface GatewayParts {
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
