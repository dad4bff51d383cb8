import type { z } from 'zod';
import { readDeliveries, readDelivery } from '../../../db/queries/webhooks/deliveries.ts';
import { addTestDelivery, resendDelivery, resendSince } from '../../../db/queries/webhooks/send.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import { parseBody } from '../../../lib/http/body.ts';
import { cutPage } from '../../../lib/http/bounded-page.ts';
import { type Exchange, splitUrl } from '../../../lib/http/exchange.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import { sendJson } from '../../../lib/http/representation.ts';
import type { Subscription } from '../../../lib/webhooks/subscription.ts';
import type { Handler } from '../server/rest.ts';
import { ownSubscription, type WebhookHost } from './host.ts';
import { deliveriesRequest, type deliveryBody, resendRequest, type resentBody } from './shapes.ts';

const deliveriesDefault = 20;
const bodyBytesMax = 1_000;
const resendMax = 10_000;
const noStore = 'no-store';

/** `GET /api/adaptors/webhooks/{id}/deliveries`. */
export function listDeliveries(host: WebhookHost): Handler {
  return async (exchange, { id }) => {
    const { id: subscription } = await ownSubscription(host, exchange, id);
    const question = parseQuery(deliveriesRequest, splitUrl(exchange.req.url ?? '').search);
    const { limit = deliveriesDefault, state, cursor } = question;
    const page = cutPage(await readDeliveries(host.db, { subscription, limit, state, cursor }));
    const nextCursor = page.hasMore ? page.cursors.at(-1) : undefined;
    const body = { count: page.items.length, deliveries: page.items, ...(nextCursor && { nextCursor }) };
    await sendJson(exchange, body, noStore);
  };
}

/** `POST /api/adaptors/webhooks/{id}/test`. */
export function sendTest(host: WebhookHost): Handler {
  return async (exchange, { id }) => {
    const own = await ownSubscription(host, exchange, id);
    requireActive(own);
    const network = host.choose(undefined);
    const delivery = await addTestDelivery(host.db, own.id, network, { webhook: own.id });
    await sendDelivery(host, exchange, own.id, delivery);
  };
}

/** `POST /api/adaptors/webhooks/{id}/deliveries/{deliveryId}/resend`. */
export function resendOne(host: WebhookHost): Handler {
  return async (exchange, { id, deliveryId = '' }) => {
    const own = await ownSubscription(host, exchange, id);
    requireActive(own);
    const delivery = /^\d{1,15}$/.test(deliveryId) ? Number(deliveryId) : 0;
    if (!(await resendDelivery(host.db, own.id, delivery))) throw deliveryNotFound();
    await sendDelivery(host, exchange, own.id, delivery);
  };
}

/** `POST /api/adaptors/webhooks/{id}/resend`. */
export function resendAll(host: WebhookHost): Handler {
  return async (exchange, { id }) => {
    const own = await ownSubscription(host, exchange, id);
    requireActive(own);
    const { since, network } = await parseBody(exchange, resendRequest, bodyBytesMax);
    const from = new Date(since);
    const wanted = network === undefined ? host.networks : [host.choose(network)];
    const body: z.infer<typeof resentBody> = { count: 0 };
    for (const each of wanted) {
      const question = {
        subscription: own.id,
        events: own.events,
        network: each,
        since: from,
        limit: resendMax,
      };
      const { count, lastMs } = await resendSince(host.db, question);
      body.count += count;
      if (lastMs !== null) body.nextSinceMs = Math.min(lastMs, body.nextSinceMs ?? lastMs);
    }
    await sendJson(exchange, body, noStore);
  };
}

async function sendDelivery(host: WebhookHost, exchange: Exchange, subscription: string, id: number) {
  const delivery: z.infer<typeof deliveryBody> | undefined = await readDelivery(host.db, subscription, id);
  if (!delivery) throw deliveryNotFound();
  await sendJson(exchange, delivery, noStore);
}

function requireActive({ state }: Subscription): void {
  if (state === 'active') return;
  throw problem(
    'webhook_not_active',
    `The webhook is ${state}, and nothing is sent to it. Resume it first (PATCH with state active).`,
  );
}

function deliveryNotFound(): ProblemError {
  const detail = 'The webhook has no delivery of this id; its deliveries are kept for 30 days.';
  return problem('delivery_not_found', detail);
}
