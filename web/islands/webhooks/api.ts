import { request } from '../portal/session.ts';

/** The API of webhooks, as far as the portal uses it. */

export interface Webhook {
  id: string;
  url: string;
  events: string[];
  state: 'active' | 'paused' | 'disabled';
  disabledReason?: 'gone' | 'failing';
  signing: 'none' | 'ready' | 'unreadable';
  /** Events that wait for their first attempt. */
  backlog: number;
  /** Until then two secrets are valid. */
  previousSecretUntilMs: number | null;
  failingSinceMs: number | null;
  createdMs: number;
}

/** Of attempts in the last 24 hours. */
export interface Statistics {
  id: string;
  attempts: number;
  delivered: number;
  medianMs: number | null;
  p95Ms: number | null;
  lastFailure: { startedMs: number; outcome: string; status: number | null; error: string | null } | null;
}

export interface Delivery {
  id: string;
  network: string;
  event: string;
  state: 'pending' | 'delivered' | 'failed';
  createdMs: number;
  /** When it is sent next. */
  dueMs: number | null;
  attempts: Attempt[];
}

export interface Attempt {
  number: number;
  startedMs: number;
  durationMs: number;
  outcome: string;
  status: number | null;
  error: string | null;
  /** Beginning of what the receiver answered. */
  response: string | null;
}

interface DeliveryPage {
  deliveries: Delivery[];
  nextCursor?: string;
}

/** What a change of a webhook can name. */
interface Change {
  url?: string;
  events?: string[];
  state?: 'active' | 'paused';
  secret?: string;
  keepPreviousSecretMs?: number;
}

const path = '/api/adaptors/webhooks';

export const readWebhooks = async (): Promise<Webhook[]> =>
  (await request<{ webhooks: Webhook[] }>(path)).webhooks;

/** @param id of one webhook; absent: all of the key */
export const readStatistics = async (id?: string): Promise<Statistics[]> =>
  (
    await request<{ webhooks: Statistics[] }>(
      `${path}/statistics${id === undefined ? '' : `?${new URLSearchParams({ id })}`}`,
    )
  ).webhooks;

export const createWebhook = (body: { url: string; events: string[]; secret?: string }): Promise<Webhook> =>
  request(path, { method: 'POST', body });

export const changeWebhook = (id: string, body: Change): Promise<Webhook> =>
  request(`${path}/${id}`, { method: 'PATCH', body });

export const deleteWebhook = (id: string): Promise<void> => request(`${path}/${id}`, { method: 'DELETE' });

export const sendTest = (id: string): Promise<Delivery> => request(`${path}/${id}/test`, { method: 'POST' });

export function readDeliveries(id: string, state: string, cursor?: string): Promise<DeliveryPage> {
  const query = new URLSearchParams({ ...(state && { state }), ...(cursor && { cursor }) });
  return request(`${path}/${id}/deliveries?${query}`);
}

export const readDelivery = (id: string, delivery: string): Promise<Delivery & { body: string }> =>
  request(`${path}/${id}/deliveries/${encodeURIComponent(delivery)}`);

export const resendDelivery = (id: string, delivery: string): Promise<Delivery> =>
  request(`${path}/${id}/deliveries/${encodeURIComponent(delivery)}/resend`, { method: 'POST' });

/** Has all events since then sent again, whatever their number. @returns how many */
export async function resendSince(id: string, sinceMs: number): Promise<number> {
  let total = 0;
  for (let since: number | undefined = sinceMs; since !== undefined; ) {
    const answer: { count: number; nextSinceMs?: number } = await request(`${path}/${id}/resend`, {
      ...{ method: 'POST', body: { since } },
    });
    total += answer.count;
    const next: number | undefined = answer.nextSinceMs;
    since = next !== undefined && next > since ? next : undefined;
  }
  return total;
}
