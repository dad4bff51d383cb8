import { registryEvents } from '../../lib/chain/events/registry.ts';
import { buildRequest } from '../support/build-request.ts';

/** A webhook of all events of the registry. */
interface Webhook {
  /** Asks for the deliveries that failed, as their owner does once the receiver works: the next attempts are hours away. */
  resendFailed(): Promise<void>;
}

export async function openWebhook(
  gateway: string,
  { apiKey, url }: { apiKey: string; url: string },
): Promise<Webhook> {
  const headers = { 'x-api-key': apiKey };
  async function call(path: string, init: RequestInit) {
    const answer = await fetch(`${gateway}/api/adaptors/webhooks${path}`, init);
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return await answer.json();
  }
  const { id } = await call('', buildRequest({ url, events: registryEvents.names }, headers));
  /** Most deliveries of a page. */
  const limit = 100;
  return {
    async resendFailed() {
      for (const state of ['pending', 'failed']) {
        const { deliveries } = await call(`/${id}/deliveries?state=${state}&limit=${limit}`, { headers });
        for (const delivery of deliveries) {
          const isSoon = delivery.dueMs !== null && delivery.dueMs < Date.now() + soonMs;
          if (!isSoon) await call(`/${id}/deliveries/${delivery.id}/resend`, { method: 'POST', headers });
        }
      }
    },
  };
}

/** Longest wait after a first failure, and some more. */
const soonMs = 10_000;
