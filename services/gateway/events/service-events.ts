import { networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import type { PositionedEvent } from '../../../db/queries/registry-events.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { route } from '../../../lib/http/route.ts';
import { serviceEventKinds, serviceEventNames } from '../../../lib/webhooks/service-events.ts';
import { serviceLog } from '../live/feed.ts';
import { reconnectMs } from '../live/streams.ts';
import { atMs, limitParameter, networkParameter } from '../openapi/parts.ts';
import type { ReadDependencies } from '../reads/read.ts';
import { chooseCursor, type StreamDependencies } from './events.ts';

const limitDefault = 100;

const cursor = z
  .string()
  .refine((text) => serviceLog.parse(text) !== undefined, 'expected the id of an event of the service')
  .optional();

const [firstBody, ...otherBodies] = serviceEventNames.map((name) =>
  z.object({
    network: z.enum(networks),
    event: z.literal(name),
    data: serviceEventKinds[name].data,
    timestampMs: z.int().meta({ description: 'Milliseconds since the epoch.' }),
    id: z.string().meta({ description: '`svc_<number>`. It is also the cursor of the event.' }),
  }),
);

/** An event of the service as webhooks receive it. */
export const serviceEventBody = z
  .discriminatedUnion('event', [firstBody!, ...otherBodies])
  .meta({ id: 'ServiceEvent' });

export const serviceEventsBody = z
  .object({
    network: z.enum(networks),
    count: z.int().min(0),
    events: z.array(serviceEventBody).meta({ description: 'In the order of their numbers.' }),
    cursor: z
      .string()
      .nullable()
      .meta({ description: 'Send it as `after` to get what comes next; null before the first event.' }),
    hasMore: z.boolean().meta({ description: 'Whether there are more events now.' }),
  })
  .meta({ id: 'ServiceEvents' });

const example = {
  network: 'testnet',
  event: 'Quarantined',
  data: serviceEventKinds.Quarantined.example,
  timestampMs: atMs,
  id: 'svc_7',
};

export function toServiceEventBody(
  network: (typeof networks)[number],
  { event, data, timestampMs, id }: PositionedEvent,
): z.infer<typeof serviceEventBody> {
  return { network, event, data, timestampMs, id } as z.infer<typeof serviceEventBody>;
}

const list = route({
  method: 'get',
  path: '/api/adaptors/service-events',
  cacheControl: 'public, no-cache',
  query: z.object({
    network: networkParameter,
    after: cursor.meta({ description: 'Id of the last event that you have. Default: from the first event.' }),
    limit: limitParameter.meta({ description: `Most events; default: ${limitDefault}.` }),
  }),
  operation: {
    operationId: 'listServiceEvents',
    tag: 'events',
    summary: "List the service's own events after a cursor",
    description:
      'What this host decided or observed about adaptors, such as quarantines. To go on, send the `cursor` of the ' +
      'response as `after`.',
    response: { description: 'In the order of their numbers.', schema: serviceEventsBody },
    conditional: true,
    refusals: ['network_not_configured', 'database_unavailable'],
    example: {
      query: { limit: '1' },
      answer: { network: 'testnet', count: 1, events: [example], cursor: example.id, hasMore: false },
    },
  },
  async handler({ query }, { reads, choose }: ReadDependencies) {
    const { after, limit = limitDefault } = query;
    const network = choose(query.network);
    const from = serviceLog.parse(after ?? 'svc_0')!;
    const read = await serviceLog.read(reads.begin(), network, from, limit + 1);
    const items = read.slice(0, limit).map((event) => toServiceEventBody(network, event));
    const page = cutPage({ items, cursors: items.map(({ id }) => id), hasMore: read.length > limit });
    return {
      network,
      count: page.items.length,
      events: page.items,
      cursor: page.items.at(-1)?.id ?? after ?? null,
      hasMore: page.nextCursor !== undefined,
    } satisfies z.infer<typeof serviceEventsBody>;
  },
});

const stream = route({
  method: 'get',
  path: '/api/adaptors/service-events/stream',
  mediaType: 'text/event-stream',
  query: z.object({
    network: networkParameter,
    after: cursor.meta({ description: 'Id of the last event that you have. Default: from now on.' }),
  }),
  operation: {
    operationId: 'streamServiceEvents',
    tag: 'events',
    summary: "Stream the service's own events",
    description:
      'Server-sent events as of `/api/adaptors/events/stream`. The stream continues after `Last-Event-ID`, which browsers ' +
      'send by themselves.',
    requestHeaders: z.object({
      'last-event-id': z.string().optional().meta({ description: 'Id of the last event that was received.' }),
    }),
    response: {
      description: 'The stream, until the caller or the service ends it.',
      schema: z.string().meta({
        description:
          'Server-sent events, each ended by an empty line: `id` is the id, `event` the name, `data` a ServiceEvent as JSON ' +
          'in one line.',
        contentMediaType: 'text/event-stream',
      }),
      itemSchema: serviceEventBody,
    },
    refusals: ['network_not_configured', 'bad_cursor', 'too_many_streams', 'database_unavailable'],
    example: {
      answer: `retry: ${reconnectMs}\nid: svc_6\n\nid: ${example.id}\nevent: ${example.event}\ndata: ${JSON.stringify(example)}\n\n`,
    },
  },
  async handler({ exchange, query }, { choose, serviceStreams }: StreamDependencies) {
    const network = choose(query.network);
    await serviceStreams.send(exchange, network, chooseCursor(exchange, query.after));
  },
});

export const serviceEventRoutes = [list, stream];
