import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { type Network, networks } from '@adaptor-marketplace/adaptor';
import { Gauge, type Registry } from '@prometheus-io/client';
import { z } from 'zod';
import type { Queryable } from '../../../db/queries/queryable.ts';
import {
  beginning,
  formatPosition,
  isBefore,
  type Position,
  type PositionedEvent,
  parsePosition,
  readRegistryEvents,
} from '../../../db/queries/registry-events.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import { callerOf } from '../access/caller.ts';
import type { EventFeed, Reader } from '../live/watch.ts';
import {
  atMs,
  digest,
  indexedHeader,
  limitParameter,
  manifestUri,
  type NetworkChoice,
  networkParameter,
  packageId,
  publisher,
  serviceType,
} from '../openapi/parts.ts';
import type { ReadDependencies } from '../reads/read.ts';

const limitDefault = 100;

const cursorOfEvent = z
  .string()
  .refine((text) => parsePosition(text) !== undefined, 'expected a cursor of this service')
  .optional();

/** The same as a webhook gets, with its cursor. */
export const eventBody = z
  .object({
    network: z.enum(networks),
    event: z.string().meta({ description: 'Registered, Updated, Unlisted or Attested.' }),
    data: z
      .looseObject({})
      .nullable()
      .meta({ description: "The event's own fields; null where its bytes did not decode." }),
    timestampMs: z.int().meta({ description: 'Milliseconds since the epoch.' }),
    id: z.string().meta({ description: '`<transaction digest>:<event index>`' }),
    cursor: z.string().meta({ description: '`<checkpoint>.<transaction index>.<event index>`' }),
  })
  .meta({ id: 'Event' });

export const eventsBody = z
  .object({
    network: z.enum(networks),
    count: z.int().min(0),
    events: z.array(eventBody).meta({ description: 'In the order of the chain.' }),
    cursor: z
      .string()
      .nullable()
      .meta({ description: 'Send it as `after` to get what comes next; null before the first event.' }),
    hasMore: z.boolean().meta({ description: 'Whether there are more events now.' }),
  })
  .meta({ id: 'Events' });

const exampleEvent = {
  network: 'testnet',
  event: 'Registered',
  data: { publisher, serviceType, packageId, manifestUri, version: 1 },
  timestampMs: atMs,
  id: `${digest}:0`,
  cursor: '17.0.2',
};

/** The events that webhooks send, for callers that poll. */
export const listEvents = route({
  method: 'get',
  path: '/api/adaptors/events',
  cacheControl: 'public, no-cache',
  query: z.object({
    network: networkParameter,
    after: cursorOfEvent.meta({
      description: 'Cursor of the last event that you have. Default: from the first event.',
    }),
    limit: limitParameter.meta({ description: `Most events; default: ${limitDefault}.` }),
  }),
  operation: {
    operationId: 'listEvents',
    tag: 'events',
    summary: 'List registry events after a cursor',
    description: 'The events that webhooks send. To go on, send the `cursor` of the response as `after`.',
    response: { description: 'In the order of the chain.', schema: eventsBody, headers: indexedHeader },
    conditional: true,
    refusals: ['network_not_configured', 'database_unavailable'],
    example: {
      query: { limit: '1' },
      answer: {
        network: 'testnet',
        count: 1,
        events: [exampleEvent],
        cursor: exampleEvent.cursor,
        hasMore: false,
      },
    },
  },
  async handler({ exchange, query }, { db, choose, watch }: ReadDependencies) {
    const { after, limit = limitDefault } = query;
    const network = choose(query.network);
    const checkpoint = watch.checkpoint(network, 'registry');
    if (checkpoint !== undefined) exchange.res.setHeader('x-indexed-checkpoint', checkpoint);
    const from = after === undefined ? beginning : parsePosition(after)!;
    const found = await readRegistryEvents(db, network, from, limit + 1);
    const shown = found.slice(0, limit).map((event) => viewOf(network, event));
    const cursors = shown.map(({ cursor }) => cursor);
    const { items: events, hasMore } = cutPage({ items: shown, cursors, hasMore: found.length > limit });
    const body: z.infer<typeof eventsBody> = {
      network,
      count: events.length,
      events,
      cursor: events.at(-1)?.cursor ?? after ?? null,
      hasMore,
    };
    return body;
  },
});

function viewOf(
  network: (typeof networks)[number],
  { event, data, timestampMs, id, position }: PositionedEvent,
): z.infer<typeof eventBody> {
  return { network, event, data, timestampMs, id, cursor: formatPosition(position) };
}

const readersMax = 2_000;
/** Events that are read at a time for a reader that is behind. */
const pageMax = 50;
/** Of one API key or address, so that no caller can take all of them. */
const readersPerCallerMax = 100;
/** Bytes that are buffered for a reader. Events beyond them are read again once it has received these. */
const waitingBytesMax = 64 * 1024;
/** How long a reader that is behind may take to receive what is written. */
const drainMsMax = 30_000;
const heartbeatMs = 15_000;
const reconnectMs = 2_000;

interface EventStreams {
  /**
   * Sends the events of a network after a position, until the caller leaves or the streams are closed.
   * @param after a cursor; undefined: from now on
   * @throws ProblemError 429 or 503 `too_many_streams`
   */
  send(exchange: Exchange, network: Network, after: string | undefined): Promise<void>;
  /** Ends all streams. Their readers reconnect, to another process. */
  close(): void;
}

export interface StreamDependencies {
  choose: NetworkChoice;
  streams: EventStreams;
}

const eventStream = z.string().meta({
  description:
    'Server-sent events, each ended by an empty line: `id` is the cursor, `event` the name, `data` an Event as JSON in ' +
    'one line. Lines that begin with a colon are comments that keep the connection open.',
  contentMediaType: 'text/event-stream',
});

/** Server-sent events that continue where the reader left off. */
export const streamEvents = route({
  method: 'get',
  path: '/api/adaptors/events/stream',
  mediaType: 'text/event-stream',
  query: z.object({
    network: networkParameter,
    after: cursorOfEvent.meta({
      description: 'Cursor of the last event that you have. Default: from now on.',
    }),
  }),
  operation: {
    operationId: 'streamEvents',
    tag: 'events',
    summary: 'Stream registry events',
    description:
      'Server-sent events: `id` is the cursor, `event` the name, `data` an Event as JSON. The stream continues after ' +
      '`Last-Event-ID`, which browsers send by themselves. A reader that is too slow is disconnected, and can resume.',
    requestHeaders: z.object({
      'last-event-id': z.string().optional().meta({ description: 'Id of the last event that was received.' }),
    }),
    response: {
      description: 'The stream, until the caller or the service ends it.',
      schema: eventStream,
      itemSchema: eventBody,
    },
    refusals: ['network_not_configured', 'bad_cursor', 'too_many_streams', 'database_unavailable'],
    example: {
      answer: `retry: ${reconnectMs}\n\nid: ${exampleEvent.cursor}\nevent: ${exampleEvent.event}\ndata: ${JSON.stringify(exampleEvent)}\n\n`,
    },
  },
  async handler({ exchange, query }, { choose, streams }: StreamDependencies) {
    const network = choose(query.network);
    const resumed = exchange.req.headers['last-event-id'];
    await streams.send(exchange, network, typeof resumed === 'string' && resumed ? resumed : query.after);
  },
});

export function eventStreams(db: Queryable, feed: EventFeed, metrics: Registry): EventStreams {
  /** By response: the owner of each, where it is known. */
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
  async function run(network: Network, from: Position, res: ServerResponse): Promise<void> {
    let position = from;
    let part = (): void => undefined;
    const leave = () => {
      feed.leave(network, reader);
      part();
    };
    const reader = {
      give(events: readonly PositionedEvent[]) {
        for (const event of events) {
          if (!isBefore(position, event.position)) continue;
          if (res.writableLength > waitingBytesMax) return leave();
          position = event.position;
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
      if (feed.join(network, position, reader)) await parted;
      else await readOn(network, position, res, reader);
    }
  }

  /** A page of what the reader has missed, at its own speed. */
  async function readOn(
    network: Network,
    after: Position,
    res: ServerResponse,
    reader: Reader,
  ): Promise<void> {
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

  async function send(exchange: Exchange, network: Network, after: string | undefined): Promise<void> {
    const { req, res } = exchange;
    const from = positionOf(after);
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
    send,
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

function frame(network: Network, event: PositionedEvent): string {
  const data = JSON.stringify(viewOf(network, event));
  return `id: ${formatPosition(event.position)}\nevent: ${event.event}\ndata: ${data}\n\n`;
}

/** @throws ProblemError 400 for an id that no stream of this service gave out */
function positionOf(cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined;
  const position = parsePosition(cursor);
  if (position) return position;
  const message = 'is not the id of an event of this stream; leave it out to start at the newest event';
  throw problem('bad_cursor', `last-event-id ${message}.`, {
    errors: [{ path: 'header.last-event-id', message }],
  });
}

function tooMany(status: 429 | 503, reason: string): ProblemError {
  const detail = `${reason}. Try again shortly, or poll GET /api/adaptors/events.`;
  return problem('too_many_streams', detail, { status });
}
