import DataLoader from 'dataloader';
import type { Queryable } from '../../db/queries/queryable.ts';
import {
  beginning,
  isBefore,
  type Position,
  type PositionedEvent,
  pickEarlier,
  pickLater,
} from '../../db/queries/registry-events.ts';
import {
  type EventAbout,
  readConcerning,
  readEventsAfter,
  readEventsAt,
  readLastNamedEvents,
  readLatestEvents,
  readMatchingEvents,
} from '../../db/queries/webhooks/events.ts';
import { listStretchesAfter, type SubscriptionPosition } from '../../db/queries/webhooks/positions.ts';
import type { About, Stream } from '../../db/queries/webhooks/streams.ts';
import { encodeMessage } from '../../lib/webhooks/signing.ts';
import { webhookEvents } from '../../lib/webhooks/subscriptions.ts';

/** The request body for an event, the same for every receiver. */
export interface Message {
  network: string;
  id: string;
  event: string;
  bytes: Buffer;
}

interface FeedEvent extends Message {
  position: Position;
}

/** All matching events after a position, up to `upTo`. */
interface MatchingEvents {
  events: FeedEvent[];
  upTo: Position;
}

interface Advance {
  events: readonly FeedEvent[];
  more: boolean;
}

/** Maximum size in bytes of the cached latest events: most subscriptions get an event at about the same time. */
const cachedBytesMax = 16 * 1024 * 1024;
const pageMax = 1_000;

/**
 * The events of a stream for the workers. The latest come from memory, each made into its message once, older
 * ones from the database. By the last event of each name it finds a subscription idle without a read.
 */
export class Feed {
  readonly #db: Queryable;
  readonly #stream: Stream;
  /** Reads for all workers that ask in the same turn of the event loop in one statement. */
  readonly #concerning: DataLoader<EventAbout, boolean | undefined>;
  /** Position after which the last event of each name is known; undefined before `open`. */
  #knownAfter: Position | undefined;
  /** The last event of each name after `#knownAfter`: up to `#from`, and altogether. */
  readonly #lastBefore = new Map<string, Position>();
  readonly #last = new Map<string, Position>();
  /** The events after `#from`, up to `#to`. */
  #cached: FeedEvent[] = [];
  #cachedBytes = 0;
  #from: Position = beginning;
  #to: Position = beginning;
  #reading: Promise<unknown> = Promise.resolve();

  constructor(db: Queryable, stream: Stream) {
    this.#db = db;
    this.#stream = stream;
    this.#concerning = new DataLoader((events) => readConcerning(db, stream, events), {
      cache: false,
      maxBatchSize: pageMax,
    });
  }

  get isOpen(): boolean {
    return this.#knownAfter !== undefined;
  }

  /** Position up to which the feed has read. */
  get to(): Position {
    return this.#to;
  }

  /** Position from which events are cached. Earlier ones are read from the database. */
  get from(): Position {
    return this.#from;
  }

  /** Reads the latest events after the lowest position of a subscription. @returns how many */
  async open(lowest: Position): Promise<number> {
    const latest = await readLatestEvents(this.#db, this.#stream, lowest, pageMax);
    const [first] = latest;
    this.#from = lowest;
    if (first && latest.length === pageMax) {
      this.#from = first.position;
      latest.shift();
      const query = { stream: this.#stream, after: lowest, upTo: this.#from, names: webhookEvents };
      for (const [name, position] of await readLastNamedEvents(this.#db, query)) {
        this.#lastBefore.set(name, position);
        this.#last.set(name, position);
      }
    }
    this.#to = this.#from;
    this.#knownAfter = lowest;
    this.#append(latest);
    return latest.length;
  }

  /** Reads the next page of events, after the page that is being read. @returns them */
  advance(): Promise<Advance> {
    const advanced = this.#reading.then(() => this.#advance());
    this.#reading = advanced.catch(() => undefined);
    return advanced;
  }

  async #advance(): Promise<Advance> {
    const page = await readEventsAfter(this.#db, this.#stream, this.#to, pageMax);
    return { events: this.#append(page), more: page.length === pageMax };
  }

  /**
   * Returns the position of the last event that may still match after the subscription's; `undefined` if none does. If
   * the feed does not know, it is a position that the subscription has not passed. If none matches, closed stretches are
   * passed all the same, up to the open one.
   */
  findLastMatch({ position, segments }: SubscriptionPosition): Position | undefined {
    let last: Position | undefined;
    for (const { after, until, events } of listStretchesAfter(position, segments)) {
      const ends = events.map((name) => this.#last.get(name));
      if (events.length > 0 && isBefore(after, this.#knownAfter ?? this.#to)) ends.push(this.#to);
      for (const end of ends) {
        if (!end) continue;
        const match = until ? pickEarlier(end, until) : end;
        if (isBefore(after, match)) last = last ? pickLater(last, match) : match;
      }
    }
    const { after: open } = segments.at(-1)!;
    return last ?? (isBefore(position, open) ? open : undefined);
  }

  /** Returns the next events that match the subscription's filter after a position, at most `limit`. */
  async next({ segments }: SubscriptionPosition, after: Position, limit: number): Promise<MatchingEvents> {
    let upTo = after;
    for (const stretch of listStretchesAfter(after, segments)) {
      // The end of an earlier stretch is not known here yet.
      if (isBefore(upTo, stretch.after)) upTo = stretch.after;
      const matching = stretch.events.length > 0 ? await this.#search(stretch, limit) : undefined;
      if (
        matching &&
        (matching.events.length > 0 || !stretch.until || isBefore(matching.upTo, stretch.until))
      )
        return matching;
      upTo = stretch.until ?? pickLater(upTo, this.#to);
    }
    return { events: [], upTo };
  }

  async #search(
    {
      after,
      until,
      events: names,
    }: { after: Position; until: Position | undefined; events: readonly string[] },
    limit: number,
  ): Promise<MatchingEvents> {
    const from = this.#from;
    if (isBefore(after, from)) {
      const upTo = until ? pickEarlier(until, from) : from;
      if (this.#mayMatchBefore(after, names)) {
        const query = { stream: this.#stream, after, upTo, names, limit };
        const rows = await readMatchingEvents(this.#db, query);
        const events = rows.map((row) => this.#toFeedEvent(row));
        return { events, upTo: rows.length === limit ? events.at(-1)!.position : upTo };
      }
      if (upTo === until) return { events: [], upTo };
    }
    const events: FeedEvent[] = [];
    for (let at = this.#firstAfter(after); at < this.#cached.length && events.length < limit; at++) {
      const event = this.#cached[at]!;
      if (until && isBefore(until, event.position)) break;
      if (names.includes(event.event)) events.push(event);
    }
    if (events.length === limit) return { events, upTo: events.at(-1)!.position };
    return { events, upTo: pickLater(after, until ? pickEarlier(until, this.#to) : this.#to) };
  }

  /**
   * Returns the first events of which it is decided if they are about what a subscription asks for, and those that are,
   * in their order.
   */
  async pickConcerning(
    { wallet, serviceType, publisher }: About,
    events: readonly FeedEvent[],
  ): Promise<{ concerning: readonly FeedEvent[]; decided: readonly FeedEvent[] }> {
    const answers = await Promise.all(
      events.map(({ position }) => this.#concerning.load({ wallet, serviceType, publisher, position })),
    );
    const undecided = answers.indexOf(undefined);
    const decided = undecided < 0 ? events : events.slice(0, undecided);
    return { concerning: decided.filter((_, at) => answers[at]), decided };
  }

  /** Returns the events at these positions, in no order. An event that the database no longer has is left out. */
  async findEvents(positions: readonly Position[]): Promise<FeedEvent[]> {
    const cached = positions.flatMap((position) => {
      const event = this.#cached[this.#firstAfter(position) - 1];
      return event && String(event.position) === String(position) ? event : [];
    });
    if (cached.length === positions.length) return cached;
    const rows = await readEventsAt(this.#db, this.#stream, positions);
    return rows.map((row) => this.#toFeedEvent(row));
  }

  #mayMatchBefore(after: Position, names: readonly string[]): boolean {
    if (!this.#knownAfter || isBefore(after, this.#knownAfter)) return true;
    return names.some((name) => {
      const last = this.#lastBefore.get(name);
      return last !== undefined && isBefore(after, last);
    });
  }

  /** Returns the index of the first cached event after a position. */
  #firstAfter(position: Position): number {
    let [low, high] = [0, this.#cached.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (isBefore(position, this.#cached[middle]!.position)) high = middle;
      else low = middle + 1;
    }
    return low;
  }

  #toFeedEvent({ position, id, event, data, timestampMs }: PositionedEvent): FeedEvent {
    const bytes = encodeMessage({ network: this.#stream.network, event, data, timestampMs, id });
    return { network: this.#stream.network, position, id, event, bytes };
  }

  #append(rows: readonly PositionedEvent[]): FeedEvent[] {
    const events = rows.map((row) => this.#toFeedEvent(row));
    for (const event of events) {
      this.#last.set(event.event, event.position);
      this.#cachedBytes += event.bytes.length;
      this.#to = event.position;
    }
    this.#cached.push(...events);
    let evicted = 0;
    while (this.#cachedBytes > cachedBytesMax) {
      const { event, position, bytes } = this.#cached[evicted++]!;
      this.#lastBefore.set(event, position);
      this.#from = position;
      this.#cachedBytes -= bytes.length;
    }
    if (evicted > 0) this.#cached = this.#cached.slice(evicted);
    return events;
  }
}
