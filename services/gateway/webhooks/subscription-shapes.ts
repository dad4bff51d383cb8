import { z } from 'zod';
import { disabledReasons, subscriptionStates, webhookEvents } from '../../../lib/webhooks/subscriptions.ts';
import { addressParameter, serviceTypeParameter } from '../openapi/parts.ts';

export const webhookId = 'wh_8sQm2Kd1';
/** The parameter of the paths below one webhook. */
export const idParameter = { id: { description: 'Id of the webhook, `wh_...`.', example: webhookId } };

export const milliseconds = z.int().meta({ description: 'Milliseconds since the epoch.' });

const secretLengthMax = 256;
/** A shorter secret can be guessed from one delivery: its signature tells whether a guess is right. */
export const secretLengthAdvised = 16;

const secret = z
  .string()
  .min(1)
  .max(secretLengthMax)
  .refine((text) => text.isWellFormed(), 'expected well-formed Unicode')
  .meta({
    description: `Signs the deliveries; never shown again. At least ${secretLengthAdvised} characters. Best: whsec_ followed by base64.`,
  });

const eventNames = z
  .array(z.enum(webhookEvents))
  .min(1, 'name at least one event')
  .max(webhookEvents.length, `name each of the ${webhookEvents.length} events once`)
  .refine((events) => new Set(events).size === events.length, 'names an event twice');

const webhookUrl = z
  .string()
  .min(1)
  .max(2048)
  .meta({ description: 'http or https, resolving to a public address.' });

export const subscribeRequest = z.strictObject({
  url: webhookUrl,
  events: eventNames,
  wallet: addressParameter.optional().meta({
    description:
      'Id of a wallet: only events about services that it granted to before the event, and still grants to. It cannot be changed.',
  }),
  serviceType: serviceTypeParameter.optional().meta({
    description:
      'Service type of an adaptor: only events about it, of all of its publishers, or about all listings of one of them. It cannot be changed.',
  }),
  publisher: addressParameter.optional().meta({
    description:
      'Address of a publisher: only events about its listings, and reviews and quarantines of service types that it listed. It cannot be changed.',
  }),
  secret: secret.optional(),
});

/** A week. */
const rotationMsMax = 604_800_000;

export const changeRequest = z
  .strictObject({
    state: z.enum(['active', 'paused']).optional(),
    events: eventNames.optional().meta({
      description: 'Events from now on. Those that happened before are still sent by the list of then.',
    }),
    url: webhookUrl.optional(),
    secret: secret
      .nullable()
      .optional()
      .meta({ description: 'A new secret, or null for none. Deliveries are signed with it from now on.' }),
    keepPreviousSecretMs: z
      .int()
      .min(0)
      .max(rotationMsMax)
      .optional()
      .meta({
        description:
          'With a new secret: for so long, deliveries are signed with the previous one too. 0 alone: the previous one ' +
          'is no longer valid.',
      }),
  })
  .refine((change) => Object.values(change).some((value) => value !== undefined), {
    error: 'give state, events, url, secret or keepPreviousSecretMs',
  })
  .refine(({ secret, keepPreviousSecretMs }) => !keepPreviousSecretMs || typeof secret === 'string', {
    path: ['keepPreviousSecretMs'],
    error: 'give the new secret too',
  });

/** Highest number of events that a backlog counts, for each stream. */
export const backlogMax = 1_000;

export const subscriptionBody = z
  .object({
    id: z.string().meta({ description: '`wh_...`' }),
    url: z.string(),
    events: z.array(z.enum(webhookEvents)),
    wallet: z.string().nullable().meta({
      description: 'It receives only events about services that this wallet grants to; null for all events.',
    }),
    serviceType: z.string().nullable().meta({
      description: 'It receives only events about this service type; null for all events.',
    }),
    publisher: z.string().nullable().meta({
      description: 'It receives only events about listings of this publisher; null for all events.',
    }),
    state: z.enum(subscriptionStates),
    disabledReason: z
      .enum(disabledReasons)
      .optional()
      .meta({ description: 'gone: the receiver answered 410. failing: every attempt of five days failed.' }),
    signing: z.enum(['none', 'ready', 'unreadable']).meta({
      description:
        'unreadable: the service can no longer decrypt the secret. Nothing is sent until you set it again.',
    }),
    backlog: z
      .int()
      .min(0)
      .meta({
        description: `Events that wait for their first attempt; counted up to ${backlogMax.toLocaleString('en')} for each network and kind (registry, service).`,
      }),
    previousSecretUntilMs: milliseconds
      .nullable()
      .meta({ description: 'Until then, deliveries are signed with the previous secret too.' }),
    failingSinceMs: milliseconds.nullable().meta({ description: 'First failure since the last success.' }),
    createdMs: milliseconds,
    owner: z.string().optional().meta({ description: 'Id of the API key that created it; for the admin.' }),
    warnings: z
      .array(z.object({ code: z.literal('short_secret'), detail: z.string() }))
      .optional()
      .meta({ description: 'Weaknesses of what the request has set.' }),
  })
  .meta({ id: 'Webhook' });

export const subscriptionsBody = z
  .object({
    count: z.int().min(0),
    webhooks: z.array(subscriptionBody),
    missing: z.array(z.string()).meta({
      description:
        'Ids of webhooks whose records the key-value store has lost. They receive nothing until the operator restores the store, and you can delete them.',
    }),
  })
  .meta({ id: 'Webhooks', description: 'Oldest first.' });
