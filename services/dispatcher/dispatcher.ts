import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import { type Database, type DatabaseAddress, openDatabase } from '../../db/client.ts';
import { listen } from '../../db/listen.ts';
import type { Config } from '../../lib/config/index.ts';
import type { Kv } from '../../lib/kv/kv.ts';
import { createWebhookOutbound, type Outbound } from '../../lib/outbound/index.ts';
import { createSecretBox, type SecretBox } from '../../lib/webhooks/signing.ts';
import { openSubscriptions, type Subscriptions } from '../../lib/webhooks/subscriptions.ts';
import { Engine, type EngineOptions, type Progress } from './engine.ts';

export interface DispatcherOptions extends EngineOptions {
  /** Milliseconds between two rounds without a notification. They find retries that have become due. */
  pollMs?: number;
}

export interface Dispatcher {
  /** Reads the network's events and sends what is due, until nothing is or the time is over. */
  dispatch(network: Network, budgetMs?: number): Promise<DispatchReport>;
  /** Dispatches for all networks whenever there is something to do, until closed. */
  start(): void;
  /** Lets exchanges under way end. */
  close(): Promise<void>;
}

const budgetDefaultMs = 10_000;
const pollDefaultMs = 1_000;

/** Webhooks: events of the registry and of the service become requests to the subscribers' urls. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { pollMs = pollDefaultMs } = options;
  const engine = new Engine(options);
  const stop = new AbortController();
  let following: Promise<void> | undefined;
  const dispatches = new Set<Promise<unknown>>();
  const tidy = createTidy(engine, options.log);
  return {
    dispatch(network, budgetMs = budgetDefaultMs) {
      const report = dispatchOnce(engine, network, budgetMs, stop.signal, tidy);
      dispatches.add(report);
      const forget = () => dispatches.delete(report);
      report.then(forget, forget);
      return report;
    },
    start() {
      following ??= follow(engine, options, pollMs, stop.signal, tidy);
    },
    async close() {
      stop.abort();
      await following;
      await Promise.allSettled(dispatches);
      await engine.close();
    },
  };
}

/** Result of one run. Counts are of this run; other dispatchers may work at the same time. */
interface DispatchReport extends Progress {
  network: Network;
  /** Events that were read for the subscriptions. */
  events: number;
  delivered: number;
  /** Attempts that failed. Most of them are retried. */
  failed: number;
}

/** Reads the events of a network and sends what is due, until nothing is or the time is over. */
async function dispatchOnce(
  engine: Engine,
  network: Network,
  budgetMs: number,
  stop: AbortSignal,
  tidy: () => Promise<void>,
): Promise<DispatchReport> {
  const over = AbortSignal.any([stop, AbortSignal.timeout(budgetMs)]);
  const goOn = () => !over.aborted;

  engine.refresh();
  let events = 0;
  let [delivered, failed] = [0, 0];
  let workerFailed = false;
  const running = new Set<Promise<void>>();
  const ended = createWake(over);
  async function claim(): Promise<void> {
    for (const worker of await engine.claim([network], goOn)) {
      const counted: Promise<void> = worker.then((counts) => {
        delivered += counts?.delivered ?? 0;
        failed += counts?.failed ?? 0;
        workerFailed ||= counts === undefined;
        running.delete(counted);
        ended.now();
      });
      running.add(counted);
    }
  }

  // What is read is sent while the next is read.
  let more: boolean;
  do {
    const advanced = await engine.advance(network);
    events += advanced.events;
    ({ more } = advanced);
    if (more) await claim();
  } while (more && goOn());
  while (goOn() && !workerFailed) {
    await claim();
    if (running.size === 0) break;
    // The subscription of a worker that has ended may have something due again, and others may wait for the slot.
    await ended.next(budgetMs);
  }
  await Promise.all(running);
  // No other process may tidy if only a scheduler dispatches.
  await tidy();

  const { cursor, pending, missing } = await engine.progress(network);
  return { network, cursor, events, delivered, failed, pending, missing };
}

const tidyEveryMs = 600_000;

/** Returns a function that tidies now and then. A failure delays no delivery; the next attempt is the next time. */
function createTidy(engine: Engine, log: EngineOptions['log']): () => Promise<void> {
  let dueMs = 0;
  return async () => {
    if (performance.now() < dueMs) return;
    dueMs = performance.now() + tidyEveryMs;
    await engine
      .tidy()
      .catch((error) => log.warn({ reason: getErrorMessage(error) }, 'cannot remove old webhook deliveries'));
  };
}

/** Dispatches when there is something to do, and regularly. Failures are retried; the reason is logged once. */
async function follow(
  engine: Engine,
  { db, log }: Pick<EngineOptions, 'db' | 'log'>,
  pollMs: number,
  stop: AbortSignal,
  tidy: () => Promise<void>,
): Promise<void> {
  const wake = createWake(stop);
  const listener = listen({
    url: db.directUrl,
    channels: ['indexed', 'service_events', 'webhooks'],
    onNotification: (channel) => {
      if (channel === 'webhooks') engine.refresh();
      wake.now();
    },
    onConnected: wake.now,
    log,
  });
  const goOn = () => !stop.aborted;
  let failing = false;

  async function claim(): Promise<void> {
    for (const worker of await engine.claim(engine.networks, goOn)) {
      // A worker that failed waits for the next round, as one that waits for the sources. Otherwise it would do so without
      // pause.
      void worker.then((counts) => counts && !counts.undecided && wake.now());
    }
  }

  async function round(): Promise<void> {
    for (const network of engine.networks) {
      // What is read is sent while the next is read.
      while ((await engine.advance(network)).more && goOn()) await claim();
    }
    await claim();
  }

  while (goOn()) {
    try {
      await round();
      if (failing) log.info('webhooks are dispatched again');
      failing = false;
      await tidy();
    } catch (error) {
      if (!failing) log.warn({ reason: getErrorMessage(error) }, 'cannot dispatch webhooks; trying again');
      failing = true;
    }
    await wake.next(pollMs);
  }
  await listener.close();
}

/** A wake-up call that is never lost: without a wait under way, it ends the next wait at once. */
function createWake(stop: AbortSignal) {
  let called = Promise.withResolvers<void>();
  const now = () => called.resolve();
  stop.addEventListener('abort', now, { once: true });
  return {
    now,
    /** Resolves when woken, after `afterMs` milliseconds, or when the signal aborts. */
    async next(afterMs: number): Promise<void> {
      const timer = setTimeout(now, afterMs);
      await called.promise;
      clearTimeout(timer);
      if (!stop.aborted) called = Promise.withResolvers();
    },
  };
}

interface Context extends Pick<EngineOptions, 'log' | 'metrics'> {
  config: Config;
  closing: AsyncDisposableStack;
}

/** A dispatcher, and the parts that it shares with the gateway. */
export interface Webhooks {
  db: Database;
  dispatcher: Dispatcher;
  subscriptions: Subscriptions;
  secrets: SecretBox | undefined;
  outbound: Outbound;
}

/** Opens a dispatcher with the settings of this process. `closing` closes it. */
export function openWebhooks(
  database: DatabaseAddress,
  networks: readonly Network[],
  kv: Kv,
  { config, log, metrics, closing }: Context,
): Webhooks {
  const db = openDatabase(database, { max: 8, name: 'dispatcher', log });
  closing.defer(() => db.close());
  const outbound = createWebhookOutbound(config.outboundAllowCidrs);
  closing.defer(() => outbound.close());
  const subscriptions = openSubscriptions(kv);
  const { adminSecret, adminSecretFallback } = config;
  const secrets = adminSecret === undefined ? undefined : createSecretBox(adminSecret, adminSecretFallback);
  const mayLoseSubscriptions = config.kv?.kind === 'memory';
  const shared = { db, subscriptions, secrets, outbound };
  const dispatcher = createDispatcher({ ...shared, networks, mayLoseSubscriptions, log, metrics });
  closing.defer(() => dispatcher.close());
  return { ...shared, dispatcher };
}
