import type {
  Resent,
  SentWebhookDelivery,
  Webhook,
  WebhookDeliveries,
  WebhookStatistics,
  Webhooks,
} from '@adaptor-marketplace/sdk';
import { request } from '../portal/session.ts';

/** Client for the endpoints of the webhook API that the portal uses. */

/** Statistics of a webhook's attempts in the last 24 hours. */
export type Statistics = WebhookStatistics['webhooks'][number];

export type Delivery = WebhookDeliveries['deliveries'][number];

/** Body of a PATCH request for a webhook. Absent fields stay unchanged. */
interface Change {
  url?: string;
  events?: string[];
  state?: 'active' | 'paused';
  secret?: string;
  keepPreviousSecretMs?: number;
}

const path = '/api/adaptors/webhooks';

export const readWebhooks = (): Promise<Webhooks> => request(path);

/** @param id id of one webhook; if absent, all webhooks of the key */
export const readStatistics = async (id?: string): Promise<Statistics[]> =>
  (
    await request<WebhookStatistics>(
      `${path}/statistics${id === undefined ? '' : `?${new URLSearchParams({ id })}`}`,
    )
  ).webhooks;

export const createWebhook = (body: {
  url: string;
  events: string[];
  wallet?: string;
  serviceType?: string;
  publisher?: string;
  secret?: string;
}): Promise<Webhook> => request(path, { method: 'POST', body });

export const changeWebhook = (id: string, body: Change): Promise<Webhook> =>
  request(`${path}/${id}`, { method: 'PATCH', body });

export const deleteWebhook = (id: string): Promise<void> => request(`${path}/${id}`, { method: 'DELETE' });

export const sendTest = (id: string): Promise<Delivery> => request(`${path}/${id}/test`, { method: 'POST' });

export function readDeliveries(id: string, state: string, cursor?: string): Promise<WebhookDeliveries> {
  const query = new URLSearchParams({ ...(state && { state }), ...(cursor && { cursor }) });
  return request(`${path}/${id}/deliveries?${query}`);
}

export const readDelivery = (id: string, delivery: string): Promise<SentWebhookDelivery> =>
  request(`${path}/${id}/deliveries/${encodeURIComponent(delivery)}`);

export const resendDelivery = (id: string, delivery: string): Promise<Delivery> =>
  request(`${path}/${id}/deliveries/${encodeURIComponent(delivery)}/resend`, { method: 'POST' });

/** Sends all events since a time again, in as many requests as it takes. @returns the number of events */
export async function resendSince(id: string, sinceMs: number): Promise<number> {
  let total = 0;
  for (let since: number | undefined = sinceMs; since !== undefined; ) {
    const answer: Resent = await request(`${path}/${id}/resend`, { method: 'POST', body: { since } });
    total += answer.count;
    const next: number | undefined = answer.nextSinceMs;
    since = next !== undefined && next > since ? next : undefined;
  }
  return total;
}
