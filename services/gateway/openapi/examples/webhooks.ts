import type { OperationExample } from './example.ts';
import { atMs, digest } from './values.ts';

const path = { id: 'wh_8sQm2Kd1' };
const webhook = {
  id: path.id,
  url: 'https://example.com/hooks/adaptors',
  events: ['Registered', 'Updated'],
  state: 'active',
  signing: 'ready',
  failingSinceMs: null,
  createdMs: atMs,
};
const delivery = {
  id: '118',
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
const unsent = { ...delivery, state: 'pending', dueMs: atMs, attempts: [] };

export const webhookExamples: Record<string, OperationExample> = {
  listWebhooks: { answer: { count: 1, webhooks: [webhook] } },
  subscribeWebhook: {
    request: {
      url: webhook.url,
      events: webhook.events,
      secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
    },
    answer: webhook,
  },
  dispatchWebhooks: {
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
  changeWebhook: { path, request: { state: 'paused' }, answer: { ...webhook, state: 'paused' } },
  deleteWebhook: { path },
  testWebhook: { path, answer: { ...unsent, id: '119', eventId: 'test:119', event: 'Test' } },
  resendSince: { path, request: { since: '2026-03-14T00:00:00Z' }, answer: { count: 3 } },
  listDeliveries: { path, query: { state: 'delivered' }, answer: { count: 1, deliveries: [delivery] } },
  resendDelivery: { path: { ...path, deliveryId: delivery.id }, answer: unsent },
};
