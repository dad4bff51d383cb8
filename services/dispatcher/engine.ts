import { hostname } from 'node:os';
import type { Network } from '@adaptor-marketplace/adaptor';
import type { Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import { beginning, formatPosition, isBefore } from '../../db/queries/registry-events.ts';
import { keepLogDays, removeOldDeliveries } from '../../db/queries/webhooks/attempts.ts';
import { countRetries } from '../../db/queries/webhooks/deliveries.ts';
import { readBacklogs, readPositions } from '../../db/queries/webhooks/positions.ts';
import { listStreams } from '../../db/queries/webhooks/streams.ts';
import {
  type Candidate,
  claimSubscriptions,
  readDueSubscriptions,
} from '../../db/queries/webhooks/subscriptions.ts';
import type { Logger } from '../../lib/log/index.ts';
import type { Outbound } from '../../lib/outbound/index.ts';
import type { SecretBox } from '../../lib/webhooks/signing.ts';
import type { Subscriptions } from '../../lib/webhooks/subscriptions.ts';
import { createRecorder, logDays, type Recorder, type RetryRules, retryRules } from './outcome.ts';
import {
  createDisabler,
  createDispatcherMetrics,
  createMissingReporter,
  createReceiverFactory,
  type DispatcherMetrics,
} from './receivers.ts';
import { Roster } from './roster.ts';
import { findLowest, StreamQueue } from './stream-queue.ts';
import type { AttemptCounts, Slot, WorkerOptions } from './worker.ts';
import { WorkerPool } from './worker-pool.ts';

export interface EngineOptions {
  db: Database;
  networks: readonly Network[];
  subscriptions: Subscriptions;
  /** `true` if the store loses subscriptions by design: in memory. Otherwise the dispatcher waits for them. */
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

export interface Progress {
  /**
   * Cursor of the first subscription that still has events of the registry to get, or of the last event; null before
   * the first.
   */
  cursor: string | null;
  /** Deliveries that are still to be sent, now or later; counts up to `pendingMax`. */
  pending: number;
  /** Number of known subscriptions that the store has lost. They receive nothing. */
  missing: number;
}

/** Time for which a worker sends to one subscription before another gets its slot, and before a pause is noticed. */
const slotMs = 2_000;
/** Maximum number of pending deliveries that are counted. */
const pendingMax = 10_000;
const timeoutDefaultMs = 15_000;
const leaseDefaultMs = 45_000;

/** The operations of a dispatcher, for one run and for following the index. */
export class Engine {
  readonly networks: readonly Network[];
  readonly #db: Database;
  readonly #metrics: DispatcherMetrics;
  /** In the order of the networks, by the key of the stream. */
  readonly #queues: ReadonlyMap<string, StreamQueue>;
  readonly #roster: Roster;
  readonly #recorder: Recorder;
  readonly #worker: WorkerOptions;
  readonly #workers: WorkerPool;

  constructor(options: EngineOptions) {
    const { db, log, networks, subscriptions, rules = retryRules, timeoutMs = timeoutDefaultMs } = options;
    const metrics = createDispatcherMetrics(options.metrics);
    const queues = networks.flatMap(listStreams).map((stream) => new StreamQueue(db.pool, stream));
    const failingMs = rules.disableAfterMs;
    const disable = createDisabler({ db, subscriptions, log, failingMs }, metrics, () => this.refresh());
    this.networks = networks;
    this.#db = db;
    this.#metrics = metrics;
    this.#queues = new Map(queues.map((queue) => [queue.stream.key, queue]));
    this.#roster = new Roster({
      pool: db.pool,
      sessions: db.sessions,
      store: subscriptions,
      networks,
      queues,
      mayLoseSubscriptions: options.mayLoseSubscriptions ?? false,
      openReceivers: createReceiverFactory(options.secrets, log, metrics),
      reportMissing: createMissingReporter(log, metrics),
    });
    this.#recorder = createRecorder({
      pool: db.pool,
      log,
      failingMs,
      onFailing: async (id) => void (await disable(id, { reason: 'failing' })),
    });
    this.#worker = {
      db: db.pool,
      outbound: options.outbound,
      feeds: new Map(queues.map(({ stream, feed }) => [stream.key, feed])),
      recorder: this.#recorder,
      rules,
      timeoutMs,
      lease: `${hostname()}/${process.pid}/${crypto.randomUUID()}`,
      leaseMs: options.leaseMs ?? leaseDefaultMs,
      onEnded({ outcome, durationMs }) {
        metrics.attempts.inc({ outcome });
        metrics.duration.observe(durationMs / 1000);
      },
      onGone: ({ id, url }) => disable(id, { reason: 'gone', url }),
    };
    this.#workers = new WorkerPool(this.#worker, log, metrics.workers);
  }

  /** Looks for changes of the subscriptions in the store before the next events and the next claim. */
  refresh(): void {
    this.#roster.refresh();
  }

  /** Reads the network's next events, and finds the subscriptions that match them. `more`: further events wait. */
  async advance(network: Network): Promise<{ events: number; more: boolean }> {
    await this.#roster.update();
    const total = { events: 0, more: false };
    for (const queue of this.#listQueues([network])) {
      if (!queue.feed.isOpen) continue;
      const { events, more } = await queue.advance(this.#roster);
      total.events += events;
      total.more ||= more;
    }
    this.#metrics.events.inc({ network }, total.events);
    return total;
  }

  #listQueues(networks: readonly Network[]): StreamQueue[] {
    return networks.flatMap(listStreams).map(({ key }) => this.#queues.get(key)!);
  }

  /** Leases free subscriptions with something due and starts a worker for each; undefined from one that failed. */
  async claim(
    networks: readonly Network[],
    goOn: () => boolean,
  ): Promise<Promise<AttemptCounts | undefined>[]> {
    await this.#roster.update();
    const limit = this.#workers.room;
    if (limit <= 0) return [];
    const queues = this.#listQueues(networks);
    const streams = queues.map(({ stream }) => stream.key);
    const isFree = (id: string) => this.#roster.receivers.has(id) && !this.#workers.has(id);
    const candidates = queues.flatMap(({ stream, ready }) =>
      [...ready].flatMap(([subscription, position]) =>
        isFree(subscription) ? [{ subscription, stream: stream.key, position }] : [],
      ),
    );
    const { pool } = this.#db;
    const due = new Set((await readDueSubscriptions(pool, streams)).filter(isFree));
    if (candidates.length === 0 && due.size === 0) return [];
    const claimedAtMs = performance.now();
    const { lease, leaseMs } = this.#worker;
    const { claimed, held, passed } = await claimSubscriptions(pool, {
      candidates,
      due: [...due],
      lease,
      leaseMs,
      limit,
    });
    this.#removePassed(candidates, passed);
    if (claimed.length === 0) return [];
    const releaseAll = (ids: readonly string[]) => Promise.all(ids.map((id) => this.#workers.release(id)));
    const rows = await readPositions(pool, claimed).catch(async (error) => {
      await releaseAll(claimed);
      throw error;
    });
    const positions = Map.groupBy(rows, (row) => row.subscription);
    // Another call may have read the roster again meanwhile, without a subscription that was paused or deleted.
    const released = releaseAll(claimed.filter((id) => !this.#roster.receivers.has(id)));
    const workers = claimed.flatMap((id) => {
      for (const { ready } of queues) ready.delete(id);
      const receiver = this.#roster.receivers.get(id);
      if (!receiver) return [];
      const inSlot = () =>
        goOn() && this.#roster.receivers.get(id) === receiver && performance.now() - claimedAtMs < slotMs;
      const slot: Slot = {
        receiver,
        positions: (positions.get(id) ?? []).filter((row) => streams.includes(row.stream)),
        due: due.has(id),
        isHeld: held.has(id),
        claimedAtMs,
        goOn: inSlot,
      };
      return this.#workers.start(slot, queues);
    });
    await released;
    return workers;
  }

  /** Removes candidates without events to get. A position that changed during the claim is that of a newer event. */
  #removePassed(
    candidates: readonly Candidate[],
    passed: readonly Pick<Candidate, 'subscription' | 'stream'>[],
  ) {
    const getKey = ({ stream, subscription }: Pick<Candidate, 'subscription' | 'stream'>) =>
      `${stream}/${subscription}`;
    const keys = new Set(passed.map(getKey));
    for (const candidate of candidates) {
      const { ready } = this.#queues.get(candidate.stream)!;
      const { subscription, position } = candidate;
      if (keys.has(getKey(candidate)) && ready.get(subscription) === position) ready.delete(subscription);
    }
  }

  async progress(network: Network): Promise<Progress> {
    const { pool } = this.#db;
    const { missing, waiting } = this.#roster;
    const ready = this.#listQueues([network]).flatMap((queue) => [...queue.ready.keys()]);
    const behind = [...new Set([...ready, ...this.#workers.subscriptions, ...waiting])];
    const backlogs = await readBacklogs(pool, behind, pendingMax);
    const [registry, service] = listStreams(network);
    const registryBacklogs = backlogs.filter(({ stream }) => stream === registry.key);
    const serviceBacklogs = backlogs.filter(({ stream }) => stream === service.key);
    const cursor = await findLowest(pool, registry, registryBacklogs);
    const pending = [...registryBacklogs, ...serviceBacklogs].reduce(
      (sum, { events }) => sum + events,
      await countRetries(pool, network, pendingMax),
    );
    return {
      cursor: cursor && isBefore(beginning, cursor) ? formatPosition(cursor) : null,
      pending: Math.min(pending, pendingMax),
      missing: missing.length,
    };
  }

  /** Removes old deliveries and log entries, and advances the positions of idle subscriptions. Call it now and then. */
  async tidy(): Promise<void> {
    const { pool } = this.#db;
    await keepLogDays(pool, logDays);
    await removeOldDeliveries(pool, logDays);
    await this.#workers.trimLogs();
    for (const queue of this.#queues.values()) await queue.moveIdle([...this.#roster.receivers.keys()]);
  }

  /** Waits for the exchanges of the workers, and stores their results if the database accepts them now. */
  async close(): Promise<void> {
    // A worker ends when its results are stored. The recorder must not retry meanwhile, or neither would end.
    await Promise.all([this.#recorder.close(), this.#workers.ended()]);
  }
}
