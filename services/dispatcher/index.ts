import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { messageOf } from '@adaptor-marketplace/adaptor/error-message';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { Outbound } from '../../lib/outbound/index.ts';
import type { SecretBox } from '../../lib/webhooks/secrets.ts';
import type { Subscriptions, Survey } from '../../lib/webhooks/subscriptions.ts';
import { fanOut } from './fan-out.ts';
import { follow } from './follow.ts';
import { type LaneCounts, type LaneOptions, workLane } from './lane.ts';
import { claimLanes, ensureLanes } from './lanes.ts';
import { messagesFrom } from './messages.ts';
import { dispatcherMetrics } from './metrics.ts';
import { missingTeller } from './missing.ts';
import { type DispatchReport, dispatchOnce } from './once.ts';
import { openReceivers } from './receivers.ts';
import { createRecorder } from './record.ts';
import { type RetryRules, retryRules } from './retry.ts';

export type { DispatchReport } from './once.ts';

export interface DispatcherOptions {
  db: Database;
  networks: readonly Network[];
  subscriptions: Subscriptions;
  /** Whether their store is made to lose them: in memory, they end with the process. Else the cursor waits for them. */
  mayLoseSubscriptions?: boolean;
  /** Absent where the host has no admin secret: what is signed is then not sent. */
  secrets: SecretBox | undefined;
  /** Bounds no sockets by itself. */
  outbound: Pick<Outbound, 'postBytes'>;
  log: Logger;
  metrics: Registry;
  rules?: RetryRules;
  /** Milliseconds of one whole exchange with a receiver. */
  timeoutMs?: number;
  /** Milliseconds after which another dispatcher takes over from one that ended without a word. */
  leaseMs?: number;
  /** Milliseconds between two looks that nothing asked for: they find retries that have become due. */
  pollMs?: number;
}

export interface Dispatcher {
  /** Writes the network's deliveries, then sends what is due until nothing is or the time is over. */
  dispatch(network: Network, budgetMs?: number): Promise<DispatchReport>;
  /** Does so for all networks whenever there is something to do, until closed. */
  start(): void;
  /** Lets exchanges under way end. */
  close(): Promise<void>;
}

/** The parts of a dispatcher that its two ways to run share. */
export interface Engine {
  networks: readonly Network[];
  fanOut(network: Network): ReturnType<typeof fanOut>;
  /** Has the subscriptions read anew before the next claim. */
  refresh(): void;
  /**
   * Takes free subscriptions that have something due, and works each for its turn; one promise for each, which
   * resolves to undefined where that broke off.
   */
  claim(networks: readonly Network[], goOn: () => boolean): Promise<Promise<LaneCounts | undefined>[]>;
}

/** Subscriptions that one process sends to at a time, by at most two exchanges each; most of them may hang. */
const lanesMax = 1_024;
/** For how long one subscription is sent to before others get its place, and before it is known to be paused. */
const turnMs = 2_000;
/** How old the list of subscriptions may be, where a delivery is not written by it. */
const listMsMax = 1_000;
const timeoutDefaultMs = 15_000;
const leaseDefaultMs = 45_000;
const budgetDefaultMs = 10_000;
const pollDefaultMs = 1_000;

/** Webhooks: registry events become deliveries, deliveries become requests to the subscribers' urls. */
export function createDispatcher(options: DispatcherOptions): Dispatcher {
  const { db, subscriptions, log, rules = retryRules, timeoutMs = timeoutDefaultMs } = options;
  const metrics = dispatcherMetrics(options.metrics);
  const receiversOf = openReceivers(options.secrets, log, metrics);

  async function disable(id: string, reason: 'gone' | 'failing'): Promise<void> {
    try {
      await disableNow(id, reason);
    } catch (error) {
      // The store may be out; the next failure asks again.
      log.warn({ subscription: id, reason: messageOf(error) }, 'cannot disable a webhook subscription');
    }
  }

  async function disableNow(id: string, reason: 'gone' | 'failing'): Promise<void> {
    const changed = await subscriptions.change(id, (subscription) => {
      return subscription.state === 'active'
        ? { ...subscription, state: 'disabled', disabledReason: reason }
        : subscription;
    });
    engine.refresh();
    if (changed?.disabledReason !== reason) return;
    metrics.disabled.inc({ reason });
    log.warn({ subscription: id, reason }, 'disabled a webhook subscription');
  }

  const recorder = createRecorder({
    pool: db.pool,
    log,
    failingMs: rules.disableAfterMs,
    onFailing: (id) => disable(id, 'failing'),
  });
  const lane: LaneOptions = {
    pool: db.pool,
    outbound: options.outbound,
    messages: messagesFrom(db.pool),
    recorder,
    metrics,
    rules,
    timeoutMs,
    lease: `${hostname()}/${process.pid}/${randomUUID()}`,
    leaseMs: options.leaseMs ?? leaseDefaultMs,
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

  const reads = { survey, mayLose: options.mayLoseSubscriptions ?? false };
  const tellMissing = missingTeller(log, metrics);

  let known = new Set<string>();
  async function makeLanes(ids: string[]): Promise<void> {
    if (ids.some((id) => !known.has(id))) await ensureLanes(db.pool, ids);
    known = new Set(ids);
  }

  const working = new Map<string, Promise<LaneCounts | undefined>>();
  const engine: Engine = {
    networks: options.networks,
    fanOut: async (network) => {
      const fanned = await fanOut(db.pool, network, reads);
      tellMissing(network, fanned.missing);
      metrics.events.inc({ network }, fanned.events);
      return fanned;
    },
    refresh: () => {
      surveyedAtMs = Number.NEGATIVE_INFINITY;
    },
    async claim(networks, goOn) {
      if (performance.now() - surveyedAtMs > listMsMax) await survey();
      const receivers = receiversOf(surveyed.subscriptions);
      await makeLanes([...receivers.keys()]);
      const limit = lanesMax - working.size;
      if (limit <= 0) return [];
      const claimedAtMs = performance.now();
      const { lease, leaseMs } = lane;
      const free = [...receivers.keys()].filter((id) => !working.has(id));
      const claimed = await claimLanes(db.pool, { subscriptions: free, networks, lease, leaseMs, limit });
      const inTurn = () => goOn() && performance.now() - claimedAtMs < turnMs;
      return claimed.map((id) => {
        const turn = { receiver: receivers.get(id)!, networks, claimedAtMs, goOn: inTurn };
        const work = workLane(lane, turn).catch((error) => {
          log.warn({ subscription: id, reason: messageOf(error) }, 'broke off sending to a subscription');
          return undefined;
        });
        working.set(id, work);
        metrics.lanes.set(working.size);
        void work.then(() => {
          working.delete(id);
          metrics.lanes.set(working.size);
        });
        return work;
      });
    },
  };

  const stop = new AbortController();
  let following: Promise<void> | undefined;
  const dispatches = new Set<Promise<unknown>>();
  return {
    dispatch(network, budgetMs = budgetDefaultMs) {
      const report = dispatchOnce(engine, db.pool, { network, budgetMs, stop: stop.signal });
      dispatches.add(report);
      const forget = () => dispatches.delete(report);
      report.then(forget, forget);
      return report;
    },
    start() {
      following ??= follow(engine, { db, log, pollMs: options.pollMs ?? pollDefaultMs, stop: stop.signal });
    },
    async close() {
      stop.abort();
      await following;
      await Promise.allSettled([...dispatches, ...working.values()]);
      await recorder.close();
    },
  };
}
