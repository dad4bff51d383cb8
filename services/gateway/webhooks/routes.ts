import { splitUrl } from '../../../lib/http/exchange.ts';
import { parseQuery } from '../../../lib/http/query.ts';
import { sendJson } from '../../../lib/http/representation.ts';
import { requireCaller } from '../access/caller.ts';
import type { Handler, Route } from '../server/rest.ts';
import { listDeliveries, resendAll, resendOne, sendTest } from './deliveries.ts';
import type { WebhookHost } from './host.ts';
import { change, list, remove } from './manage.ts';
import { dispatchRequest } from './shapes.ts';
import { subscribe } from './subscribe.ts';

const base = '/api/adaptors/webhooks';

/** Subscriptions, their deliveries, and the dispatch that a scheduler asks for. */
export function webhookRoutes(host: WebhookHost | undefined): Route[] {
  const mediaType = 'application/json';
  /** Without a key-value store there is no caller either, and who asks for one is told so. */
  const hosted = (handler: (host: WebhookHost) => Handler): Handler => {
    if (host) return handler(host);
    return async (exchange) => void requireCaller(exchange, 'key');
  };
  return [
    { path: base, mediaType, get: hosted(list), post: hosted(subscribe) },
    { path: `${base}/dispatch`, mediaType, get: hosted(dispatch) },
    { path: `${base}/:id`, mediaType, patch: hosted(change), delete: hosted(remove) },
    { path: `${base}/:id/test`, mediaType, post: hosted(sendTest) },
    { path: `${base}/:id/resend`, mediaType, post: hosted(resendAll) },
    { path: `${base}/:id/deliveries`, mediaType, get: hosted(listDeliveries) },
    { path: `${base}/:id/deliveries/:deliveryId/resend`, mediaType, post: hosted(resendOne) },
  ];
}

/** `GET /api/adaptors/webhooks/dispatch`. */
function dispatch({ choose, dispatch }: WebhookHost): Handler {
  return async (exchange) => {
    requireCaller(exchange, 'cron');
    const { network } = parseQuery(dispatchRequest, splitUrl(exchange.req.url ?? '').search);
    await sendJson(exchange, await dispatch(choose(network)), 'no-store');
  };
}
