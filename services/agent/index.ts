import { setTimeout as delay } from 'node:timers/promises';
import type { Network } from '@adaptor-marketplace/adaptor';
import { Counter, type Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import type { NetworkProviders } from '../../lib/chain/providers/providers.ts';
import { problem } from '../../lib/errors/index.ts';
import { sendPrivateJson } from '../../lib/http/exchange.ts';
import { type Route, route } from '../../lib/http/route.ts';
import { router } from '../../lib/http/router.ts';
import { type HttpServer, observe, refuseLongUrl, sendRequestId, serve } from '../../lib/http/serve.ts';
import type { Logger } from '../../lib/log/index.ts';
import {
  createCallerFinder,
  createNonces,
  type RouteDependencies,
  type SessionDependencies,
  sessionRoutes,
} from './access/caller.ts';
import { type KeyDependencies, keyRoutes } from './access/keys.ts';
import { updateRoutes } from './access/updates.ts';
import { createWithdrawals } from './access/withdrawals.ts';
import { type AdminDependencies, adminRoutes } from './admin/routes.ts';
import { type AgentNetwork, openAgentNodes } from './chain/node.ts';
import { defaultSettleTiming, type SettleTiming } from './chain/settle.ts';
import type { SentTransaction } from './chain/unrecorded.ts';
import type { AgentSigner } from './key/signer.ts';
import { createRunTracker } from './run/driven-runs.ts';
import { createGasPool } from './run/gas-pool.ts';
import type { RunLimits } from './run/limits.ts';
import { questionRoutes } from './run/questions.ts';
import { createRecovery } from './run/recovery.ts';
import { type RunDependencies, runRoutes } from './run/routes.ts';
import { createToolsClient } from './run/tools-client.ts';
import { openWakers } from './run/wakers.ts';
import { startWorker, type Worker } from './run/worker.ts';

export interface AgentOptions extends RunLimits {
  db: Database;
  networks: readonly AgentNetwork[];
  defaultNetwork: Network;
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** The managed key. */
  signer: AgentSigner;
  toolsUrl: string;
  /** The secret by which the services of this deployment authenticate each other. */
  internalSecret: string;
  /** If unset, only owners issue keys, and plans and freezes are disabled. */
  adminSecret?: string | undefined;
  /** Public origin of this service; sign-in messages name it. */
  publicUrl: string;
  /** Providers that the roles of the process share. Default: own ones. */
  providers?: NetworkProviders | undefined;
  /** Page where owners get a plan. If set, every run requires a plan. */
  paywallUrl?: string | undefined;
  log: Logger;
  metrics: Registry;
  /** Timing of repeated sends of a signed transaction. Default: `defaultSettleTiming`. */
  settleTiming?: SettleTiming;
  /** Interval of the search for orphaned runs, which a request that meets one also starts. Default: 10 s. */
  recoverEveryMs?: number;
  /** Repeats `connect` while the database is unavailable. Default: one attempt. */
  whenReached?: (connect: () => Promise<Worker>) => Promise<Worker>;
  /** Default: the system clock. */
  now?: () => Date;
}

const recoverEveryMsDefault = 10_000;

/** Maximum wait of the start for unsigned runs of an earlier process to end. Those of a network whose node is down end later. */
const startWaitMs = 10_000;

/**
 * Starts the orchestrator on a migrated database. Resolves when it accepts requests and takes up the runs that an
 * earlier process left unfinished, and the unsigned ones have ended or 10 s have passed. `close` stops each run where it
 * is. The next start settles the signed ones.
 */
export async function startAgent(options: AgentOptions): Promise<HttpServer> {
  const { networks, signer, internalSecret, adminSecret, paywallUrl, defaultNetwork, log } = options;
  const { dailyLimits, gasLimits, runsDaily } = options;
  const now = options.now ?? (() => new Date());
  const db = options.db.pool;
  await using starting = new AsyncDisposableStack();
  const stop = new AbortController();
  const driven = createRunTracker();
  const sending = new Set<SentTransaction>();
  const nodes = openAgentNodes(networks, starting, { providers: options.providers, log });
  const wakers = openWakers(options.db, log);
  starting.defer(() => wakers.close());
  const { whenReached = (connect) => connect() } = options;
  const withdrawals = createWithdrawals(db, log, now);
  const takeUpAgain = () => {
    void withdrawals.repeat();
    gas.invalidate();
    void recover();
  };
  const worker = await whenReached(() =>
    startWorker({ databaseUrl: options.db.directUrl, onReconnected: takeUpAgain, log }),
  );
  starting.defer(() => worker.close());
  starting.defer(() => driven.waitForAll());

  const findCaller = createCallerFinder({ db, internalSecret, adminSecret, now });
  const { signal } = stop;
  const timing = options.settleTiming ?? defaultSettleTiming;
  const gas = createGasPool({
    db,
    sessions: options.db.sessions,
    payer: signer,
    wakers,
    gasMax: gasLimits.perRun,
    timing,
    sending,
    alarm: () => walletsFrozen.inc(),
    log,
    now,
    signal,
    recover: (network) => recover(network),
  });
  const registers = [options.metrics];
  // The tool service has few error codes, so the labels have few values.
  const runsEnded = new Counter({
    name: 'agent_runs_total',
    help: 'Ended runs by action and outcome: done, or the error code.',
    labelNames: ['action', 'outcome'],
    registers,
  });
  const boundsBroken = new Counter({
    name: 'agent_bounds_broken_total',
    help: 'Executed actions whose events exceed their bounds. If it is not zero, stop the service and investigate.',
    registers,
  });
  const walletsFrozen = new Counter({
    name: 'agent_wallets_frozen_unrecorded_total',
    help: 'Wallets frozen for a transaction of the managed key that no run has: the database lost its newest changes.',
    registers,
  });
  const dependencies: Dependencies = {
    db,
    signer,
    paywallUrl,
    defaultNetwork,
    log,
    now,
    signal,
    findCaller,
    withdrawals,
    nodes,
    wakers,
    worker,
    driven,
    dailyLimits,
    gasLimits,
    runsDaily,
    draft: createToolsClient({ url: options.toolsUrl, internalSecret, signal }),
    gas,
    sending,
    timing,
    count: (action, outcome) => runsEnded.inc({ action, outcome }),
    alarm: () => boundsBroken.inc(),
    recover: (network) => recover(network),
    nonces: createNonces({ hostSecret: internalSecret, publicUrl: options.publicUrl, now }),
    toolsUrl: options.toolsUrl,
  };
  const recover = createRecovery({ worker, nodes, dependencies, driven });
  const recoverTimer = setInterval(() => void recover(), options.recoverEveryMs ?? recoverEveryMsDefault);
  starting.defer(() => clearInterval(recoverTimer));
  await Promise.race([
    Promise.all(networks.map(({ network }) => recover(network))),
    delay(startWaitMs, undefined, { ref: false }),
  ]);

  if (!('*' in dailyLimits)) {
    const coins = Object.keys(dailyLimits);
    log.warn(
      { limited: coins },
      'only these coins have a daily limit for a wallet; AGENT_DAILY_LIMITS sets others',
    );
  }
  const lifeOfARequest = [
    observe({ log, metrics: options.metrics, name: 'agent_request_duration_seconds' }),
    sendRequestId,
    refuseLongUrl,
    router(routes, dependencies, { log, hint: '/docs of the gateway lists every endpoint.' }),
  ];
  const server = await serve(options.host, options.port, lifeOfARequest, log);
  starting.defer(() => server.close());
  // This runs first; otherwise the server would wait for the streams.
  starting.defer(() => stop.abort());
  const started = starting.move();
  return { url: server.url, close: () => started.disposeAsync() };
}

interface HealthDependencies extends Pick<RouteDependencies, 'db'> {
  /** Throws if the worker has no connection. */
  worker: { id(): unknown };
  toolsUrl: string;
}

const getHealth = route({
  method: 'get',
  path: '/healthz',
  handler: async ({ exchange }) => sendPrivateJson(exchange, { status: 'ok' }),
});

const toolsMs = 2_000;

/** Readiness probe: 503 without the database, the worker's connection or the tool service, which every run needs. */
const getReadiness = route({
  method: 'get',
  path: '/readyz',
  async handler({ exchange }, { db, worker, toolsUrl }: HealthDependencies) {
    worker.id();
    await db.query('select 1').catch(() => {
      throw notReady('the database does not answer');
    });
    const signal = AbortSignal.timeout(toolsMs);
    const tools = await fetch(`${toolsUrl}/readyz`, { redirect: 'error', signal }).catch(() => undefined);
    await tools?.body?.cancel();
    if (!tools?.ok) throw notReady('the tool service is not ready');
    sendPrivateJson(exchange, { status: 'ready' });
  },
});

const notReady = (reason: string) => problem('not_ready', `No actions run: ${reason}.`);

const healthRoutes = [getHealth, getReadiness];

type Dependencies = RunDependencies &
  SessionDependencies &
  KeyDependencies &
  AdminDependencies &
  HealthDependencies;

const routes: readonly Route<Dependencies>[] = [
  ...runRoutes,
  ...questionRoutes,
  ...sessionRoutes,
  ...keyRoutes,
  ...updateRoutes,
  ...adminRoutes,
  ...healthRoutes,
];
