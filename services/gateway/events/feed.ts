import { messageOf, type Network } from '@adaptor-marketplace/adaptor';
import type { Database } from '../../../db/client.ts';
import { listen } from '../../../db/listen.ts';
import {
  isBefore,
  type Position,
  type PositionedEvent,
  readLastPosition,
  readRegistryEvents,
} from '../../../db/queries/registry-events.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { coalesce } from '../shared-work.ts';

/** Somebody who wants a network's events as they come. */
export interface Reader {
  /** Called with events in order, each after all before it. */
  give(events: readonly PositionedEvent[]): void;
}

/** A network's newest events, read once for all who wait for them. */
export interface EventFeed {
  /** Position of the last event that was given out. */
  tail(network: Network): Promise<Position>;
  /** Whether the reader, who has everything up to `position`, has missed nothing and now gets what comes. */
  join(network: Network, position: Position, reader: Reader): boolean;
  leave(network: Network, reader: Reader): void;
  close(): Promise<void>;
}

/** Events of one query; more are read at once. */
const batchMax = 500;
/** Notifications do not survive a cut connection or a pooler. */
const pollMs = 1_000;

interface Channel {
  tail: Position;
  readers: Set<Reader>;
}

export function openEventFeed(db: Database, log: Logger): EventFeed {
  const channels = new Map<Network, Promise<Channel>>();
  const open = new Map<Network, Channel>();

  function channelOf(network: Network): Promise<Channel> {
    const opening =
      channels.get(network) ??
      readLastPosition(db.pool, network).then((tail) => {
        const channel = { tail, readers: new Set<Reader>() };
        open.set(network, channel);
        return channel;
      });
    channels.set(network, opening);
    // Asked for again by the next reader.
    opening.catch(() => channels.delete(network));
    return opening;
  }

  async function readOn(network: Network, channel: Channel): Promise<void> {
    for (let count = batchMax; count === batchMax; ) {
      const events = await readRegistryEvents(db.pool, network, channel.tail, batchMax);
      count = events.length;
      const last = events.at(-1);
      if (!last) return;
      channel.tail = last.position;
      for (const reader of channel.readers) reader.give(events);
    }
  }

  let failing = false;
  const look = coalesce(async () => {
    try {
      for (const [network, channel] of open) await readOn(network, channel);
      failing = false;
    } catch (error) {
      if (!failing) log.warn({ reason: messageOf(error) }, 'cannot read new events; streams wait');
      failing = true;
    }
  });
  const timer = setInterval(() => open.size > 0 && look(), pollMs);
  const listener = listen({
    url: db.url,
    channels: ['indexed'],
    onNotification: (_, network) => open.has(network as Network) && look(),
    onConnected: look,
    log,
  });

  return {
    tail: async (network) => (await channelOf(network)).tail,
    join(network, position, reader) {
      const channel = open.get(network);
      if (!channel || isBefore(position, channel.tail)) return false;
      channel.readers.add(reader);
      return true;
    },
    leave(network, reader) {
      open.get(network)?.readers.delete(reader);
    },
    async close() {
      clearInterval(timer);
      await listener.close();
      await look();
    },
  };
}
