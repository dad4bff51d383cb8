import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import type { Network } from '@adaptor-marketplace/adaptor/networks';
import { Gauge, type Registry } from '@prometheus-io/client';
import { type Place, type PlacedEvent, readRegistryEvents } from '../../../db/queries/registry-events.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import { type Exchange, splitUrl } from '../../../lib/http/exchange.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import { formatPosition, isBefore, parsePosition } from '../../../lib/webhooks/position.ts';
import { callerOf } from '../access/caller.ts';
import type { ReadHost } from '../reads/read.ts';
import type { Handler } from '../server/rest.ts';
import type { EventFeed, Reader } from './feed.ts';
import { viewOf } from './list.ts';
import { streamRequest } from './shapes.ts';

const readersMax = 2_000;
/** Events that are read at a time for one who is behind. */
const pageMax = 50;
/** Of them, those of one API key or address: nobody may take all of them. */
const readersPerCallerMax = 100;
/** Bytes that wait for a reader; what comes on top is read again for it when it has read these. */
const waitingBytesMax = 64 * 1024;
/** How long one who is behind may take to read what is written. */
const drainMsMax = 30_000;
const heartbeatMs = 15_000;
const reconnectMs = 2_000;

export interface EventStreams {
  handle: Handler;
  /** Ends all streams; their readers come back to another process. */
  close(): void;
}

/** `GET /api/adaptors/events/stream`: server-sent events that go on where the reader left. */
export function eventStreams({ db, choose }: ReadHost, feed: EventFeed, metrics: Registry): EventStreams {
  /** By their answers, and whose they are, where that is known. */
  const readers = new Map<ServerResponse, string | undefined>();
  let closed = false;
  new Gauge({
    name: 'event_stream_readers',
    help: 'Open streams of registry events.',
    registers: [metrics],
    collect() {
      this.set(readers.size);
    },
  });
  const heartbeat = setInterval(() => {
    for (const res of readers.keys()) if (!res.writableNeedDrain) res.write(':\n\n');
  }, heartbeatMs);
  heartbeat.unref();

  /** Gives out what is new as it comes, and by itself what comes faster than it is read. */
  async function run(network: Network, from: Place, res: ServerResponse): Promise<void> {
    let place = from;
    let part = (): void => undefined;
    const leave = () => {
      feed.leave(network, reader);
      part();
    };
    const reader = {
      give(events: readonly PlacedEvent[]) {
        for (const event of events) {
          if (!isBefore(place, event.place)) continue;
          if (res.writableLength > waitingBytesMax) return leave();
          place = event.place;
          res.write(frame(network, event));
        }
      },
    };
    res.on('close', leave);
    while (!res.destroyed) {
      if (res.writableNeedDrain) await drained(res);
      const parted = new Promise<void>((resolve) => {
        part = resolve;
      });
      // In the same turn as the check of `join`, so that nothing comes in between.
      if (feed.join(network, place, reader)) await parted;
      else await readOn(network, place, res, reader);
    }
  }

  /** A page of what the reader has missed, at its own speed. */
  async function readOn(network: Network, after: Place, res: ServerResponse, reader: Reader): Promise<void> {
    for (const event of await readRegistryEvents(db, network, after, pageMax)) {
      if (res.destroyed) return;
      reader.give([event]);
      if (res.writableNeedDrain) await drained(res);
    }
  }

  function refuseTooMany(whose: string | undefined): void {
    if (readers.size >= readersMax) throw tooMany(503, 'This service has its highest number of open streams');
    if (whose === undefined) return;
    const same = [...readers.values()].filter((other) => other === whose).length;
    if (same < readersPerCallerMax) return;
    throw tooMany(429, `An API key or an address may have ${readersPerCallerMax} open streams`);
  }

  async function handle(exchange: Exchange): Promise<void> {
    const { req, res } = exchange;
    const request = parseQuery(streamRequest, splitUrl(req.url ?? '').search);
    const network = choose(request.network);
    const resumed = req.headers['last-event-id'];
    const from = placeOf(typeof resumed === 'string' && resumed ? resumed : request.after);
    const tail = await feed.tail(network);
    if (res.destroyed) return;
    const whose = ownerOf(exchange);
    refuseTooMany(whose);
    res.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    if (req.method === 'HEAD' || closed) return void res.end();
    readers.set(res, whose);
    res.on('close', () => readers.delete(res));
    res.write(`retry: ${reconnectMs}\n\n`);
    await run(network, from ?? tail, res).catch(() => res.destroy());
  }

  return {
    handle,
    close() {
      closed = true;
      clearInterval(heartbeat);
      for (const res of readers.keys()) {
        // Its end would wait behind what its reader does not read.
        if (res.writableNeedDrain) res.destroy();
        else res.end();
      }
    },
  };
}

/** API key or address; unknown where the host has no limits, or cannot count. */
function ownerOf(exchange: Exchange): string | undefined {
  const caller = callerOf(exchange);
  if (caller?.kind === 'key') return caller.keyId;
  return caller?.kind === 'anonymous' ? caller.address : undefined;
}

/** Resolves when the reader has read, or is gone. */
async function drained(res: ServerResponse): Promise<void> {
  const over = new AbortController();
  const signal = AbortSignal.any([over.signal, AbortSignal.timeout(drainMsMax)]);
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
  } finally {
    over.abort();
  }
}

function frame(network: Network, event: PlacedEvent): string {
  const data = JSON.stringify(viewOf(network, event));
  return `id: ${formatPosition(event.place)}\nevent: ${event.event}\ndata: ${data}\n\n`;
}

/** @throws ProblemError 400 for an id that no stream of this service gave out */
function placeOf(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const place = parsePosition(cursor);
  if (place) return place;
  const message = 'is not the id of an event of this stream; leave it out to start at the newest event';
  throw problem('bad_cursor', `last-event-id ${message}.`, {
    errors: [{ path: 'header.last-event-id', message }],
  });
}

function tooMany(status: 429 | 503, reason: string): ProblemError {
  const detail = `${reason}. Try again shortly, or poll GET /api/adaptors/events.`;
  return problem('too_many_streams', detail, { status });
}
