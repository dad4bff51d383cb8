import { hostname } from 'node:os';
import { messageOf, type Network } from '@adaptor-marketplace/adaptor';
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import { lockFanOut, readFanOut, writeDeliveries } from '../../db/queries/webhooks/fan-out.ts';
import {
  addSubscriptions,
  claimSubscriptions,
  missingSubscriptions,
} from '../../db/queries/webhooks/subscriptions.ts';
import { inTransaction } from '../../db/transaction.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { Outbound } from '../../lib/outbound/index.ts';
import { type SecretBox, type SigningKeys, signingKeys } from '../../lib/webhooks/signing.ts';
import type { EventPosition, Subscription, Subscriptions, Survey } from '../../lib/webhooks/subscriptions.ts';
import { createRecorder, type RetryRules, retryRules } from './outcome.ts';
import { type AttemptCounts, messageLoader, type Receiver, runWorker, type WorkerOptions } from './worker.ts';

export interface EngineOptions {
  db: Database;
  networks: readonly Network[];
  subscriptions: Subscriptions;
  /** True if the store loses subscriptions by design: in memory, they end with the process. Else the cursor waits. */
  mayLoseSubscriptions?: boolean;
  /** Undefined without an admin secret: subscriptions with a signing secret then receive nothing. */
  secrets: SecretBox | undefined;
  /** Must not limit the sockets per host: a slow subscriber would hold up others on the same host. */
  outbound: Pick<Outbound, 'postBytes'>;
  log: Logger;
  metrics: Registry;
  rules?: RetryRules;
  /** Milliseconds of one whole exchange with a receiver. */
  timeoutMs?: number;
  /** Milliseconds after which another dispatcher takes over from one that crashed. */
  leaseMs?: number;
}

/** What a dispatcher does, whether it follows the index or runs once. */
export interface Engine {
  networks: readonly Network[];
  /** Writes a batch of the network's deliveries. */
  fanOut(network: Network): Promise<FanOut>;
  /** Has the list of subscriptions read from the store again before the next claim. */
  refresh(): void;
  /**
   * Leases free subscriptions that have something due and starts a worker for each. One promise for each worker; it
   * resolves to undefined if the worker failed.
   */
  claim(networks: readonly Network[], goOn: () => boolean): Promise<Promise<AttemptCounts | undefined>[]>;
  /** Waits for the workers, then stores what they sent. */
  close(): Promise<void>;
}

/** Workers at a time in one process, with at most two exchanges each; most of the receivers may hang. */
const workersMax = 1_024;
/** How long a worker sends to one subscription before another gets its slot, and before a pause is noticed. */
const slotMs = 2_000;
/** Maximum age of the list of subscriptions when workers start. */
const listMsMax = 1_000;
const timeoutDefaultMs = 15_000;
const leaseDefaultMs = 45_000;

export function createEngine(options: EngineOptions): Engine {
  const { db, subscriptions, log, rules = retryRules, timeoutMs = timeoutDefaultMs } = options;
  const metrics = dispatcherMetrics(options.metrics);
  const receiversOf = receiverFactory(options.secrets, log, metrics);
  const reportMissing = missingReporter(log, metrics);

  async function disable(id: string, reason: 'gone' | 'failing'): Promise<void> {
    try {
      await disableNow(id, reason);
    } catch (error) {
      // The store may be out; the next failure disables it.
      log.warn({ subscription: id, reason: messageOf(error) }, 'cannot disable a webhook subscription');
    }
  }

  async function disableNow(id: string, reason: 'gone' | 'failing'): Promise<void> {
    const changed = await subscriptions.change(id, (subscription) => {
      return subscription.state === 'active'
        ? { ...subscription, state: 'disabled', disabledReason: reason }
        : subscription;
    });
    refresh();
    if (changed?.disabledReason !== reason) return;
    metrics.disabled.inc({ reason });
    log.warn({ subscription: id, reason }, 'disabled a webhook subscription');
  }

  const recorder = createRecorder({
    db: db.pool,
    log,
    failingMs: rules.disableAfterMs,
    onFailing: (id) => disable(id, 'failing'),
  });
  const worker: WorkerOptions = {
    db: db.pool,
    outbound: options.outbound,
    messages: messageLoader(db.pool),
    recorder,
    rules,
    timeoutMs,
    lease: `${hostname()}/${process.pid}/${crypto.randomUUID()}`,
    leaseMs: options.leaseMs ?? leaseDefaultMs,
    onEnded({ outcome, durationMs }) {
      metrics.attempts.inc({ outcome });
      metrics.duration.observe(durationMs / 1000);
    },
    onGone: (id) => disable(id, 'gone'),
  };

  let surveyed: Survey = { subscriptions: [], present: new Set() };
  let surveyedAtMs = Number.NEGATIVE_INFINITY;
  async function survey(): Promise<Survey> {
    const atMs = performance.now();
    surveyed = await subscriptions.survey();
    surveyedAtMs = atMs;
    return surveyed;
  }
  function refresh(): void {
    surveyedAtMs = Number.NEGATIVE_INFINITY;
  }

  let leasable = new Set<string>();
  async function makeLeasable(ids: string[]): Promise<void> {
    if (ids.some((id) => !leasable.has(id))) await addSubscriptions(db.pool, ids);
    leasable = new Set(ids);
  }

  const working = new Map<string, Promise<AttemptCounts | undefined>>();
  function track(id: string, work: Promise<AttemptCounts>): Promise<AttemptCounts | undefined> {
    const settled = work.catch((error) => {
      log.warn({ subscription: id, reason: messageOf(error) }, 'sending to a webhook subscription failed');
      return undefined;
    });
    working.set(id, settled);
    metrics.workers.set(working.size);
    void settled.then(() => {
      working.delete(id);
      metrics.workers.set(working.size);
    });
    return settled;
  }

  return {
    networks: options.networks,
    refresh,
    async fanOut(network) {
      const fanned = await fanOut(db.pool, network, {
        survey,
        mayLose: options.mayLoseSubscriptions ?? false,
      });
      reportMissing(network, fanned.missing);
      metrics.events.inc({ network }, fanned.events);
      return fanned;
    },
    async claim(networks, goOn) {
      if (performance.now() - surveyedAtMs > listMsMax) await survey();
      const receivers = receiversOf(surveyed.subscriptions);
      await makeLeasable([...receivers.keys()]);
      const limit = workersMax - working.size;
      if (limit <= 0) return [];
      const claimedAtMs = performance.now();
      const { lease, leaseMs } = worker;
      const free = [...receivers.keys()].filter((id) => !working.has(id));
      const claimed = await claimSubscriptions(db.pool, {
        subscriptions: free,
        networks,
        lease,
        leaseMs,
        limit,
      });
      const inSlot = () => goOn() && performance.now() - claimedAtMs < slotMs;
      return claimed.map((id) => {
        const slot = { receiver: receivers.get(id)!, networks, claimedAtMs, goOn: inSlot };
        return track(id, runWorker(worker, slot));
      });
    },
    async close() {
      await Promise.allSettled(working.values());
      await recorder.close();
    },
  };
}

/**
 * Makes receivers of the active subscriptions. One whose secret cannot be opened receives nothing rather than something
 * unsigned; the log says so once.
 */
function receiverFactory(secrets: SecretBox | undefined, log: Logger, metrics: DispatcherMetrics) {
  /** By sealed secret; of the subscriptions of the last call alone. */
  let opened = new Map<string, SigningKeys | undefined>();

  function open(id: string, sealed: string): SigningKeys | undefined {
    const secret = secrets?.open(sealed, id);
    if (secret !== undefined) return signingKeys(secret);
    const reason = secrets
      ? 'its secret was sealed under another MARKETPLACE_ADMIN_SECRET'
      : 'its secret cannot be opened without MARKETPLACE_ADMIN_SECRET';
    log.error(
      { subscription: id, reason },
      'a webhook subscription receives nothing until its secret is set again',
    );
    return undefined;
  }

  return (subscriptions: readonly Subscription[]): Map<string, Receiver> => {
    const current = new Map<string, SigningKeys | undefined>();
    const receivers = new Map<string, Receiver>();
    for (const { id, url, sealedSecret, state } of subscriptions) {
      if (state !== 'active') continue;
      if (sealedSecret === undefined) {
        receivers.set(id, { id, url, keys: undefined });
        continue;
      }
      const keys = opened.has(sealedSecret) ? opened.get(sealedSecret) : open(id, sealedSecret);
      current.set(sealedSecret, keys);
      if (keys) receivers.set(id, { id, url, keys });
    }
    opened = current;
    metrics.unreadableSecrets.set([...current.values()].filter((keys) => keys === undefined).length);
    return receivers;
  };
}

/** Ids in one log line. */
const loggedMax = 10;

/** Logs when the store has lost subscriptions, and when they are back. */
function missingReporter(log: Logger, metrics: DispatcherMetrics) {
  const reported = new Map<Network, number>();
  return (network: Network, missing: readonly string[]): void => {
    const before = reported.get(network) ?? 0;
    reported.set(network, missing.length);
    metrics.missing.set({ network }, missing.length);
    if (missing.length === before) return;
    if (missing.length === 0) {
      log.info({ network }, 'the webhook subscriptions are back; deliveries are written again');
      return;
    }
    log.error(
      { network, missing: missing.length, subscriptions: missing.slice(0, loggedMax) },
      'webhook subscriptions are missing from the key-value store: no deliveries are written until they are back. ' +
        'Restore the store; or accept the loss: npm run dispatch -- --forget-missing',
    );
  };
}

export interface FanOut {
  /** Registry events that the cursor has passed and that some subscription may match. */
  events: number;
  /** The cursor after this batch; null before the first event. */
  cursor: EventPosition | null;
  /** Whether more events wait that can be taken now. */
  more: boolean;
  /** Known subscriptions that the store has lost: the cursor waits for them. */
  missing: readonly string[];
}

interface SubscriptionReads {
  survey(): Promise<Survey>;
  /** True if the store loses subscriptions by design: in memory, they end with the process. */
  mayLose: boolean;
}

/** Events in one transaction, and about how many deliveries: those are sent while the next are written. */
const eventsMax = 200;
const deliveriesMax = 5_000;

/**
 * Writes a delivery for each registry event after the network's cursor and each active subscription to it, and moves
 * the cursor, in one transaction. A lock keeps other dispatchers out meanwhile.
 * The last stored event is read before the subscriptions, and a subscription is added under the same lock, so a
 * subscription that is not seen here was made after that event. If the store has lost subscriptions, as one that came
 * back empty, the cursor waits: otherwise it would pass events that they match.
 */
async function fanOut(
  pool: Database['pool'],
  network: Network,
  { survey, mayLose }: SubscriptionReads,
): Promise<FanOut> {
  return await inTransaction(pool, async (client) => {
    await lockFanOut(client, network, 'exclusive');
    const { head, cursor } = await readFanOut(client, network);
    const unmoved = { events: 0, cursor, more: false };
    if (!head) return { ...unmoved, missing: [] };

    const { subscriptions, present } = await survey();
    const missing = mayLose ? [] : await missingSubscriptions(client, present);
    if (missing.length > 0) return { ...unmoved, missing };
    const active = subscriptions.filter(({ state }) => state === 'active');
    const matching = active.map(({ id, events, after }) => ({
      id,
      events,
      after: after[network],
    }));
    const written = await writeDeliveries(client, {
      network,
      cursor,
      head,
      eventsMax: Math.max(1, Math.min(eventsMax, Math.floor(deliveriesMax / matching.length))),
      matching,
    });
    return { ...written, missing };
  });
}

/** The dispatcher's Prometheus metrics. */
function dispatcherMetrics(registry: Registry) {
  const registers = [registry];
  return {
    events: new Counter({
      name: 'webhook_events_total',
      help: 'Registry events whose deliveries were written.',
      labelNames: ['network'],
      registers,
    }),
    attempts: new Counter({
      name: 'webhook_attempts_total',
      help: 'Attempts to send an event, by how they ended.',
      labelNames: ['outcome'],
      registers,
    }),
    duration: new Histogram({
      name: 'webhook_attempt_duration_seconds',
      help: 'Time of one exchange with a receiver.',
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
    workers: new Gauge({
      name: 'webhook_subscriptions_held',
      help: 'Subscriptions that this process is sending to (its workers).',
      registers,
    }),
    missing: new Gauge({
      name: 'webhook_subscriptions_missing',
      help: 'Known subscriptions that the key-value store has lost; no deliveries are written until they are back.',
      labelNames: ['network'],
      registers,
    }),
    disabled: new Counter({
      name: 'webhook_subscriptions_disabled_total',
      help: 'Subscriptions disabled: gone (410) or failing for days.',
      labelNames: ['reason'],
      registers,
    }),
    unreadableSecrets: new Gauge({
      name: 'webhook_unreadable_secrets',
      help: 'Active subscriptions that receive nothing because their secret was sealed under another admin secret.',
      registers,
    }),
  };
}

type DispatcherMetrics = ReturnType<typeof dispatcherMetrics>;
