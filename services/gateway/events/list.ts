import { networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import {
  beginning,
  formatPosition,
  type PositionedEvent,
  parsePosition,
  readRegistryEvents,
} from '../../../db/queries/registry-events.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { sendJson } from '../../../lib/http/exchange.ts';
import { route } from '../../../lib/http/route.ts';
import {
  atMs,
  digest,
  limitParameter,
  manifestUri,
  networkParameter,
  packageId,
  publisher,
  serviceType,
} from '../openapi/parameters.ts';
import { indexedHeader } from '../openapi/responses.ts';
import type { ReadDependencies } from '../reads/read.ts';

const limitDefault = 100;

export const cursorOfEvent = z
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

export const exampleEvent = {
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
    await sendJson(exchange, body, 'public, no-cache');
  },
});

export function viewOf(
  network: (typeof networks)[number],
  { event, data, timestampMs, id, position }: PositionedEvent,
): z.infer<typeof eventBody> {
  return { network, event, data, timestampMs, id, cursor: formatPosition(position) };
}
