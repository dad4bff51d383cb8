import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { Gauge, type Registry } from 'prom-client';
import { type Place, type PlacedEvent, readRegistryEvents } from '../../../db/queries/registry-events.ts';
import type { Network } from '../../../lib/config/index.ts';
import { ProblemError } from '../../../lib/errors/index.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import { formatPosition, isBefore, parsePosition } from '../../../lib/webhooks/position.ts';
import type { ReadHost } from '../reads/read.ts';
import { type Exchange, splitUrl } from '../server/exchange.ts';
import type { Handler } from '../server/rest.ts';
import type { EventFeed } from './feed.ts';
import { viewOf } from './list.ts';
import { streamRequest } from './shapes.ts';

const readersMax = 2_000;
/** Events that are read at a time for one who is behind. */
const pageMax = 50;
/** Bytes that wait for a reader; who reads more slowly than events come is let go, and resumes. */
const waitingBytesMax = 256 * 1024;
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
  const readers = new Set<ServerResponse>();
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
    for (const res of readers) write(res, ':\n\n');
  }, heartbeatMs);
  heartbeat.unref();

  async function run(network: Network, from: Place, res: ServerResponse): Promise<void> {
    let place = from;
    const reader = {
      give(events: readonly PlacedEvent[]) {
        const fresh = events.filter((event) => isBefore(place, event.place));
        place = fresh.at(-1)?.place ?? place;
        write(res, frames(network, fresh));
      },
    };
    res.on('close', () => feed.leave(network, reader));
    // In the same turn as the check of `join`, so that nothing comes in between.
    while (!res.destroyed && !feed.join(network, place, reader)) {
      for (const event of await readRegistryEvents(db, network, place, pageMax)) {
        if (res.destroyed) return;
        reader.give([event]);
        if (res.writableNeedDrain) await drained(res);
      }
    }
  }

  async function handle(exchange: Exchange): Promise<void> {
    const { req, res } = exchange;
    const request = parseQuery(streamRequest, splitUrl(req.url ?? '').search);
    const network = choose(request.network);
    const resumed = req.headers['last-event-id'];
    if (readers.size >= readersMax) throw tooMany();
    const from = placeOf(typeof resumed === 'string' && resumed ? resumed : request.after);
    const tail = await feed.tail(network);
    if (res.destroyed) return;
    res.writeHead(200, {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
    });
    if (req.method === 'HEAD' || closed) return void res.end();
    readers.add(res);
    res.on('close', () => readers.delete(res));
    res.write(`retry: ${reconnectMs}\n\n`);
    await run(network, from ?? tail, res).catch(() => res.destroy());
  }

  return {
    handle,
    close() {
      closed = true;
      clearInterval(heartbeat);
      for (const res of readers) {
        // Its end would wait behind what its reader does not read.
        if (res.writableNeedDrain) res.destroy();
        else res.end();
      }
    },
  };
}

function write(res: ServerResponse, text: string): void {
  if (text === '' || res.destroyed) return;
  if (res.writableLength + text.length > waitingBytesMax && res.writableNeedDrain) res.destroy();
  else res.write(text);
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

const frames = (network: Network, events: readonly PlacedEvent[]): string =>
  events
    .map((event) => {
      const data = JSON.stringify(viewOf(network, event));
      return `id: ${formatPosition(event.place)}\nevent: ${event.event}\ndata: ${data}\n\n`;
    })
    .join('');

/** @throws ProblemError 400 for an id that no stream of this service gave out */
function placeOf(cursor: string | undefined): Place | undefined {
  if (cursor === undefined) return undefined;
  const place = parsePosition(cursor);
  if (place) return place;
  const message = 'is not the id of an event of this stream; leave it out to begin anew';
  throw new ProblemError({
    status: 400,
    code: 'bad_cursor',
    title: 'Bad cursor',
    detail: `last-event-id ${message}.`,
    errors: [{ path: 'header.last-event-id', message }],
  });
}

function tooMany(): ProblemError {
  const detail =
    'This host has as many open streams as it bears; try again shortly, or poll /api/adaptors/events.';
  const headers = { 'retry-after': '10' };
  return new ProblemError({ status: 503, code: 'too_many_streams', title: 'Not available', detail, headers });
}
