import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Pool } from 'pg';
import type { z } from 'zod';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import type { SecretBox } from '../../../lib/webhooks/secrets.ts';
import type { Subscription } from '../../../lib/webhooks/subscription.ts';
import type { Subscriptions } from '../../../lib/webhooks/subscriptions.ts';
import { requireCaller } from '../access/caller.ts';
import type { NetworkChoice } from '../request/network.ts';
import type { dispatchBody } from './shapes.ts';

/** What webhooks need of the process that serves them. */
export interface WebhookSettings {
  subscriptions: Subscriptions;
  /** Absent where the host has no admin secret, by which subscribers' secrets are sealed. */
  secrets: SecretBox | undefined;
  outbound: Pick<Outbound, 'checkResolved'>;
  /** One run of the dispatcher. */
  dispatch(network: Network): Promise<z.infer<typeof dispatchBody>>;
}

export interface WebhookHost extends WebhookSettings {
  db: Pool;
  networks: readonly Network[];
  choose: NetworkChoice;
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
 * @throws ProblemError 404 also for somebody else's: its id says nothing to strangers
 */
export async function ownSubscription(
  { subscriptions }: WebhookHost,
  exchange: Exchange,
  id: string | undefined,
): Promise<Subscription> {
  const { sees } = ownerOf(exchange);
  const found = id && /^wh_[0-9A-Za-z]{1,40}$/.test(id) ? await subscriptions.find(id) : undefined;
  if (!found || (sees !== undefined && found.owner !== sees)) throw webhookNotFound();
  return found;
}

export function webhookNotFound(): ProblemError {
  const detail = 'There is no webhook of this id that is yours; GET /api/adaptors/webhooks lists them.';
  return problem('webhook_not_found', detail);
}
