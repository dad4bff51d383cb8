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
import { type IndexState, readIndexState } from '../../../db/queries/state.ts';
import type { Logger } from '../../../lib/log/index.ts';
import { coalesce } from '../concurrency/shared-work.ts';

/** Carries the state forward, and finds a change whose notification was lost. */
const pollMs = 1_000;

interface Following {
  channel: string;
  /** Whether a notification with this payload needs a look. Absent: each does. */
  concerns?: (payload: string) => boolean;
  look(): Promise<void>;
  /** What the log says when looking fails. */
  failed: string;
  /** What it says at the first success after that; absent: nothing. */
  recovered?: string;
}

/**
 * Looks at the database again after each notification, and each second, because notifications do not survive a lost
 * connection or a pooler. `close` looks once more.
 */
function follow(db: Database, log: Logger, { channel, concerns, look, failed, recovered }: Following) {
  let failing = false;
  const lookAgain = coalesce(async () => {
    try {
      await look();
      if (failing && recovered !== undefined) log.info(recovered);
      failing = false;
    } catch (error) {
      // Said once: the poll would repeat it every second.
      if (!failing) log.warn({ reason: messageOf(error) }, failed);
      failing = true;
    }
  });
  const timer = setInterval(lookAgain, pollMs);
  const listener = listen({
    url: db.url,
    channels: [channel],
    onNotification: (_, payload) => (concerns?.(payload) ?? true) && lookAgain(),
    onConnected: lookAgain,
    log,
  });
  return {
    async close(): Promise<void> {
      clearInterval(timer);
      await listener.close();
      await lookAgain();
    },
  };
}

export interface IndexWatch {
  /** Version of the network's catalog when last looked at; 0 before any change. */
  catalogVersion(network: string): number;
  /** Highest checkpoint that all these sources cover in full; undefined before the first. */
  checkpoint(network: string, ...sources: string[]): number | undefined;
  chainId(network: string): string | undefined;
  close(): Promise<void>;
}

interface WatchOptions {
  db: Database;
  networks: readonly string[];
  /** Called for every network at the first look, and for each whose catalog has changed since. */
  onCatalogChange(network: string): Promise<void>;
  log: Logger;
}

/**
 * Caches the state of the index for every response, without a query per request.
 * Resolves after the first look, and rejects when that fails.
 */
export async function watchIndex({ db, networks, onCatalogChange, log }: WatchOptions): Promise<IndexWatch> {
  let state: IndexState = { sources: [], catalogVersions: new Map() };
  /** Versions that were handled; a change whose handling failed is found again. */
  const handled = new Map<string, number>();
  const catalogVersion = (network: string) => state.catalogVersions.get(network) ?? 0;

  async function look(): Promise<void> {
    state = await readIndexState(db.pool);
    await Promise.all(
      networks.map(async (network) => {
        const version = catalogVersion(network);
        if (handled.get(network) === version) return;
        await onCatalogChange(network);
        handled.set(network, version);
      }),
    );
  }
  await look();

  const following = follow(db, log, {
    channel: 'catalog',
    look,
    failed: 'cannot read the index; serving what is known',
    recovered: 'the index can be read again',
  });
  const source = (network: string, name: string) =>
    state.sources.find((row) => row.network === network && row.name === name);

  return {
    catalogVersion,
    checkpoint(network, ...names) {
      const checkpoints = names.map((name) => source(network, name)?.checkpoint ?? -1);
      const lowest = Math.min(...checkpoints);
      return lowest < 0 ? undefined : lowest;
    },
    chainId: (network) => source(network, 'registry')?.chainId,
    close: following.close,
  };
}

/** Somebody who wants a network's events as they come. */
export interface Reader {
  /** Called with events in order, each after all before it. */
  give(events: readonly PositionedEvent[]): void;
}

/** A network's newest events, read once for all who wait for them. */
export interface EventFeed {
  /** Place of the last event that was given out. */
  tail(network: Network): Promise<Position>;
  /** Whether the reader, who has everything up to `position`, has missed nothing and now gets what comes. */
  join(network: Network, position: Position, reader: Reader): boolean;
  leave(network: Network, reader: Reader): void;
  close(): Promise<void>;
}

/** Events of one query; more are read at once. */
const batchMax = 500;

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

  const following = follow(db, log, {
    channel: 'indexed',
    concerns: (network) => open.has(network as Network),
    async look() {
      for (const [network, channel] of open) await readOn(network, channel);
    },
    failed: 'cannot read new events; streams wait',
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
    close: following.close,
  };
}
