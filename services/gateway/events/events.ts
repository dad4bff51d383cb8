import { networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import {
  beginning,
  formatPosition,
  type PositionedEvent,
  parsePosition,
  readRegistryEvents,
} from '../../../db/queries/registry-events.ts';
import { registryEvents } from '../../../lib/chain/events/registry.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import { reconnectMs } from '../live/streams.ts';
import {
  atMs,
  digest,
  indexedHeader,
  limitParameter,
  manifestHash,
  manifestUri,
  type NetworkChoice,
  networkParameter,
  packageId,
  publisher,
  serviceType,
} from '../openapi/parts.ts';
import type { ReadDependencies } from '../reads/read.ts';
import { registryEventData } from './registry-data.ts';
import type { EventStreams } from './streams.ts';

const limitDefault = 100;

const cursorOfEvent = z
  .string()
  .refine((text) => parsePosition(text) !== undefined, 'expected a cursor of this service')
  .optional();

const [firstBody, ...otherBodies] = registryEvents.names.map((name) =>
  z.object({
    network: z.enum(networks),
    event: z.literal(name),
    data: registryEventData[name]
      .nullable()
      .meta({ description: "The event's own fields; null where its bytes did not decode." }),
    timestampMs: z.int().meta({ description: 'Milliseconds since the epoch.' }),
    id: z.string().meta({ description: '`<transaction digest>:<event index>`' }),
    cursor: z.string().meta({ description: '`<checkpoint>.<transaction index>.<event index>`' }),
  }),
);

/** An event as webhooks receive it, with its cursor. */
export const eventBody = z.discriminatedUnion('event', [firstBody!, ...otherBodies]).meta({ id: 'Event' });

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
  data: { publisher, serviceType, packageId, manifestUri, manifestHash, version: 1, timestampMs: atMs },
  timestampMs: atMs,
  id: `${digest}:0`,
  cursor: '17.0.2',
};

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
  async handler({ exchange, query }, { reads, choose, watch }: ReadDependencies) {
    const { after, limit = limitDefault } = query;
    const network = choose(query.network);
    const checkpoint = watch.checkpoint(network, 'registry');
    if (checkpoint !== undefined) exchange.res.setHeader('x-indexed-checkpoint', checkpoint);
    const from = after === undefined ? beginning : parsePosition(after)!;
    const read = await readRegistryEvents(reads.begin(), network, from, limit + 1);
    const shown = read.slice(0, limit).map((event) => toEventBody(network, event));
    const cursors = shown.map(({ cursor }) => cursor);
    const page = { items: shown, cursors, hasMore: read.length > limit };
    const { items: events, nextCursor } = cutPage(page);
    const body: z.infer<typeof eventsBody> = {
      network,
      count: events.length,
      events,
      cursor: events.at(-1)?.cursor ?? after ?? null,
      hasMore: nextCursor !== undefined,
    };
    return body;
  },
});

export function toEventBody(
  network: (typeof networks)[number],
  { event, data, timestampMs, id, position }: PositionedEvent,
): z.infer<typeof eventBody> {
  const body = { network, event, data, timestampMs, id, cursor: formatPosition(position) };
  return body as z.infer<typeof eventBody>;
}

export interface StreamDependencies {
  choose: NetworkChoice;
  streams: EventStreams;
  serviceStreams: EventStreams;
}

/** Returns the cursor after which a stream continues: `Last-Event-ID` of a reader that resumes, else that of the query. */
export function chooseCursor({ req }: Exchange, after: string | undefined): string | undefined {
  const resumed = req.headers['last-event-id'];
  return typeof resumed === 'string' && resumed !== '' ? resumed : after;
}

const eventStream = z.string().meta({
  description:
    'Server-sent events, each ended by an empty line: `id` is the cursor, `event` the name, `data` an Event as JSON in ' +
    'one line. Lines that begin with a colon are comments that keep the connection open.',
  contentMediaType: 'text/event-stream',
});

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
      '`Last-Event-ID`, which browsers send by themselves. It begins with an `id` without data: where a reader continues ' +
      'that is disconnected before its first event. A reader that is too slow is disconnected, and can resume.',
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
      answer: `retry: ${reconnectMs}\nid: 16.4.0\n\nid: ${exampleEvent.cursor}\nevent: ${exampleEvent.event}\ndata: ${JSON.stringify(exampleEvent)}\n\n`,
    },
  },
  async handler({ exchange, query }, { choose, streams }: StreamDependencies) {
    const network = choose(query.network);
    await streams.send(exchange, network, chooseCursor(exchange, query.after));
  },
});
