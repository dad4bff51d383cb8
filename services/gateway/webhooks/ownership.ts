import type { Pool } from 'pg';
import { readLostSubscriptionOwner } from '../../../db/queries/webhooks/subscriptions.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import type { Outbound } from '../../../lib/outbound/index.ts';
import type { SecretBox } from '../../../lib/webhooks/signing.ts';
import type { Subscription, Subscriptions } from '../../../lib/webhooks/subscriptions.ts';
import { requireCaller } from '../access/caller.ts';
import { webhookNotFound } from './changes.ts';

/** Services of the process that the subscription routes use. */
export interface SubscriptionSettings {
  subscriptions: Subscriptions;
  /** Encrypts subscribers' secrets. Absent without an admin secret. */
  secrets: SecretBox | undefined;
  outbound: Pick<Outbound, 'checkResolved'>;
}

export interface WebhookDependencies {
  db: Pool;
  /** Connections that keep their session. */
  sessions: Pool;
  /** Absent without a key-value store; then no caller has an API key. */
  webhooks: SubscriptionSettings | undefined;
}

/** Owner of the subscriptions that the admin creates. */
const adminOwner = 'admin';

/** Returns the owner of the caller's new subscriptions, and the owner whose subscriptions it sees. Undefined: all. */
export function requireOwner(exchange: Exchange): { owner: string; visibleOwner: string | undefined } {
  const caller = requireCaller(exchange, 'key');
  if (caller.kind === 'admin') return { owner: adminOwner, visibleOwner: undefined };
  return { owner: caller.keyId, visibleOwner: caller.keyId };
}

/** Finds the caller's subscription. @throws ProblemError 404 also for another caller's: an id reveals nothing */
export async function findOwnSubscription(
  { webhooks }: WebhookDependencies,
  exchange: Exchange,
  id: string,
): Promise<Subscription> {
  const { visibleOwner } = requireOwner(exchange);
  const found = /^wh_[0-9A-Za-z]{1,40}$/.test(id) ? await webhooks!.subscriptions.find(id) : undefined;
  if (!found || (visibleOwner !== undefined && found.owner !== visibleOwner)) throw webhookNotFound();
  return found;
}

/** `true` if the store has lost the caller's subscription of this id, so that only the database knows its owner. */
export async function isOwnAndLost({ db, webhooks }: WebhookDependencies, exchange: Exchange, id: string) {
  const { visibleOwner } = requireOwner(exchange);
  const owner = await readLostSubscriptionOwner(db, id);
  if (owner === undefined || (visibleOwner !== undefined && owner !== visibleOwner)) return false;
  return (await webhooks!.subscriptions.find(id)) === undefined;
}
