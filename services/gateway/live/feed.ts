import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Network } from '@adaptor-marketplace/adaptor';
import type { Database } from '../../../db/client.ts';
import {
  type ChangedListing,
  formatChangePosition,
  parseChangePosition,
  readChangedListings,
  readLatestPosition,
} from '../../../db/queries/catalog/changes.ts';
import type { Queryable } from '../../../db/queries/queryable.ts';
import {
  beginning,
  type FollowedEvent,
  type FollowedSource,
  formatPosition,
  isBefore,
  type Position,
  type PositionedEvent,
  parsePosition,
  pickLater,
  readEventsAfter,
  readLastPosition,
} from '../../../db/queries/registry-events.ts';
import { readLatestEvents, readEventsAfter as readStreamAfter } from '../../../db/queries/webhooks/events.ts';
import { listStreams } from '../../../db/queries/webhooks/streams.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { follow } from './follow.ts';

/** A position in a log. Positions are compared part by part. */
export type LogPosition = readonly [number, number | string, number | string];

/** An item of a log. It comes after all items at lower positions. */
export interface LogItem {
  position: LogPosition;
}

/** A sequence of a network's items in the database that readers can follow in its order. */
export interface Log<I extends LogItem> {
  name: string;
  /** `true` if the tail is the position of an item. A page without items before it then means that the database lost some. */
  endsWithItem: boolean;
  readTail(db: Queryable, network: Network): Promise<I['position']>;
  /** Returns the items after a position, in order, at most `limit`. */
  read(db: Queryable, network: Network, after: I['position'], limit: number): Promise<I[]>;
  format(position: I['position']): string;
  /** Parses a cursor. For a text that `format` does not return, it returns undefined or throws a ProblemError. */
  parse(cursor: string): I['position'] | undefined;
}

/** Pause between two reads of items that the database has lost. */
export const lostItemsMs = 1_000;

/** Lowest position of a cursor. It is before every event: no transaction is before the network's first one. */
const genesis: Position = [0, 0, 0];

const createEventLog = (source: FollowedSource): Log<FollowedEvent> => ({
  name: source,
  endsWithItem: true,
  readTail: (db, network) => readLastPosition(db, source, network),
  read: (db, network, after, limit) => readEventsAfter(db, source, network, after, limit),
  format: (position) => formatPosition(pickLater(position, genesis)),
  parse: parsePosition,
});

export const eventLogs: Readonly<Record<FollowedSource, Log<FollowedEvent>>> = {
  registry: createEventLog('registry'),
  wallet: createEventLog('wallet'),
  escrow: createEventLog('escrow'),
};

const serviceEventId = /^svc_(0|[1-9]\d{0,14})$/;

/** The service's own events. A position is the number of the event and two zeros. */
export const serviceLog: Log<PositionedEvent> = {
  name: 'service',
  endsWithItem: true,
  async readTail(db, network) {
    const [last] = await readLatestEvents(db, listStreams(network)[1], beginning, 1);
    return last?.position ?? genesis;
  },
  read: (db, network, after, limit) => readStreamAfter(db, listStreams(network)[1], after, limit),
  format: ([number]) => `svc_${number}`,
  parse(cursor) {
    const number = serviceEventId.exec(cursor)?.[1];
    return number === undefined ? undefined : [Number(number), 0, 0];
  },
};

/** Changes of the catalog, each listing once, at its last revision. */
export const catalogLog: Log<ChangedListing> = {
  name: 'catalog',
  endsWithItem: false,
  readTail: readLatestPosition,
  read: readChangedListings,
  format: formatChangePosition,
  parse: parseChangePosition,
};

export interface Reader<I extends LogItem> {
  /** Called with items in order, each after all before it. */
  receive(items: readonly I[]): void;
}

/** The newest items of each log, read once for all readers. */
export interface Feed {
  /** Returns the position of the last item that readers received. */
  tail<I extends LogItem>(log: Log<I>, network: Network): Promise<I['position']>;
  /** Adds a reader that has everything up to `position`. Returns `false` without adding it if it has missed items. */
  join<I extends LogItem>(log: Log<I>, network: Network, position: I['position'], reader: Reader<I>): boolean;
  leave<I extends LogItem>(log: Log<I>, network: Network, reader: Reader<I>): void;
  close(): Promise<void>;
}

/** Maximum number of items of one query. If there are more, the next query follows at once. */
const batchMax = 100;
/** Maximum number of items that readers receive in one turn of the event loop, counted for each reader. */
const turnMax = 500;

interface Channel {
  log: Log<LogItem>;
  network: Network;
  tail: LogPosition;
  readers: Set<Reader<LogItem>>;
}

export function openFeed(db: Database, log: Logger): Feed {
  const channels = new Map<string, Promise<Channel>>();
  const open = new Map<string, Channel>();
  const buildChannelKey = ({ name }: { name: string }, network: Network) => `${name} ${network}`;

  function getOrCreateChannel(log: Log<LogItem>, network: Network): Promise<Channel> {
    const key = buildChannelKey(log, network);
    const opening =
      channels.get(key) ??
      log.readTail(db.pool, network).then((tail) => {
        const channel = { log, network, tail, readers: new Set<Reader<LogItem>>() };
        open.set(key, channel);
        return channel;
      });
    channels.set(key, opening);
    // After a failure, the next reader tries again.
    opening.catch(() => channels.delete(key));
    return opening;
  }

  async function readOn(channel: Channel): Promise<void> {
    for (let count = batchMax; count === batchMax; ) {
      const items = await channel.log.read(db.pool, channel.network, channel.tail, batchMax);
      count = items.length;
      const last = items.at(-1);
      if (!last) return;
      channel.tail = last.position;
      let receivedInTurn = 0;
      // A reader that joins meanwhile has these items already, and drops them.
      for (const reader of channel.readers) {
        reader.receive(items);
        receivedInTurn += count;
        if (receivedInTurn < turnMax) continue;
        receivedInTurn = 0;
        await nextTurn();
      }
    }
  }

  const following = follow(db, log, {
    channels: ['indexed', 'catalog', 'service_events'],
    isRelevant: (network) => [...open.values()].some((channel) => channel.network === network),
    async look() {
      for (const channel of open.values()) await readOn(channel);
    },
    failureMessage: 'cannot read new events; streams wait',
  });

  return {
    tail: async (log, network) => (await getOrCreateChannel(log as unknown as Log<LogItem>, network)).tail,
    join(log, network, position, reader) {
      const channel = open.get(buildChannelKey(log, network));
      if (!channel || isBefore(position, channel.tail)) return false;
      channel.readers.add(reader as unknown as Reader<LogItem>);
      return true;
    },
    leave(log, network, reader) {
      open.get(buildChannelKey(log, network))?.readers.delete(reader as unknown as Reader<LogItem>);
    },
    close: following.close,
  };
}
