import { hostname } from 'node:os';
import { getErrorMessage, type Network } from '@adaptor-marketplace/adaptor';
import type { Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import {
  beginning,
  formatPosition,
  isBefore,
  type Position,
  pickEarlier,
} from '../../db/queries/registry-events.ts';
import { keepLogDays, removeOldDeliveries, trimLog } from '../../db/queries/webhooks/attempts.ts';
import { countRetries } from '../../db/queries/webhooks/deliveries.ts';
import {
  asksFor,
  changeFilter,
  lastEventPositions,
  moveIdlePositions,
  positionBefore,
  readBacklogs,
  readPositions,
  startPositions,
} from '../../db/queries/webhooks/positions.ts';
import {
  claimSubscriptions,
  confirmSubscriptions,
  forgetMissingSubscriptions,
  holdSubscription,
  markLost,
  readDueSubscriptions,
  readKnownSubscriptions,
} from '../../db/queries/webhooks/subscriptions.ts';
import { transact } from '../../db/transaction.ts';
import { singleFlight } from '../../lib/concurrency/single-flight.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { Outbound } from '../../lib/outbound/index.ts';
import type { SecretBox } from '../../lib/webhooks/signing.ts';
import {
  type Subscription,
  type Subscriptions,
  toFilter,
  webhookEvents,
} from '../../lib/webhooks/subscriptions.ts';
import { Feed } from './feed.ts';
import { createRecorder, logDays, type RetryRules, retryRules } from './outcome.ts';
import { disabler, dispatcherMetrics, missingReporter, receiverFactory } from './receivers.ts';
import {
  type AttemptCounts,
  createReleaser,
  type Receiver,
  runWorker,
  type WorkerOptions,
} from './worker.ts';

export interface EngineOptions {
  db: Database;
  networks: readonly Network[];
  subscriptions: Subscriptions;
  /**
   * `true` if the store loses subscriptions by design: in memory, they end with the process. Otherwise the dispatcher
   * waits for them.
   */
  mayLoseSubscriptions?: boolean;
  /** Undefined without an admin secret: subscriptions with a signing secret then receive nothing. */
  secrets: SecretBox | undefined;
  /** Must not limit the sockets per host: a slow subscriber would hold up others on the same host. */
  outbound: Pick<Outbound, 'postBytes'>;
  log: Logger;
  metrics: Registry;
  rules?: RetryRules;
  /** Maximum duration of one whole exchange with a receiver, in milliseconds. */
  timeoutMs?: number;
  /** Milliseconds after which another dispatcher takes over from one that crashed. */
  leaseMs?: number;
}

/** The operations of a dispatcher, for one run and for following the index. */
export interface Engine {
  networks: readonly Network[];
  /**
   * Reads the network's next events, and finds the subscriptions that match them.
   * @returns the number of events, and `true` in `more` if more wait
   */
  advance(network: Network): Promise<{ events: number; more: boolean }>;
  /** Looks for changes of the subscriptions in the store before the next events and the next claim. */
  refresh(): void;
  /**
   * Leases free subscriptions that have something due and starts a worker for each. One promise for each worker; it
   * resolves to undefined if the worker failed.
   */
  claim(networks: readonly Network[], goOn: () => boolean): Promise<Promise<AttemptCounts | undefined>[]>;
  progress(network: Network): Promise<Progress>;
  /** Removes old deliveries and log entries, and advances the positions of idle subscriptions. Call it now and then. */
  tidy(): Promise<void>;
  /** Waits for the workers, then stores what they sent. */
  close(): Promise<void>;
}

/** Progress of a network. */
export interface Progress {
  /** Cursor of the first subscription that still has events to get, or of the last event; null before the first. */
  cursor: string | null;
  /** Deliveries that are still to be sent, now or later; counts up to `pendingMax`. */
  pending: number;
  /** Number of known subscriptions that the store has lost. They receive nothing. */
  missing: number;
}

/**
 * Maximum number of workers at a time in one process, with at most two exchanges each. Most of the receivers may hang.
 */
const workersMax = 1_024;
/** Time for which a worker sends to one subscription before another gets its slot, and before a pause is noticed. */
const slotMs = 2_000;
/** Maximum time for which a change of a subscription may go unnoticed when workers start. */
const noticeMsMax = 1_000;
/**
 * Maximum age of the list of subscriptions if no change is noticed, provided that reading it takes at most a twentieth
 * of that.
 */
const listMsMax = 10_000;
const listShareMax = 20;
/** Maximum number of pending deliveries that are counted. */
const pendingMax = 10_000;
/** Maximum number of a subscription's deliveries that stay in the log. More may stay until `logSlack` were added. */
const logMax = 10_000;
const logSlack = 1_000;
const timeoutDefaultMs = 15_000;
const leaseDefaultMs = 45_000;

export function createEngine(options: EngineOptions): Engine {
  const { db, subscriptions, log, rules = retryRules, timeoutMs = timeoutDefaultMs } = options;
  const metrics = dispatcherMetrics(options.metrics);
  const createReceivers = receiverFactory(options.secrets, log, metrics);
  const reportMissing = missingReporter(log, metrics);

  const disable = disabler(options, metrics, () => refresh());

  const feeds = new Map(options.networks.map((network) => [network as string, new Feed(db.pool, network)]));
  const recorder = createRecorder({
    pool: db.pool,
    log,
    failingMs: rules.disableAfterMs,
    onFailing: (id) => disable(id, 'failing'),
  });
  const worker: WorkerOptions = {
    db: db.pool,
    outbound: options.outbound,
    feeds,
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

  let records = new Map<string, Subscription>();
  let receivers: ReadonlyMap<string, Receiver> = new Map();
  let byEvent: ReadonlyMap<string, readonly string[]> = new Map();
  let missing: readonly string[] = [];
  /**
   * Known subscriptions that receive nothing now, but may have deliveries left: paused, lost, or with an unreadable
   * secret.
   */
  let waiting: readonly string[] = [];
  let readAgainAtMs = Number.NEGATIVE_INFINITY;
  let refreshes = 0;
  function refresh(): void {
    refreshes += 1;
    readAgainAtMs = Number.NEGATIVE_INFINITY;
  }
  const surveys = singleFlight(survey);
  async function surveyIfDue(): Promise<void> {
    while (performance.now() >= readAgainAtMs) await surveys.run();
  }

  /** Subscriptions with an event to get, by network: the position of the last event that may match. */
  const ready = new Map(options.networks.map((network) => [network as string, new Map<string, Position>()]));

  /** Version of the list of subscriptions that was read last; undefined if it must be read again. */
  let version: string | undefined;
  let listEndsAtMs = 0;

  async function survey(): Promise<void> {
    const refreshesBefore = refreshes;
    const present = await subscriptions.version();
    // While some are missing, they may return or be removed without another version.
    const changed = present === undefined || present !== version || missing.length > 0;
    if (changed || performance.now() >= listEndsAtMs) {
      version = undefined;
      const startedAtMs = performance.now();
      await surveyAll();
      const endedAtMs = performance.now();
      listEndsAtMs = endedAtMs + Math.max(listMsMax, (endedAtMs - startedAtMs) * listShareMax);
      version = present;
    }
    if (refreshes === refreshesBefore) readAgainAtMs = performance.now() + noticeMsMax;
  }

  async function surveyAll(): Promise<void> {
    const [{ subscriptions: all, present }, known] = await Promise.all([
      subscriptions.survey(),
      readKnownSubscriptions(db.pool),
    ]);
    const removed = new Set(known.flatMap((one) => (one.removed ? [one.subscription] : [])));
    const fine = new Set(known.flatMap((one) => (one.confirmed && !one.lost ? [one.subscription] : [])));
    const toConfirm = [...present].filter((id) => !removed.has(id) && !fine.has(id));
    if (toConfirm.length > 0) await confirmSubscriptions(db.pool, toConfirm);
    const lost = known.filter((one) => one.confirmed && !one.removed && !present.has(one.subscription));
    if (lost.length > 0 && options.mayLoseSubscriptions) await forgetMissingSubscriptions(db.pool, present);
    else if (lost.some((one) => !one.lost)) {
      const ids = lost.map(({ subscription }) => subscription);
      await markLost(db.pool, ids);
    }
    missing = options.mayLoseSubscriptions ? [] : lost.map(({ subscription }) => subscription);
    reportMissing(missing);

    // A deleted subscription stays deleted, even if an older copy of the store has it.
    const current = all.filter(({ id }) => !removed.has(id));
    receivers = createReceivers(current);
    const active = current.filter(({ id }) => receivers.has(id));
    byEvent = new Map(
      webhookEvents.map((name) => [
        name,
        active.flatMap(({ id, events }) => (events.includes(name) ? [id] : [])),
      ]),
    );
    waiting = [...missing, ...current.flatMap(({ id }) => (receivers.has(id) ? [] : [id]))];
    await look(current.filter((one) => records.get(one.id) !== one));
    records = new Map(current.map((one) => [one.id, one]));
  }

  /** Finds the pending events of new and changed subscriptions, and updates their rows to match the store. */
  async function look(changed: readonly Subscription[]): Promise<void> {
    const read = async (ids: string[]) =>
      Map.groupBy(await readPositions(db.pool, ids), (row) => row.subscription);
    let rows = await read(changed.map(({ id }) => id));
    const differing = changed.filter((one) => {
      const own = rows.get(one.id) ?? [];
      const complete = options.networks.every((network) => own.some((row) => row.network === network));
      return !complete || !asksFor(own, toFilter(one).events);
    });
    for (const { id } of differing) await align(id);
    if (differing.length > 0) rows = await read(changed.map(({ id }) => id));

    const positions = changed.flatMap(({ id }) => (receivers.has(id) ? (rows.get(id) ?? []) : []));
    for (const network of options.networks) {
      const own = positions.filter((row) => row.network === network);
      const feed = feeds.get(network)!;
      if (!feed.isOpen) {
        const [first, ...others] = own.map(({ position }) => position);
        // Without subscriptions, no one receives what was stored before.
        const lowest = first
          ? others.reduce(pickEarlier, first)
          : (await lastEventPositions(db.pool)).get(network);
        if (lowest) unread.set(network, (unread.get(network) ?? 0) + (await feed.open(lowest)));
      }
      for (const row of own) {
        const last = feed.lastMatch(row);
        if (last) ready.get(network)!.set(row.subscription, last);
      }
    }
  }
  /** Events that were read when a feed was opened, until they are reported. */
  const unread = new Map<Network, number>();

  /** Updates the rows of a subscription to match the store, for example after a change that was interrupted. */
  async function align(id: string): Promise<void> {
    await holdSubscription(db.pool, id, async (client) => {
      const record = await subscriptions.find(id);
      if (!record) return;
      const filter = toFilter(record);
      const own = await readPositions(client, [id]);
      for (const network of options.networks) {
        if (own.some((row) => row.network === network)) continue;
        const start = record.after?.[network] ?? (await positionBefore(client, network, record.createdMs));
        await startPositions(client, id, filter.events, [[network, start]]);
      }
      await transact(client, () => changeFilter(client, filter));
    });
  }

  const release = createReleaser(worker, log);
  const working = new Map<string, Promise<AttemptCounts | undefined>>();
  /** Entries that each subscription may have added to the log since it was trimmed. */
  const logged = new Map<string, number>();
  function track(id: string, networks: readonly Network[], work: Promise<AttemptCounts>) {
    const settled = work.then(
      (counts) => {
        logged.set(id, (logged.get(id) ?? 0) + counts.delivered + counts.failed);
        if (counts.rest) for (const network of networks) ready.get(network)!.set(id, feeds.get(network)!.to);
        return counts;
      },
      (error) => {
        log.warn(
          { subscription: id, reason: getErrorMessage(error) },
          'sending to a webhook subscription failed',
        );
        for (const network of networks) ready.get(network)!.set(id, feeds.get(network)!.to);
        return undefined;
      },
    );
    working.set(id, settled);
    metrics.workers.set(working.size);
    const released = settled.then(async (counts) => {
      await release(id);
      working.delete(id);
      metrics.workers.set(working.size);
      return counts;
    });
    return released;
  }

  return {
    networks: options.networks,
    refresh,
    async advance(network) {
      await surveyIfDue();
      const feed = feeds.get(network)!;
      if (!feed.isOpen) return { events: 0, more: false };
      const { events, more } = await feed.advance();
      const last = new Map(events.map(({ event, position }) => [event, position]));
      for (const [name, position] of last) {
        for (const id of byEvent.get(name) ?? []) ready.get(network)!.set(id, position);
      }
      const count = events.length + (unread.get(network) ?? 0);
      unread.delete(network);
      metrics.events.inc({ network }, count);
      return { events: count, more };
    },
    async claim(networks, goOn) {
      await surveyIfDue();
      const limit = workersMax - working.size;
      if (limit <= 0) return [];
      const isFree = (id: string) => receivers.has(id) && !working.has(id);
      const candidates = networks.flatMap((network) =>
        [...ready.get(network)!].flatMap(([subscription, position]) =>
          isFree(subscription) ? [{ subscription, network, position }] : [],
        ),
      );
      const due = new Set((await readDueSubscriptions(db.pool, networks)).filter(isFree));
      if (candidates.length === 0 && due.size === 0) return [];
      const claimedAtMs = performance.now();
      const { lease, leaseMs } = worker;
      const chosen = { candidates, due: [...due], lease, leaseMs, limit };
      const { claimed, passed } = await claimSubscriptions(db.pool, chosen);
      for (const { subscription, network } of passed) ready.get(network)!.delete(subscription);
      if (claimed.length === 0) return [];
      const positions = Map.groupBy(await readPositions(db.pool, claimed), (row) => row.subscription);
      return claimed.map((id) => {
        for (const network of networks) ready.get(network)!.delete(id);
        const receiver = receivers.get(id)!;
        const own = (positions.get(id) ?? []).filter((row) =>
          (networks as readonly string[]).includes(row.network),
        );
        // A receiver is replaced when its subscription changes.
        const inSlot = () =>
          goOn() && receivers.get(id) === receiver && performance.now() - claimedAtMs < slotMs;
        const slot = { receiver, positions: own, due: due.has(id), claimedAtMs, goOn: inSlot };
        return track(id, networks, runWorker(worker, slot));
      });
    },
    async progress(network) {
      const behind = [...ready.get(network)!.keys(), ...working.keys(), ...waiting];
      const backlogs = await readBacklogs(db.pool, behind, pendingMax);
      const own = backlogs.filter((one) => one.network === network);
      const [first, ...others] = own.map(({ position }) => position);
      const cursor = first
        ? others.reduce(pickEarlier, first)
        : (await lastEventPositions(db.pool)).get(network);
      const pending = own.reduce(
        (sum, { events }) => sum + events,
        await countRetries(db.pool, network, pendingMax),
      );
      return {
        cursor: cursor && isBefore(beginning, cursor) ? formatPosition(cursor) : null,
        pending: Math.min(pending, pendingMax),
        missing: missing.length,
      };
    },
    async tidy() {
      await keepLogDays(db.pool, logDays);
      await removeOldDeliveries(db.pool, logDays);
      const grown = [...logged].flatMap(([id, count]) => (count >= logSlack ? [id] : []));
      if (grown.length > 0) await trimLog(db.pool, grown, logMax);
      for (const id of grown) logged.delete(id);
      for (const network of options.networks) {
        const feed = feeds.get(network)!;
        const to = feed.from;
        const idle = (await readPositions(db.pool, [...receivers.keys()])).filter(
          (row) => row.network === network && row.segments.length === 1 && !feed.lastMatch(row),
        );
        if (feed.isOpen && idle.length > 0) await moveIdlePositions(db.pool, idle, to);
      }
    },
    async close() {
      await Promise.allSettled(working.values());
      await recorder.close();
    },
  };
}
