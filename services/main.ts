import { setTimeout as delay } from 'node:timers/promises';
import { Argument, Command } from 'commander';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { openDatabase } from '../db/client.ts';
import { startEmbeddedServer } from '../db/embedded/server.ts';
import { migrateDatabase } from '../db/migrate.ts';
import { environment } from '../lib/config/environment.ts';
import { type Config, loadConfig, type NetworkSettings } from '../lib/config/index.ts';
import { followedSources } from '../lib/config/sources.ts';
import { startFailure } from '../lib/config/start-failure.ts';
import { FatalError, messageOf } from '../lib/errors/index.ts';
import { createKv, type Kv } from '../lib/kv/index.ts';
import { createLogger, type Logger } from '../lib/log/index.ts';
import { createOutbound } from '../lib/outbound/index.ts';
import { webhookOutbound } from '../lib/webhooks/outbound.ts';
import { secretBox } from '../lib/webhooks/secrets.ts';
import { openSubscriptions } from '../lib/webhooks/subscriptions.ts';
import { createDispatcher, type Dispatcher } from './dispatcher/index.ts';
import type { AccessSettings } from './gateway/access/admit.ts';
import { startGateway } from './gateway/start.ts';
import type { WebhookSettings } from './gateway/webhooks/host.ts';
import { startIndexer } from './indexer/index.ts';
import { type DemoFile, readDemoFile, writeDemoFile } from './localnet/demo/file.ts';
import { startDemoNetwork } from './localnet/demo/network.ts';
import { settingsOf } from './localnet/demo/settings.ts';

const roles = ['localnet', 'indexer', 'dispatcher', 'gateway'] as const;
type Role = (typeof roles)[number];

/** What every role gets: settings, a log, metrics, and where to leave what must be closed at the end. */
interface Process {
  config: Config;
  log: Logger;
  metrics: Registry;
  closing: AsyncDisposableStack;
  /** Aborted by the first Ctrl-C or SIGTERM. */
  stop: AbortSignal;
}

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
  const stop = stopSignal(log);
  const metrics = new Registry();
  collectDefaultMetrics({ register: metrics });
  await using closing = new AsyncDisposableStack();
  try {
    await start(named, { config, log, metrics, closing, stop });
    if (!stop.aborted)
      await new Promise((resolve) => stop.addEventListener('abort', resolve, { once: true }));
  } catch (failure) {
    if (stop.aborted) return;
    const error = startFailure(failure, config);
    log.fatal(error instanceof FatalError ? { code: error.code } : { err: error }, messageOf(error));
    process.exitCode = 1;
  }
}

async function start(named: Role[] | undefined, context: Process): Promise<void> {
  const { config, log, closing } = context;
  const standIn = config.networks.length === 0;
  const wanted = named ?? roles.filter((role) => role !== 'localnet' || standIn);
  if (wanted.includes('localnet') && !standIn) {
    throw new FatalError(
      'bad_settings',
      'The localnet role stands in for testnet: unset the SUI_..._RPC_URL settings.',
    );
  }
  const abandon = new AbortController();
  const stop = AbortSignal.any([context.stop, abandon.signal]);
  const parts = [
    wanted.some((role) => role !== 'localnet') ? database(context) : undefined,
    standIn ? demoNetwork(wanted, { ...context, stop }) : undefined,
  ] as const;
  const [databaseUrl, demo] = await Promise.all(parts).catch(async (error) => {
    // What the other part is starting must have reached `closing`, or it would outlive the process's end.
    abandon.abort();
    await Promise.allSettled(parts);
    throw error;
  });
  const networks = demo ? [settingsOf(demo)] : config.networks;
  if (databaseUrl === undefined) return;

  if (wanted.includes('indexer')) {
    const sources = networks.flatMap((settings) => followedSources(settings));
    const db = openDatabase(databaseUrl, { max: sources.length + 8, name: 'indexer', log });
    closing.defer(() => db.close());
    const outbound = createOutbound({ allowCidrs: config.outboundAllowCidrs });
    closing.defer(() => outbound.close());
    const indexer = startIndexer({ db, networks, outbound, log, metrics: context.metrics });
    closing.defer(() => indexer.close());
  }
  if (!wanted.includes('dispatcher') && !wanted.includes('gateway')) return;

  const kv = config.kv && (await createKv(config.kv, context));
  closing.defer(() => kv?.close());
  const webhooks = kv && openWebhooks(databaseUrl, networks, kv, context);
  if (wanted.includes('dispatcher')) {
    if (webhooks) webhooks.dispatcher.start();
    else if (named?.includes('dispatcher')) throw dispatcherWithoutStore();
  }
  if (wanted.includes('gateway')) {
    const access = kv && { ...config, kv };
    await gateway({ databaseUrl, networks, demo, access, webhooks: webhooks?.settings }, context);
  }
}

/** The dispatcher, started or for the route that runs it once, and what the gateway needs beside it. */
function openWebhooks(
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
    secrets,
    outbound,
    log,
    metrics,
  });
  closing.defer(() => dispatcher.close());
  return { dispatcher, settings: { subscriptions, secrets, outbound, dispatch: dispatcher.dispatch } };
}

function dispatcherWithoutStore(): FatalError {
  return new FatalError(
    'bad_settings',
    'The dispatcher role needs a key-value store, which holds the subscriptions: set REDIS_URL or another of its settings.',
  );
}

/** The configured server, or the embedded one; its schema up to date. */
async function database({ config, closing, log }: Process): Promise<string> {
  let url = config.databaseUrl;
  if (!url) {
    const server = await startEmbeddedServer({ dir: `${config.dataDir}/postgres`, log });
    closing.defer(() => server.stop());
    url = server.url;
  }
  const db = openDatabase(url, { max: 1, name: 'migrations', log });
  try {
    await migrateDatabase(db);
  } catch (error) {
    if (!config.databaseUrl) throw error;
    const reason = `DATABASE_URL: the database cannot be used: ${messageOf(error)}`;
    throw new FatalError('database_unusable', reason, { cause: error });
  } finally {
    await db.close();
  }
  return url;
}

/** Starts the local network here, or waits for the process that has that role. */
async function demoNetwork(
  wanted: readonly Role[],
  { config, log, closing, stop }: Process,
): Promise<DemoFile> {
  if (wanted.includes('localnet')) {
    const network = await startDemoNetwork({
      dataDir: config.dataDir,
      host: config.host,
      publicHost: config.localnetHost,
      port: config.localnetPort,
      log,
    });
    closing.defer(() => network.close());
    return network.demo;
  }
  for (let waited = 0; ; waited += 1) {
    const demo = await readDemoFile(config.dataDir);
    // A file of an earlier run names ports on which nobody answers any more.
    if (demo && (await answers(demo.blobStoreUrl))) return demo;
    if (waited === 0) log.info({ dataDir: config.dataDir }, 'waiting for the localnet role');
    await delay(250, undefined, { signal: stop });
  }
}

async function answers(url: string): Promise<boolean> {
  const response = await fetch(url, { method: 'HEAD', signal: AbortSignal.timeout(2_000) }).catch(
    () => undefined,
  );
  return response !== undefined;
}

interface GatewayParts {
  databaseUrl: string;
  networks: NetworkSettings[];
  demo: DemoFile | undefined;
  access: AccessSettings | undefined;
  webhooks: WebhookSettings | undefined;
}

async function gateway(
  { databaseUrl, networks, demo, access, webhooks }: GatewayParts,
  { config, log, metrics, closing, stop }: Process,
): Promise<void> {
  const db = openDatabase(databaseUrl, { max: 10, name: 'gateway', statementTimeoutMs: 10_000, log });
  closing.defer(() => db.close());
  const { host, port, defaultNetwork, maxLagSeconds } = config;
  const server = await startGateway({
    db,
    host,
    port,
    networks,
    defaultNetwork,
    maxLagSeconds,
    access,
    webhooks,
    log,
    metrics,
  });
  closing.defer(() => server.close());
  if (demo) await writeDemoFile(config.dataDir, { ...demo, baseUrl: server.url });
  announce(server.url, demo, config);
  void sayWhenReady(server.url, stop);
}

function announce(url: string, demo: DemoFile | undefined, config: Config): void {
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
  process.stdout.write(`\n${lines.join('\n')}\n\n`);
}

async function sayWhenReady(url: string, stop: AbortSignal): Promise<void> {
  while (!stop.aborted) {
    const answer = await fetch(`${url}/readyz`, { signal: stop }).catch(() => undefined);
    if (answer?.ok) {
      process.stdout.write('Ready. Ctrl-C stops everything.\n');
      return;
    }
    await delay(250, undefined, { signal: stop }).catch(() => undefined);
  }
}

function settingsOrExit(): Config {
  try {
    return loadConfig(environment());
  } catch (error) {
    process.stderr.write(`${messageOf(error)}\n`);
    process.exit(1);
  }
}

/** The first Ctrl-C or SIGTERM asks for a clean end; a second one does not wait for it. */
function stopSignal(log: Logger): AbortSignal {
  const controller = new AbortController();
  const onSignal = (signal: NodeJS.Signals) => {
    if (controller.signal.aborted) process.exit(130);
    log.info({ signal }, 'stopping');
    controller.abort();
  };
  process.on('SIGINT', onSignal);
  process.on('SIGTERM', onSignal);
  return controller.signal;
}
