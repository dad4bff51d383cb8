import { z } from 'zod';
import type { ZodOpenApiPathsObject } from 'zod-openapi';
import { eventsBody, eventsRequest, streamRequest } from '../events/shapes.ts';
import { indexed, ok, refused } from './responses.ts';

const badQuery = refused(
  'A parameter is repeated or invalid; errors names each. `network_not_configured`: this host does not serve the ' +
    'network; detail lists those that it serves.',
);
const notAcceptable = refused('The accept header refuses the form of the answer.');

const eventStream = z.string().meta({
  description:
    'Server-sent events, each ended by an empty line: `id` is the cursor, `event` the name, `data` an Event as JSON in ' +
    'one line. Lines that begin with a colon keep the connection open and say nothing.',
  contentMediaType: 'text/event-stream',
});
/** Read by people and tools: OpenAPI 3.1 has no field for the items of a stream. */
const eventRef = { $ref: '#/components/schemas/Event' };

/** What webhooks bring, for whoever rather asks or holds a connection. */
export const eventPaths: ZodOpenApiPathsObject = {
  '/api/adaptors/events': {
    get: {
      operationId: 'listEvents',
      tags: ['events'],
      summary: 'Registry events after a cursor',
      description: 'The same events as webhooks get. Ask again with the `cursor` of the answer before.',
      requestParams: { query: eventsRequest, header: z.object({ 'if-none-match': z.string().optional() }) },
      responses: {
        200: ok('In the order of the chain.', eventsBody, indexed),
        304: { description: 'Unchanged since the given etag.' },
        400: badQuery,
        406: notAcceptable,
        503: refused('This host cannot reach its database.'),
      },
    },
  },
  '/api/adaptors/events/stream': {
    get: {
      operationId: 'streamEvents',
      tags: ['events'],
      summary: 'Registry events as they come',
      description:
        'Server-sent events: `id` is the cursor, `event` the name, `data` an Event as JSON. Goes on after ' +
        '`Last-Event-ID`, which browsers send by themselves. Who reads too slowly is let go, and resumes so.',
      requestParams: {
        query: streamRequest,
        header: z.object({ 'last-event-id': z.string().optional() }),
      },
      responses: {
        200: {
          description: 'The stream, until the caller goes away or the host ends it.',
          content: { 'text/event-stream': { schema: eventStream, 'x-itemSchema': eventRef } },
        },
        400: badQuery,
        406: notAcceptable,
        503: refused('`too_many_streams`, or the database cannot be reached.'),
      },
    },
  },
};
