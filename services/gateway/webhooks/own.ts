import type { Pool } from 'pg';
import { z } from 'zod';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import type { SecretBox } from '../../../lib/webhooks/signing.ts';
import type { Subscription, Subscriptions } from '../../../lib/webhooks/subscriptions.ts';
import { requireCaller } from '../access/caller.ts';
import type { Dispatcher } from './dispatch.ts';

/** What webhooks need of the process that serves them. */
export interface WebhookSettings extends Dispatcher {
  subscriptions: Subscriptions;
  /** Encrypts subscribers' secrets. Absent where the service has no admin secret. */
  secrets: SecretBox | undefined;
  outbound: Pick<Outbound, 'checkResolved'>;
}

export interface WebhookDependencies {
  db: Pool;
  /** Absent where the service has no key-value store; then no caller has an API key. */
  webhooks: WebhookSettings | undefined;
}

/** Owner of the subscriptions that the admin makes. */
const adminOwner = 'admin';

/** Whose subscriptions a caller sees; undefined: all. */
export function ownerOf(exchange: Exchange): { own: string; sees: string | undefined } {
  const caller = requireCaller(exchange, 'key');
  if (caller.kind === 'admin') return { own: adminOwner, sees: undefined };
  return { own: caller.keyId, sees: caller.keyId };
}

/**
 * The caller's subscription of this id.
 * @throws ProblemError 404 also for another caller's subscription, so that an id reveals nothing
 */
export async function ownSubscription(
  { webhooks }: WebhookDependencies,
  exchange: Exchange,
  id: string,
): Promise<Subscription> {
  const { sees } = ownerOf(exchange);
  const found = /^wh_[0-9A-Za-z]{1,40}$/.test(id) ? await webhooks!.subscriptions.find(id) : undefined;
  if (!found || (sees !== undefined && found.owner !== sees)) throw webhookNotFound();
  return found;
}

export function webhookNotFound(): ProblemError {
  return problem(
    'webhook_not_found',
    'You have no webhook of this id. GET /api/adaptors/webhooks lists your webhooks.',
  );
}

export const webhookId = 'wh_8sQm2Kd1';
/** The parameter of the paths below one webhook. */
export const idParameter = { id: { description: 'Id of the webhook, `wh_...`.', example: webhookId } };

export const milliseconds = z.int().meta({ description: 'Milliseconds since the epoch.' });
