import type { ServerResponse } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import type { Network } from '@adaptor-marketplace/adaptor';
import type { Queryable } from '../../../db/queries/queryable.ts';
import { isBefore, type Position, type PositionedEvent } from '../../../db/queries/registry-events.ts';
import { problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { type Feed, type Log, lostItemsMs } from '../live/feed.ts';
import { type Streams, waitForDrain, waitingBytesMax } from '../live/streams.ts';

/** Events that are read at a time for a reader that is behind. */
const pageMax = 50;

export interface EventStreams {
  /**
   * Sends events of a network after a cursor, or from now on, until the caller leaves or the streams are closed.
   * @throws ProblemError 429 or 503 `too_many_streams`, 400 `bad_cursor`
   */
  send(exchange: Exchange, network: Network, after: string | undefined): Promise<void>;
}

interface StreamedLog {
  log: Log<PositionedEvent>;
  /** Returns the event as callers see it. */
  toBody(network: Network, event: PositionedEvent): object;
}

/** Streams the events of a log as server-sent events, whose ids are their cursors. */
export function openEventStreams(
  db: Queryable,
  feed: Feed,
  streams: Streams,
  { log, toBody }: StreamedLog,
): EventStreams {
  /** Cached frames of events, so that each event is serialized once for all readers. */
  const frames = new WeakMap<PositionedEvent, Buffer>();

  function getFrame(network: Network, event: PositionedEvent): Buffer {
    const known = frames.get(event);
    if (known) return known;
    const data = JSON.stringify(toBody(network, event));
    const made = Buffer.from(`id: ${log.format(event.position)}\nevent: ${event.event}\ndata: ${data}\n\n`);
    frames.set(event, made);
    return made;
  }

  /** Sends new events as they arrive. A reader that falls behind leaves the feed, and reads what it missed. */
  async function run(network: Network, from: Position, res: ServerResponse): Promise<void> {
    let position = from;
    let onLeave = (): void => undefined;
    const leave = () => {
      feed.leave(log, network, reader);
      onLeave();
    };
    // A stream that was ended stays undestroyed until its reader has all of it, and a further write would be an error.
    const isOpen = () => !res.destroyed && !res.writableEnded;
    const reader = {
      receive(events: readonly PositionedEvent[]) {
        if (!isOpen()) return;
        // Events that arrive together leave in one packet.
        res.cork();
        for (const event of events) {
          if (!isBefore(position, event.position)) continue;
          if (res.writableLength > waitingBytesMax) {
            leave();
            break;
          }
          position = event.position;
          res.write(getFrame(network, event));
        }
        res.uncork();
      },
    };

    /** Sends a page of the events that the reader has missed, at its own speed. */
    async function catchUp(): Promise<void> {
      if (res.writableNeedDrain) await waitForDrain(res);
      const page = await log.read(db, network, position, pageMax);
      // The feed has events that a failover of the database lost. They come again when the indexer has read them.
      if (page.length === 0) await delay(lostItemsMs, undefined, { ref: false });
      for (const event of page) {
        if (!isOpen()) return;
        position = event.position;
        // Without `cork`, which hides that the reader is slower.
        if (!res.write(getFrame(network, event))) await waitForDrain(res);
      }
    }

    res.on('close', leave);
    while (isOpen()) {
      const left = new Promise<void>((resolve) => {
        onLeave = resolve;
      });
      // `join` checks the position and adds the reader in one turn of the event loop, so that it misses no event.
      if (feed.join(log, network, position, reader)) await left;
      else await catchUp();
    }
  }

  async function send(exchange: Exchange, network: Network, after: string | undefined): Promise<void> {
    const { res } = exchange;
    const from = parseCursor(log, after);
    const tail = await feed.tail(log, network);
    const start = from ?? tail;
    if (res.destroyed || !streams.open(exchange, log.format(start))) return;
    await run(network, start, res).catch(() => res.destroy());
  }

  return { send };
}

/** @throws ProblemError 400 for an id that is not a cursor of these streams */
function parseCursor(log: Log<PositionedEvent>, cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const position = log.parse(cursor);
  if (position) return position;
  const message = 'is not the id of an event of this stream; leave it out to start at the newest event';
  throw problem('bad_cursor', `last-event-id ${message}.`, {
    errors: [{ path: 'header.last-event-id', message }],
  });
}
