import { networks } from '@adaptor-marketplace/adaptor/networks';
import { z } from 'zod';
import { parsePosition } from '../../../lib/webhooks/position.ts';
import { limitParameter, networkParameter } from '../request/parameters.ts';

const cursor = z
  .string()
  .refine((text) => parsePosition(text) !== undefined, 'expected a cursor that this service gave out')
  .meta({ description: 'Cursor of the last event that you have.' });

export const eventsRequest = z.object({
  network: networkParameter,
  after: cursor
    .optional()
    .meta({ description: 'Cursor of the last event that you have; absent: from the first.' }),
  limit: limitParameter.meta({ description: 'Most events; absent: 100.' }),
});

export const streamRequest = z.object({
  network: networkParameter,
  after: cursor
    .optional()
    .meta({ description: 'Cursor of the last event that you have; absent: what happens from now on.' }),
});

/** The same as a webhook gets, and where it stands. */
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
      .meta({ description: 'Ask with it for what comes after; null before the first event.' }),
    hasMore: z.boolean().meta({ description: 'Whether there are more already.' }),
  })
  .meta({ id: 'Events' });
