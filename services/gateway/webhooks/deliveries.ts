import { type Network, networks } from '@adaptor-marketplace/adaptor';
import { z } from 'zod';
import {
  addTestDelivery,
  deliveryStates,
  readDeliveries,
  readDelivery,
  readMessage,
  resendDelivery,
  resendSince,
} from '../../../db/queries/webhooks/deliveries.ts';
import { listStreams } from '../../../db/queries/webhooks/streams.ts';
import { problem } from '../../../lib/errors/index.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { wholeNumber } from '../../../lib/http/parse.ts';
import { route } from '../../../lib/http/route.ts';
import { encodeMessage } from '../../../lib/webhooks/signing.ts';
import { forKeyHolders, forScheduler, keyStoreProblems } from '../access/caller.ts';
import {
  atMs,
  cursorParameter,
  digest,
  type NetworkChoice,
  networkField,
  networkName,
  networkParameter,
  serviceType,
} from '../openapi/parts.ts';
import { attemptBody, listWebhookStatistics } from './attempts.ts';
import { findOwnSubscription, type SubscriptionSettings, type WebhookDependencies } from './ownership.ts';
import { idParameter, milliseconds } from './subscription-shapes.ts';

export interface DeliveryDependencies extends WebhookDependencies {
  networks: readonly { network: Network }[];
  choose: NetworkChoice;
}

const deliveriesDefault = 20;
const resendMax = 10_000;

const deliveriesRequest = z.strictObject({
  state: z
    .enum(['pending', 'delivered', 'failed'])
    .optional()
    .meta({ description: 'Only deliveries in this state.' }),
  limit: wholeNumber(100).meta({ description: `Most deliveries per page; default: ${deliveriesDefault}.` }),
  cursor: cursorParameter,
});

export const deliveryBody = z
  .object({
    id: z.string().meta({
      description:
        '`<network>.<cursor of the event>`; `<network>.service.<number>.0.0` for an event of the service, and a number for ' +
        'a test event.',
    }),
    network: z.enum(networks),
    eventId: z.string().meta({ description: 'The `id` of the body that is sent.' }),
    event: z.string(),
    state: z.enum(deliveryStates).meta({
      description: '`pending`: it failed or was asked for, and is sent again. `failed`: no attempt is left.',
    }),
    createdMs: milliseconds,
    dueMs: milliseconds.nullable().meta({ description: 'When it is sent next.' }),
    attempts: z.array(attemptBody),
  })
  .meta({ id: 'WebhookDelivery' });

export const deliveriesBody = z
  .object({
    count: z.int().min(0),
    deliveries: z.array(deliveryBody),
    nextCursor: z.string().optional().meta({ description: 'Present where there are more.' }),
  })
  .meta({ id: 'WebhookDeliveries', description: 'Newest first.' });

const delivered = {
  id: 'testnet.17.0.0',
  network: 'testnet',
  eventId: `${digest}:0`,
  event: 'Registered',
  state: 'delivered',
  createdMs: atMs,
  dueMs: null,
  attempts: [
    {
      number: 1,
      startedMs: atMs,
      durationMs: 84,
      outcome: 'delivered',
      status: 204,
      error: null,
      response: null,
    },
  ],
};
const pending = { ...delivered, state: 'pending', dueMs: atMs };

const path = '/api/adaptors/webhooks/:id';

const list = route({
  method: 'get',
  path: `${path}/deliveries`,
  parameters: idParameter,
  ...forKeyHolders,
  query: deliveriesRequest,
  operation: {
    operationId: 'listWebhookDeliveries',
    tag: 'webhooks',
    summary: "List a webhook's deliveries with their attempts",
    description:
      'Deliveries that were attempted or asked for. Events that still wait for their first attempt are counted in the ' +
      "webhook's `backlog`. Deliveries are deleted after 30 days, and beyond the latest 10,000.",
    response: { description: 'A page of deliveries, newest first.', schema: deliveriesBody },
    refusals: ['webhook_not_found', ...keyStoreProblems],
    example: { query: { state: 'delivered' }, answer: { count: 1, deliveries: [delivered] } },
  },
  async handler({ exchange, parameters, query }, dependencies: WebhookDependencies) {
    const { id: subscription } = await findOwnSubscription(dependencies, exchange, parameters.id);
    const { limit = deliveriesDefault, state, cursor } = query;
    const read = await readDeliveries(dependencies.db, { subscription, limit, state, cursor });
    const { items, nextCursor } = cutPage(read);
    return { count: items.length, deliveries: items, nextCursor };
  },
});

export const sentDeliveryBody = deliveryBody
  .extend({ body: z.string().meta({ description: 'The body of the request: the same at every attempt.' }) })
  .meta({ id: 'SentWebhookDelivery' });

const exampleBody = { network: 'testnet', event: 'Registered', data: { serviceType }, timestampMs: atMs };

/** Names one delivery of a webhook. */
const deliveryParameters = {
  ...idParameter,
  deliveryId: { description: 'Id of the delivery.', example: delivered.id },
};

const getDelivery = route({
  method: 'get',
  path: `${path}/deliveries/:deliveryId`,
  parameters: deliveryParameters,
  ...forKeyHolders,
  operation: {
    operationId: 'getWebhookDelivery',
    tag: 'webhooks',
    summary: 'Get a delivery with the body that is sent',
    response: { description: 'The delivery.', schema: sentDeliveryBody },
    refusals: ['webhook_not_found', 'delivery_not_found', ...keyStoreProblems],
    example: {
      answer: { ...delivered, body: JSON.stringify({ ...exampleBody, id: delivered.eventId }) },
    },
  },
  async handler({ exchange, parameters: { id, deliveryId } }, dependencies: WebhookDependencies) {
    const { id: subscription } = await findOwnSubscription(dependencies, exchange, id);
    const delivery = await requireDelivery(dependencies, subscription, deliveryId);
    const message = await readMessage(dependencies.db, subscription, deliveryId);
    if (!message) throw deliveryNotFound();
    return { ...delivery, body: encodeMessage(message).toString() } satisfies z.infer<
      typeof sentDeliveryBody
    >;
  },
});

const sendTest = route({
  method: 'post',
  path: `${path}/test`,
  parameters: idParameter,
  ...forKeyHolders,
  operation: {
    operationId: 'sendTestEvent',
    tag: 'webhooks',
    summary: 'Send a test event to a webhook',
    description:
      'The event has the name Test and an id that begins with `test:`. The deliveries of the webhook show its attempts.',
    response: { description: 'The delivery, before its first attempt.', schema: deliveryBody },
    refusals: ['webhook_not_found', 'webhook_not_active', ...keyStoreProblems],
    example: { answer: { ...pending, id: '119', attempts: [], eventId: 'test:119', event: 'Test' } },
  },
  async handler({ exchange, parameters }, dependencies: DeliveryDependencies) {
    const { id } = await requireActiveSubscription(dependencies, exchange, parameters.id);
    const network = dependencies.choose(undefined);
    const delivery = await addTestDelivery(dependencies.db, id, network, { webhook: id });
    return await requireDelivery(dependencies, id, delivery);
  },
});

const resendOne = route({
  method: 'post',
  path: `${path}/deliveries/:deliveryId/resend`,
  parameters: deliveryParameters,
  ...forKeyHolders,
  operation: {
    operationId: 'resendWebhookDelivery',
    tag: 'webhooks',
    summary: 'Send one delivery again',
    response: { description: 'The delivery, before its next attempt.', schema: deliveryBody },
    refusals: ['webhook_not_found', 'delivery_not_found', 'webhook_not_active', ...keyStoreProblems],
    example: { answer: pending },
  },
  async handler({ exchange, parameters }, dependencies: DeliveryDependencies) {
    const { id } = await requireActiveSubscription(dependencies, exchange, parameters.id);
    if (!(await resendDelivery(dependencies.db, id, parameters.deliveryId))) throw deliveryNotFound();
    return await requireDelivery(dependencies, id, parameters.deliveryId);
  },
});

const resendRequest = z.strictObject({
  since: z
    .union([z.int().min(0).max(8_640_000_000_000_000), z.iso.datetime({ offset: true })], {
      error: 'expected milliseconds since the epoch or an ISO 8601 time',
    })
    .meta({ description: 'Time of the first event: milliseconds since the epoch or ISO 8601.' }),
  network: networkField.meta({ description: 'Default: every network of this service.' }),
});

export const resentBody = z
  .object({
    count: z.int().min(0).meta({ description: 'Number of events that are sent again.' }),
    nextSinceMs: milliseconds
      .optional()
      .meta({ description: 'Present where there are more: send the request again with this `since`.' }),
  })
  .meta({ id: 'Resent' });

const resendAll = route({
  method: 'post',
  path: `${path}/resend`,
  parameters: idParameter,
  ...forKeyHolders,
  body: resendRequest,
  operation: {
    operationId: 'resendEvents',
    tag: 'webhooks',
    summary: 'Send all events since a time again',
    description:
      `Includes events that were delivered, that failed, and that were never queued; at most ${resendMax.toLocaleString('en')} events ` +
      'of the registry and as many of the service, of each network, for each request.',
    response: { description: 'How many events are sent again.', schema: resentBody },
    refusals: ['network_not_configured', 'webhook_not_found', 'webhook_not_active', ...keyStoreProblems],
    example: { request: { since: '2026-03-14T00:00:00Z' }, answer: { count: 3 } },
  },
  async handler({ exchange, parameters, body }, dependencies: DeliveryDependencies) {
    const { db, networks, choose } = dependencies;
    const { id, events } = await requireActiveSubscription(dependencies, exchange, parameters.id);
    const since = new Date(body.since);
    const matching =
      body.network === undefined ? networks.map(({ network }) => network) : [choose(body.network)];
    const resent: z.infer<typeof resentBody> = { count: 0 };
    for (const stream of matching.flatMap(listStreams)) {
      const question = { subscription: id, events, stream, since, limit: resendMax };
      const { count, lastMs } = await resendSince(db, question);
      resent.count += count;
      if (lastMs !== null) resent.nextSinceMs = Math.min(lastMs, resent.nextSinceMs ?? lastMs);
    }
    return resent;
  },
});

export const deliveryRoutes = [list, getDelivery, sendTest, resendOne, resendAll];

async function requireActiveSubscription(dependencies: WebhookDependencies, exchange: Exchange, id: string) {
  const subscription = await findOwnSubscription(dependencies, exchange, id);
  if (subscription.state === 'active') return subscription;
  throw problem(
    'webhook_not_active',
    `The webhook is ${subscription.state}, and nothing is sent to it. Resume it first (PATCH with state active).`,
  );
}

async function requireDelivery(
  { db }: WebhookDependencies,
  subscription: string,
  id: string,
): Promise<z.infer<typeof deliveryBody>> {
  const delivery = await readDelivery(db, subscription, id);
  if (!delivery) throw deliveryNotFound();
  return delivery;
}

const deliveryNotFound = () =>
  problem(
    'delivery_not_found',
    'The webhook has no delivery of this id. Deliveries are deleted after 30 days, and beyond the latest 10,000.',
  );

export const dispatchBody = z
  .object({
    network: networkName,
    cursor: z.string().nullable().meta({
      description:
        'Cursor of the first webhook that still has events of the registry to get, or of the last event, as in the list of events.',
    }),
    events: z.int().min(0).meta({ description: 'Events that this run read for the webhooks.' }),
    delivered: z.int().min(0).meta({ description: 'Attempts that succeeded.' }),
    failed: z.int().min(0).meta({ description: 'Attempts that failed; most are retried.' }),
    pending: z.int().min(0).meta({
      description: 'Deliveries that still have to be sent, now or later; counted up to 10,000.',
    }),
    missing: z.int().min(0).meta({
      description:
        'Subscriptions that the database knows and the key-value store has lost. They send nothing until the store has them again.',
    }),
  })
  .meta({ id: 'Dispatch' });

interface Dispatcher {
  dispatch(network: Network): Promise<z.infer<typeof dispatchBody>>;
}

/** Services of the process that the webhook routes use. */
export interface WebhookSettings extends SubscriptionSettings, Dispatcher {}

export interface DispatchDependencies {
  choose: NetworkChoice;
  /** Absent without a key-value store; then no caller has the secret. */
  webhooks: Dispatcher | undefined;
}

const dispatchWebhooks = route({
  method: 'get',
  path: '/api/adaptors/webhooks/dispatch',
  ...forScheduler,
  query: z.strictObject({ network: networkParameter }),
  operation: {
    operationId: 'dispatchWebhooks',
    tag: 'webhooks',
    summary: 'Run the dispatcher once',
    description:
      'For the scheduler of a deployment without the dispatcher role. It sends the admin secret or the cron secret. A ' +
      'run takes up to half a minute, and runs may overlap.',
    response: { description: 'What the run did.', schema: dispatchBody },
    refusals: ['network_not_configured', ...keyStoreProblems],
    example: {
      answer: {
        network: 'testnet',
        cursor: '17.0.2',
        events: 3,
        delivered: 3,
        failed: 0,
        pending: 0,
        missing: 0,
      },
    },
  },
  async handler({ query: { network } }, { choose, webhooks }: DispatchDependencies) {
    return await webhooks!.dispatch(choose(network));
  },
});

/** Routes over all webhooks. Those of one webhook come after them, and would take the end of their path for an id. */
export const webhooksRoutes = [dispatchWebhooks, listWebhookStatistics];
