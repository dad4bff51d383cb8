import { networks } from '@adaptor-marketplace/adaptor/networks';
import { z } from 'zod';
import { disabledReasons, subscriptionStates, webhookEvents } from '../../../lib/webhooks/subscriptions.ts';
import { cursorParameter, networkParameter } from '../request/parameters.ts';

const milliseconds = z.int().meta({ description: 'Milliseconds since the epoch.' });

const eventList = z
  .array(z.enum(webhookEvents))
  .min(1, 'name at least one event')
  .max(webhookEvents.length, `name each of the ${webhookEvents.length} events once`)
  .refine((events) => new Set(events).size === events.length, 'names an event twice');

const secretLength = { min: 8, max: 256 };
const secret = z
  .string()
  .min(secretLength.min, `expected ${secretLength.min} to ${secretLength.max} characters`)
  .max(secretLength.max, `expected ${secretLength.min} to ${secretLength.max} characters`)
  .regex(/^[\x21-\x7e]+$/, 'expected printable ASCII without spaces')
  .meta({ description: 'By which deliveries are signed; never shown again. whsec_ + base64 is best.' });

/** Body of `POST /api/adaptors/webhooks`. */
export const subscribeRequest = z.strictObject({
  url: z.string().min(1).max(2048).meta({ description: 'http or https, leading to a public address.' }),
  events: eventList,
  secret: secret.optional(),
});

/** Body of `PATCH /api/adaptors/webhooks/{id}`. */
export const changeRequest = z
  .strictObject({
    state: z.enum(['active', 'paused']).optional(),
    secret: secret
      .nullable()
      .optional()
      .meta({ description: 'A new secret, or null for none. Deliveries are signed with it at once.' }),
  })
  .refine(({ state, secret }) => state !== undefined || secret !== undefined, {
    error: 'give state, secret or both',
  });

/** Body of `POST /api/adaptors/webhooks/{id}/resend`. */
export const resendRequest = z.strictObject({
  since: z
    .union([z.int().min(0).max(8_640_000_000_000_000), z.iso.datetime({ offset: true })], {
      error: 'expected milliseconds since the epoch or an ISO 8601 time',
    })
    .meta({ description: 'Time of the first event: milliseconds since the epoch or ISO 8601.' }),
  network: networkParameter.meta({ description: 'Absent: each network of this host.' }),
});

export const dispatchRequest = z.strictObject({ network: networkParameter });

export const deliveriesMax = 100;
export const deliveriesRequest = z.strictObject({
  state: z.enum(['pending', 'delivered', 'failed']).optional(),
  limit: z
    .string()
    .regex(/^[1-9]\d{0,2}$/, `expected a whole number from 1 to ${deliveriesMax}`)
    .transform(Number)
    .pipe(z.int().max(deliveriesMax, `expected a whole number from 1 to ${deliveriesMax}`))
    .optional()
    .meta({
      description: 'Most deliveries per page; absent: 20.',
      override: ({ jsonSchema }) => {
        delete jsonSchema.pattern;
        Object.assign(jsonSchema, { type: 'integer', minimum: 1, maximum: deliveriesMax });
      },
    }),
  cursor: cursorParameter,
});

export const subscriptionBody = z
  .object({
    id: z.string().meta({ description: '`wh_...`' }),
    url: z.string(),
    events: z.array(z.enum(webhookEvents)),
    state: z.enum(subscriptionStates),
    disabledReason: z
      .enum(disabledReasons)
      .optional()
      .meta({ description: 'gone: the receiver answered 410. failing: every attempt of five days failed.' }),
    signing: z.enum(['none', 'ready', 'unreadable']).meta({
      description: 'unreadable: the host has lost the secret; set it anew. Nothing is sent until then.',
    }),
    failingSinceMs: milliseconds.nullable().meta({ description: 'First failure since the last success.' }),
    createdMs: milliseconds,
    owner: z.string().optional().meta({ description: 'Id of the API key that made it; for the admin.' }),
  })
  .meta({ id: 'Webhook' });

export const subscriptionsBody = z
  .object({ count: z.int().min(0), webhooks: z.array(subscriptionBody) })
  .meta({ id: 'Webhooks', description: 'Oldest first.' });

export const deliveryBody = z
  .object({
    id: z.string(),
    network: z.string(),
    eventId: z.string().meta({ description: 'The `id` of the body that is sent.' }),
    event: z.string(),
    state: z.string().meta({ description: 'pending, delivered or failed (no attempt is left).' }),
    createdMs: milliseconds,
    dueMs: milliseconds.nullable().meta({ description: 'When it is sent next.' }),
    attempts: z.array(
      z.object({
        number: z.int().min(1),
        startedMs: milliseconds,
        durationMs: z.int().min(0),
        outcome: z.string().meta({
          description:
            'delivered, http_status, redirect, timeout, network, forbidden_address or forbidden_url.',
        }),
        status: z.int().nullable().meta({ description: 'HTTP status, where one came.' }),
        error: z.string().nullable(),
        response: z.string().nullable().meta({ description: "Beginning of the answer's body." }),
      }),
    ),
  })
  .meta({ id: 'WebhookDelivery' });

export const deliveriesBody = z
  .object({
    count: z.int().min(0),
    deliveries: z.array(deliveryBody),
    nextCursor: z.string().optional().meta({ description: 'Present where there are more.' }),
  })
  .meta({ id: 'WebhookDeliveries', description: 'The newest first.' });

export const resentBody = z
  .object({
    count: z.int().min(0).meta({ description: 'Events that are sent again.' }),
    nextSinceMs: milliseconds
      .optional()
      .meta({ description: 'Present where there are more: ask again with this `since`.' }),
  })
  .meta({ id: 'Resent' });

export const dispatchBody = z
  .object({
    network: z.enum(networks),
    cursor: z.string().nullable().meta({
      description: 'The last registry event whose deliveries are written, as the events feed names it.',
    }),
    events: z.int().min(0).meta({ description: 'Registry events whose deliveries were written now.' }),
    delivered: z.int().min(0).meta({ description: 'Attempts that succeeded.' }),
    failed: z.int().min(0).meta({ description: 'Attempts that failed; most are made again.' }),
    pending: z.int().min(0).meta({ description: 'Deliveries that are still to be sent, now or later.' }),
    missing: z.int().min(0).meta({
      description: 'Known subscriptions that the key-value store has lost; the cursor waits for them.',
    }),
  })
  .meta({ id: 'Dispatch' });
