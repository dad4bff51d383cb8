import type { Network } from '@adaptor-marketplace/adaptor';
import type { Pool } from 'pg';
import {
  confirmSubscriptions,
  forgetMissingSubscriptions,
  markLost,
  readKnownSubscriptions,
  type SubscriptionState,
} from '../../db/queries/webhooks/subscriptions.ts';
import { createSingleFlight } from '../../lib/concurrency/single-flight.ts';
import { type Subscription, type Subscriptions, webhookEvents } from '../../lib/webhooks/subscriptions.ts';
import { alignPositions } from './align-positions.ts';
import type { Receiver } from './send.ts';
import type { StreamQueue } from './stream-queue.ts';

/** Maximum time for which a change of a subscription may go unnoticed when workers start. */
const noticeMsMax = 1_000;
/** Maximum age of an unchanged list of subscriptions, if reading it takes at most a twentieth of that. */
const listMsMax = 10_000;
const listShareMax = 20;

interface RosterOptions {
  pool: Pool;
  /** Connections that keep their session. */
  sessions: Pool;
  store: Subscriptions;
  networks: readonly Network[];
  /** Queues to which new and changed subscriptions are added. */
  queues: readonly StreamQueue[];
  mayLoseSubscriptions: boolean;
  openReceivers(subscriptions: readonly Subscription[]): ReadonlyMap<string, Receiver>;
  reportMissing(ids: readonly string[]): void;
}

/** The subscriptions of the store, read again when they may have changed. */
export class Roster {
  /** Receivers of the active subscriptions, by id. A receiver is replaced when its subscription changes. */
  receivers: ReadonlyMap<string, Receiver> = new Map();
  /** Ids of the active subscriptions to each event. */
  byEvent: ReadonlyMap<string, readonly string[]> = new Map();
  /** Ids of the known subscriptions that the store has lost. */
  missing: readonly string[] = [];
  /** Known subscriptions without a receiver that may have deliveries left: paused, lost, unreadable secret. */
  waiting: readonly string[] = [];
  readonly #options: RosterOptions;
  readonly #surveys = createSingleFlight(() => this.#survey());
  #records = new Map<string, Subscription>();
  #readAgainAtMs = Number.NEGATIVE_INFINITY;
  #refreshes = 0;
  /** Version of the list of subscriptions that was read last; undefined if it must be read again. */
  #version: string | undefined;
  #listEndsAtMs = 0;

  constructor(options: RosterOptions) {
    this.#options = options;
  }

  /** Lets the next `update` look for changes in the store. */
  refresh(): void {
    this.#refreshes += 1;
    this.#readAgainAtMs = Number.NEGATIVE_INFINITY;
  }

  /** Reads the store again if it may have changed. */
  async update(): Promise<void> {
    while (performance.now() >= this.#readAgainAtMs) await this.#surveys.run();
  }

  async #survey(): Promise<void> {
    const refreshesBefore = this.#refreshes;
    const version = await this.#options.store.version();
    // Missing subscriptions may return or be removed without a change of the version.
    const changed = version === undefined || version !== this.#version || this.missing.length > 0;
    if (changed || performance.now() >= this.#listEndsAtMs) {
      this.#version = undefined;
      const startedAtMs = performance.now();
      await this.#readAll();
      const endedAtMs = performance.now();
      this.#listEndsAtMs = endedAtMs + Math.max(listMsMax, (endedAtMs - startedAtMs) * listShareMax);
      this.#version = version;
    }
    if (this.#refreshes === refreshesBefore) this.#readAgainAtMs = performance.now() + noticeMsMax;
  }

  async #readAll(): Promise<void> {
    const { pool, store, openReceivers, reportMissing } = this.#options;
    // In this order: a subscription that is added meanwhile must not count as missing.
    const known = await readKnownSubscriptions(pool);
    const { subscriptions, present } = await store.survey();
    this.missing = await this.#reconcile(known, present);
    reportMissing(this.missing);

    // A deleted subscription stays deleted, even if an older copy of the store has it.
    const removed = new Set(known.flatMap((one) => (one.removed ? [one.subscription] : [])));
    // Its removal is completed then, before the database forgets it. If that fails, the next survey tries again.
    for (const id of removed.intersection(present)) await store.remove(id).catch(() => undefined);
    const current = subscriptions.filter(({ id }) => !removed.has(id));
    const receivers = openReceivers(current);
    this.receivers = receivers;
    const active = current.filter(({ id }) => receivers.has(id));
    this.byEvent = new Map(
      webhookEvents.map((name) => [
        name,
        active.flatMap(({ id, events }) => (events.includes(name) ? [id] : [])),
      ]),
    );
    const inactive = current.flatMap(({ id }) => (receivers.has(id) ? [] : [id]));
    this.waiting = [...this.missing, ...inactive];
    const waiting = await this.#enqueue(current.filter((one) => this.#records.get(one.id) !== one));
    // One that waits for a source is looked at again.
    this.#records = new Map(current.flatMap((one) => (waiting.has(one.id) ? [] : [[one.id, one]])));
  }

  /** Records which of the known subscriptions the store has. Returns those that it has lost. */
  async #reconcile(
    known: readonly SubscriptionState[],
    present: ReadonlySet<string>,
  ): Promise<readonly string[]> {
    const { pool, mayLoseSubscriptions } = this.#options;
    const settled = new Set(
      known.flatMap((one) => (one.removed || (one.confirmed && !one.lost) ? [one.subscription] : [])),
    );
    const toConfirm = [...present].filter((id) => !settled.has(id));
    if (toConfirm.length > 0) await confirmSubscriptions(pool, toConfirm);
    const lost = known.filter((one) => one.confirmed && !one.removed && !present.has(one.subscription));
    const ids = lost.map(({ subscription }) => subscription);
    if (mayLoseSubscriptions) {
      if (ids.length > 0) await forgetMissingSubscriptions(pool, ids);
      return [];
    }
    return lost.some((one) => !one.lost) ? await markLost(pool, ids) : ids;
  }

  /** Finds the pending events of new and changed subscriptions. Returns those that have yet to start in a stream. */
  async #enqueue(changed: readonly Subscription[]): Promise<ReadonlySet<string>> {
    const { positions, waiting } = await alignPositions(this.#options, changed);
    const rows = changed.flatMap(({ id }) => (this.receivers.has(id) ? (positions.get(id) ?? []) : []));
    for (const queue of this.#options.queues) {
      await queue.add(rows.filter((row) => row.stream === queue.stream.key));
    }
    return waiting;
  }
}
