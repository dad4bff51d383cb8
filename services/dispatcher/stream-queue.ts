import type { Queryable } from '../../db/queries/queryable.ts';
import { type Position, pickEarlier } from '../../db/queries/registry-events.ts';
import {
  moveIdlePositions,
  readLastEventPositions,
  readPositions,
  type SubscriptionPosition,
} from '../../db/queries/webhooks/positions.ts';
import type { Stream } from '../../db/queries/webhooks/streams.ts';
import { Feed } from './feed.ts';

interface Recipients {
  /** Ids of the active subscriptions to each event. Replaced when the subscriptions change. */
  byEvent: ReadonlyMap<string, readonly string[]>;
}

/** The events of a stream, and the subscriptions that have events to receive. */
export class StreamQueue {
  readonly stream: Stream;
  readonly feed: Feed;
  /** Position of the last event that may match, by subscription. */
  readonly ready = new Map<string, Position>();
  readonly #db: Queryable;
  /** Subscriptions that are added again with the next read of events. */
  readonly #later = new Set<string>();
  /** Number of events that were read when the feed was opened, until they are reported. */
  #unreported = 0;

  constructor(db: Queryable, stream: Stream) {
    this.#db = db;
    this.stream = stream;
    this.feed = new Feed(db, stream);
  }

  /** Adds the subscriptions that have events to get after these positions. Opens the feed at the lowest of them. */
  async add(positions: readonly SubscriptionPosition[]): Promise<void> {
    if (!this.feed.isOpen) await this.#open(positions);
    for (const row of positions) {
      const last = this.feed.findLastMatch(row);
      if (last) this.ready.set(row.subscription, last);
    }
  }

  async #open(positions: readonly SubscriptionPosition[]): Promise<void> {
    // Without subscriptions, no one receives what was stored before.
    const lowest = await findLowest(this.#db, this.stream, positions);
    if (lowest) this.#unreported += await this.feed.open(lowest);
  }

  /** Adds a subscription that may have events left to get. */
  addAgain(subscription: string): void {
    this.ready.set(subscription, this.feed.to);
  }

  /** Adds a subscription that waits for the sources, once the next events are read. */
  addLater(subscription: string): void {
    this.#later.add(subscription);
  }

  /**
   * Reads the next events, and adds the subscriptions to them, by the name of the event. The feed must be open.
   * @returns the number of events, those that opened the feed included, and `true` in `more` if more wait
   */
  async advance(roster: Readonly<Recipients>): Promise<{ events: number; more: boolean }> {
    const { events, more } = await this.feed.advance();
    for (const id of this.#later) this.addAgain(id);
    this.#later.clear();
    const last = new Map(events.map(({ event, position }) => [event, position]));
    for (const [name, position] of last) {
      // The list as it is now: a subscription that was added during the read did not see these events.
      for (const id of roster.byEvent.get(name) ?? []) this.ready.set(id, position);
    }
    const count = events.length + this.#unreported;
    this.#unreported = 0;
    return { events: count, more };
  }

  /** Moves the positions of subscriptions without matching events up to the cached events. */
  async moveIdle(subscriptions: readonly string[]): Promise<void> {
    const { feed } = this;
    if (!feed.isOpen) return;
    const to = feed.from;
    const idle = (await readPositions(this.#db, subscriptions)).filter(
      (row) => row.stream === this.stream.key && row.segments.length === 1 && !feed.findLastMatch(row),
    );
    if (idle.length > 0) await moveIdlePositions(this.#db, idle, to);
  }
}

/** Returns the lowest of these positions in the stream; without any, the position of its last event. */
export async function findLowest(
  db: Queryable,
  stream: Stream,
  positions: readonly { position: Position }[],
): Promise<Position | undefined> {
  const [first, ...others] = positions.map(({ position }) => position);
  return first ? others.reduce(pickEarlier, first) : (await readLastEventPositions(db)).get(stream.key);
}
