import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiPathsObject } from 'zod-openapi';
import {
  changeRequest,
  deliveriesBody,
  deliveriesRequest,
  deliveryBody,
  dispatchBody,
  dispatchRequest,
  resendRequest,
  resentBody,
  subscribeRequest,
  subscriptionBody,
  subscriptionsBody,
} from '../webhooks/shapes.ts';
import { bySecret } from './limits.ts';
import { ok, refused } from './responses.ts';

const byKey: NonNullable<ZodOpenApiOperationObject['security']> = [{ apiKey: [] }, { bearer: [] }];
const path = z.object({ id: z.string().meta({ description: '`wh_...`' }) });
const notYours = refused('`webhook_not_found`: there is none of this id that is yours.');
const notActive = refused('`webhook_not_active`: it is paused or disabled; resume it first.');
const badBody = refused('The body is no JSON object, or a field is missing or wrong; errors names each.');
const badQuery = refused('A parameter is unknown, repeated or invalid; errors names each.');
const noStore = refused(
  '`kv_not_configured`: this host has no key-value store. `kv_unavailable`: it is out.',
);
const bodyRefusals = {
  400: badBody,
  413: refused('The body is too large.'),
  415: refused('The body is not sent as application/json in UTF-8.'),
};
const body = (schema: z.ZodType) => ({ required: true, content: { 'application/json': { schema } } });
const tags = ['webhooks'];

/** Subscriptions and their deliveries. */
export const webhookPaths: ZodOpenApiPathsObject = {
  '/api/adaptors/webhooks': {
    get: {
      operationId: 'listWebhooks',
      tags,
      summary: 'Your webhooks',
      description: 'The admin sees all.',
      security: byKey,
      responses: { 200: ok('Without their secrets.', subscriptionsBody), 503: noStore },
    },
    post: {
      operationId: 'subscribeWebhook',
      tags,
      summary: 'Subscribe a url to registry events',
      description:
        'It gets every event that this host learns of from now on. A url that leads to an address that is not ' +
        'public is refused here, and again whenever a connection is made.',
      security: byKey,
      requestBody: body(subscribeRequest),
      responses: {
        200: ok('The subscription.', subscriptionBody),
        ...bodyRefusals,
        409: refused('`too_many_webhooks`: delete one first.'),
        503: refused(
          '`kv_not_configured`, `kv_unavailable`, or `admin_secret_not_configured`: this host cannot keep secrets.',
        ),
      },
    },
  },
  '/api/adaptors/webhooks/dispatch': {
    get: {
      operationId: 'dispatchWebhooks',
      tags,
      summary: 'Write and send what is due, once',
      description:
        'For schedulers of hosts without the dispatcher role: with the admin or the cron secret. Takes up to half ' +
        'a minute, and may overlap with itself.',
      security: bySecret,
      requestParams: { query: dispatchRequest },
      responses: { 200: ok('What it did.', dispatchBody), 400: badQuery, 503: noStore },
    },
  },
  '/api/adaptors/webhooks/{id}': {
    patch: {
      operationId: 'changeWebhook',
      tags,
      summary: 'Pause, resume or sign anew',
      description: 'Events that happen while it is paused are not queued; resend brings them.',
      security: byKey,
      requestParams: { path },
      requestBody: body(changeRequest),
      responses: {
        200: ok('As it is now.', subscriptionBody),
        ...bodyRefusals,
        404: notYours,
        503: noStore,
      },
    },
    delete: {
      operationId: 'deleteWebhook',
      tags,
      summary: 'End a webhook',
      security: byKey,
      requestParams: { path },
      responses: {
        204: { description: 'Ended, and its deliveries forgotten.' },
        404: notYours,
        503: noStore,
      },
    },
  },
  '/api/adaptors/webhooks/{id}/test': {
    post: {
      operationId: 'testWebhook',
      tags,
      summary: 'Send a test event',
      description: 'Of the name Test, and with an id that begins with test:. Watch it among the deliveries.',
      security: byKey,
      requestParams: { path },
      responses: {
        200: ok('The delivery, not yet sent.', deliveryBody),
        404: notYours,
        409: notActive,
        503: noStore,
      },
    },
  },
  '/api/adaptors/webhooks/{id}/resend': {
    post: {
      operationId: 'resendSince',
      tags,
      summary: 'Send all events since a time again',
      description: 'Delivered, failed or never queued; at most 10,000 of a network at once.',
      security: byKey,
      requestParams: { path },
      requestBody: body(resendRequest),
      responses: {
        200: ok('How many.', resentBody),
        ...bodyRefusals,
        404: notYours,
        409: notActive,
        503: noStore,
      },
    },
  },
  '/api/adaptors/webhooks/{id}/deliveries': {
    get: {
      operationId: 'listDeliveries',
      tags,
      summary: 'Deliveries with their attempts',
      description: 'Kept for 30 days.',
      security: byKey,
      requestParams: { path, query: deliveriesRequest },
      responses: {
        200: ok('The newest first.', deliveriesBody),
        400: badQuery,
        404: notYours,
        503: noStore,
      },
    },
  },
  '/api/adaptors/webhooks/{id}/deliveries/{deliveryId}/resend': {
    post: {
      operationId: 'resendDelivery',
      tags,
      summary: 'Send one delivery again',
      security: byKey,
      requestParams: { path: path.extend({ deliveryId: z.string() }) },
      responses: {
        200: ok('The delivery, not yet sent.', deliveryBody),
        404: refused('`webhook_not_found` or `delivery_not_found`.'),
        409: notActive,
        503: noStore,
      },
    },
  },
};
