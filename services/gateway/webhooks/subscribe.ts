import { networks } from '@adaptor-marketplace/adaptor/networks';
import { lastEventPlaces, lockFanOut, lockOwner } from '../../../db/queries/webhooks/fan-out-lock.ts';
import { addLane } from '../../../db/queries/webhooks/lanes.ts';
import { inTransaction } from '../../../db/transaction.ts';
import { randomId } from '../../../lib/credentials/token.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import { parseBody } from '../../../lib/http/body.ts';
import { sendJson } from '../../../lib/http/representation.ts';
import type { Subscription } from '../../../lib/webhooks/subscription.ts';
import type { Handler } from '../server/rest.ts';
import { ownerOf, type WebhookHost } from './host.ts';
import { subscribeRequest } from './shapes.ts';
import { viewOf } from './view.ts';

const bodyBytesMax = 10_000;
const perOwnerMax = 100;

/** `POST /api/adaptors/webhooks`. */
export function subscribe(host: WebhookHost): Handler {
  return async (exchange) => {
    const { own } = ownerOf(exchange);
    const { url, events, secret } = await parseBody(exchange, subscribeRequest, bodyBytesMax);
    const refusal = await host.outbound.checkResolved(url);
    if (refusal !== undefined) throw badUrl(refusal);

    const id = randomId('wh_');
    const sealedSecret = secret === undefined ? undefined : seal(host, secret, id);
    const subscription: Omit<Subscription, 'after'> = {
      id,
      owner: own,
      url,
      events,
      ...(sealedSecret !== undefined && { sealedSecret }),
      state: 'active',
      createdMs: Date.now(),
    };
    await add(host, subscription);
    await sendJson(exchange, viewOf(host, subscription, null, false), 'no-store');
  };
}

/**
 * Under its network's lock, it is either seen by whoever writes deliveries, or was made after what they are written
 * for.
 */
async function add(
  { db, subscriptions }: WebhookHost,
  subscription: Omit<Subscription, 'after'>,
): Promise<void> {
  await inTransaction(db, async (client) => {
    await lockOwner(client, subscription.owner);
    if ((await subscriptions.list(subscription.owner)).length >= perOwnerMax) throw tooMany();
    for (const network of networks) await lockFanOut(client, network, 'shared');
    const after = Object.fromEntries(await lastEventPlaces(client));
    await subscriptions.add({ ...subscription, after });
    await addLane(client, subscription.id);
  });
}

/** @throws ProblemError 503 where the host cannot keep secrets */
export function seal({ secrets }: WebhookHost, secret: string, id: string): string {
  if (secrets) return secrets.seal(secret, id);
  throw problem(
    'admin_secret_not_configured',
    'This service cannot encrypt secrets: MARKETPLACE_ADMIN_SECRET is not set. Leave the secret out to receive ' +
      'deliveries without signatures.',
  );
}

function badUrl(message: string): ProblemError {
  return problem('invalid_url', `body.url: ${message}`, { errors: [{ path: 'body.url', message }] });
}

function tooMany(): ProblemError {
  return problem('too_many_webhooks', `An API key may have ${perOwnerMax} webhooks. Delete one first.`);
}
