import type { z } from 'zod';
import { readFailing } from '../../../db/queries/webhooks/deliveries.ts';
import { forgetFailures, markRemoved, removeDeliveries } from '../../../db/queries/webhooks/send.ts';
import { parseBody } from '../../../lib/http/body.ts';
import { sendJson } from '../../../lib/http/representation.ts';
import type { Subscription } from '../../../lib/webhooks/subscription.ts';
import type { Handler } from '../server/rest.ts';
import { ownerOf, ownSubscription, type WebhookHost, webhookNotFound } from './host.ts';
import { changeRequest, type subscriptionsBody } from './shapes.ts';
import { seal } from './subscribe.ts';
import { viewOf } from './view.ts';

const bodyBytesMax = 10_000;

/** `GET /api/adaptors/webhooks`. */
export function list(host: WebhookHost): Handler {
  return async (exchange) => {
    const { sees } = ownerOf(exchange);
    const found = await host.subscriptions.list(sees);
    const failing = await readFailing(
      host.db,
      found.map(({ id }) => id),
    );
    const webhooks = found.map((one) => viewOf(host, one, failing.get(one.id) ?? null, sees === undefined));
    const body: z.infer<typeof subscriptionsBody> = { count: webhooks.length, webhooks };
    await sendJson(exchange, body, 'no-store');
  };
}

/** `PATCH /api/adaptors/webhooks/{id}`: pauses, resumes, or sets another secret. */
export function change(host: WebhookHost): Handler {
  return async (exchange, { id }) => {
    const own = await ownSubscription(host, exchange, id);
    const { state, secret } = await parseBody(exchange, changeRequest, bodyBytesMax);
    const sealed = typeof secret === 'string' ? seal(host, secret, own.id) : undefined;
    const changed = await host.subscriptions.change(own.id, (subscription) => {
      const { disabledReason, sealedSecret, ...rest } = subscription;
      const kept = secret === undefined ? sealedSecret : sealed;
      const next: Subscription = { ...rest, ...(kept !== undefined && { sealedSecret: kept }) };
      if (state !== undefined) return { ...next, state };
      return { ...next, ...(disabledReason && { disabledReason }) };
    });
    if (!changed) throw webhookNotFound();
    if (state === 'active') await forgetFailures(host.db, own.id);
    const failing = await readFailing(host.db, [own.id]);
    const showOwner = ownerOf(exchange).sees === undefined;
    await sendJson(exchange, viewOf(host, changed, failing.get(own.id) ?? null, showOwner), 'no-store');
  };
}

/** `DELETE /api/adaptors/webhooks/{id}`. */
export function remove(host: WebhookHost): Handler {
  return async (exchange, { id }) => {
    const own = await ownSubscription(host, exchange, id);
    await markRemoved(host.db, own.id);
    if (!(await host.subscriptions.remove(own.id))) throw webhookNotFound();
    await removeDeliveries(host.db, own.id);
    exchange.res.writeHead(204, { 'cache-control': 'no-store' }).end();
  };
}
