import { Counter, type Registry } from '@prometheus-io/client';
import { router } from '../../lib/http/router.ts';
import { type HttpServer, observe, refuseLongUrl, sendRequestId, serve } from '../../lib/http/serve.ts';
import { callers } from './access/caller.ts';
import { keyRoutes } from './access/keys.ts';
import { nonces, sessionRoutes } from './access/session.ts';
import { adminRoutes } from './admin/routes.ts';
import { agentNodes } from './chain/node.ts';
import { defaultSettleTiming } from './chain/settle.ts';
import { addressRoutes } from './key/actor.ts';
import type { AgentOptions } from './options.ts';
import { keyLocks } from './run/key-locks.ts';
import { type RunDependencies, runRoutes } from './run/open.ts';
import { openWakers, readRoutes } from './run/read.ts';
import { toolsClient } from './run/tools-client.ts';
import { drivenRuns, recovery, startWorker } from './run/workers.ts';
import { healthRoutes, routeList } from './server/routes.ts';

export type { AgentOptions } from './options.ts';

/** How often orphaned runs of other processes are looked for, beside when one is met. */
const recoverEveryMs = 10_000;

/**
 * Starts the orchestrator over a database that is migrated. Resolves when it takes requests, and with them what an
 * earlier process left unfinished. `close` stops where each run is: what is signed is settled at the next start.
 */
export async function startAgent(options: AgentOptions): Promise<HttpServer> {
  const { networks, signer, internalSecret, adminSecret, paywallUrl, defaultNetwork, log } = options;
  const { dailyLimits, gasLimits, runsDaily } = options;
  const now = options.now ?? (() => new Date());
  const db = options.db.pool;
  await using starting = new AsyncDisposableStack();
  const stop = new AbortController();
  const driven = drivenRuns();
  const nodes = agentNodes(networks, starting);
  const wakers = openWakers(options.db, log);
  starting.defer(() => wakers.close());
  const worker = await startWorker({ databaseUrl: options.db.url, onRevived: () => void recover(), log });
  starting.defer(() => worker.close());
  starting.defer(() => driven.ended());

  const findCaller = callers({ db, internalSecret, adminSecret, now });
  const { signal } = stop;
  const dependencies: RunDependencies = {
    ...{
      db,
      signer,
      paywallUrl,
      defaultNetwork,
      log,
      now,
      signal,
      findCaller,
      nodes,
      wakers,
      worker,
      driven,
    },
    ...{ dailyLimits, gasLimits, runsDaily },
    draft: toolsClient({ url: options.toolsUrl, internalSecret, signal }),
    keyLocks: keyLocks(db),
    timing: options.settleTiming ?? defaultSettleTiming,
    count: runCounter(options.metrics),
    alarm: alarmCounter(options.metrics),
    recover: () => recover(),
  };
  const recover = recovery({ worker, nodes, dependencies, driven });
  const again = setInterval(() => void recover(), recoverEveryMs);
  starting.defer(() => clearInterval(again));
  await recover();

  if (!('*' in dailyLimits)) {
    const limited = Object.keys(dailyLimits);
    log.warn({ limited }, 'only these coins have a daily limit for a wallet; AGENT_DAILY_LIMITS sets others');
  }
  const list = routeList();
  runRoutes(list, dependencies);
  sessionRoutes(list, {
    db,
    findCaller,
    now,
    nonces: nonces({ hostSecret: internalSecret, publicUrl: options.publicUrl, now }),
  });
  keyRoutes(list, { db, findCaller, now, nodes, defaultNetwork });
  readRoutes(list, dependencies);
  adminRoutes(list, { db, findCaller, nodes, defaultNetwork, log, now });
  addressRoutes(list, { db, signer, nodes, defaultNetwork });
  healthRoutes(list, { db, worker, toolsUrl: options.toolsUrl });
  const lifeOfARequest = [
    observe({ log, metrics: options.metrics, name: 'agent_request_duration_seconds' }),
    sendRequestId,
    refuseLongUrl,
    router(list.routes, undefined, { log, hint: '/docs of the gateway lists every endpoint.' }),
  ];
  const server = await serve(options.host, options.port, lifeOfARequest, log);
  starting.defer(() => server.close());
  // First of all, or the server would wait for the streams.
  starting.defer(() => stop.abort());
  const started = starting.move();
  return { url: server.url, close: () => started.disposeAsync() };
}

/** Counts executed actions that went beyond their bounds: any is a reason to wake someone. */
function alarmCounter(metrics: Registry): () => void {
  const broken = new Counter({
    name: 'agent_bounds_broken_total',
    help: 'Executed actions whose events exceed their bounds. If it is not zero, stop the service and investigate.',
    registers: [metrics],
  });
  return () => broken.inc();
}

/** Counts runs by how they ended. Codes of the tool service are its own, and few. */
function runCounter(metrics: Registry): (action: string, outcome: string) => void {
  const ended = new Counter({
    name: 'agent_runs_total',
    help: 'Ended runs by action and outcome: done, or the error code.',
    labelNames: ['action', 'outcome'],
    registers: [metrics],
  });
  return (action, outcome) => ended.inc({ action, outcome });
}
