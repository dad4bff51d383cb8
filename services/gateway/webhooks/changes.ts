import type { Pool } from 'pg';
import { wakeDispatchers } from '../../../db/queries/webhooks/deliveries.ts';
import { changeFilter } from '../../../db/queries/webhooks/positions.ts';
import {
  addSubscription,
  confirmSubscriptions,
  dropUnconfirmed,
  forgetFailures,
  holdSubscription,
  lockOwner,
} from '../../../db/queries/webhooks/subscriptions.ts';
import { inTransaction, transact } from '../../../db/transaction.ts';
import { type ProblemError, problem } from '../../../lib/errors/index.ts';
import type { SecretBox } from '../../../lib/webhooks/signing.ts';
import { type Subscription, type Subscriptions, toFilter } from '../../../lib/webhooks/subscriptions.ts';

const perOwnerMax = 100;

/** Stores of subscriptions. The key-value store has their settings, the database has their progress. */
interface WebhookStores {
  db: Pool;
  subscriptions: Subscriptions;
}

interface ChangeStores {
  /** Connections that keep their session. */
  sessions: Pool;
  subscriptions: Subscriptions;
}

export function webhookNotFound(): ProblemError {
  return problem(
    'webhook_not_found',
    'You have no webhook of this id. GET /api/adaptors/webhooks lists your webhooks.',
  );
}

/**
 * Adds a subscription: its start position to the database, then itself to the store. If that is interrupted, one that
 * was confirmed to the caller still gets all events since.
 */
export async function addWebhook(
  { db, subscriptions }: WebhookStores,
  subscription: Subscription,
): Promise<void> {
  const { id, owner } = subscription;
  await addSubscription(db, owner, toFilter(subscription));
  const isFull = await inTransaction(db, async (client) => {
    await lockOwner(client, owner);
    if ((await subscriptions.list(owner)).length >= perOwnerMax) return true;
    await subscriptions.add(subscription);
    await confirmSubscriptions(client, [id]);
    await client.query(wakeDispatchers);
    return false;
  });
  if (!isFull) return;
  await dropUnconfirmed(db, id);
  throw problem('too_many_webhooks', `An API key may have ${perOwnerMax} webhooks. Delete one first.`);
}

/**
 * Changes a subscription in the store, and its filter in the database. A pause is stored first and a resumption last:
 * if the second of the two writes fails, too much is sent, never too little.
 * @param options `forgets`: former failures of the receiver count no longer
 * @throws ProblemError `webhook_not_found`, `too_many_filter_changes`
 */
export async function changeWebhook(
  { sessions, subscriptions }: ChangeStores,
  id: string,
  change: (subscription: Subscription) => Subscription,
  { forgets = false }: { forgets?: boolean } = {},
): Promise<Subscription> {
  const changed = await holdSubscription(sessions, id, async (client) => {
    const present = await subscriptions.find(id);
    if (!present) throw webhookNotFound();
    const next = change(present);
    const follow = async () => {
      if (await transact(client, () => changeFilter(client, toFilter(next)))) return;
      throw problem(
        'too_many_filter_changes',
        'The webhook is too far behind: its events were changed more often than its backlog can record. Change it again when the backlog is smaller.',
      );
    };
    const pausing = present.state === 'active' && next.state !== 'active';
    if (!pausing) await follow();
    const changed = await subscriptions.change(id, change);
    if (pausing) await follow();
    if (forgets) await forgetFailures(client, id);
    return changed;
  });
  if (!changed) throw webhookNotFound();
  await sessions.query(wakeDispatchers);
  return changed;
}

interface SecretRequest {
  /** The new secret; null removes it, undefined leaves it unchanged. */
  secret?: string | null | undefined;
  /** Time for which the current secret stays valid beside the new one. 0 alone ends the previous one. */
  keepPreviousSecretMs?: number | undefined;
}

/**
 * Returns the change of a request to the secrets. A previous secret that cannot be decrypted is dropped.
 * @throws ProblemError 503 if the service cannot encrypt secrets
 */
export function buildSecretChange(
  secrets: SecretBox | undefined,
  id: string,
  { secret, keepPreviousSecretMs }: SecretRequest,
): (subscription: Subscription) => Subscription {
  if (secret === undefined) {
    if (keepPreviousSecretMs === undefined) return (subscription) => subscription;
    return ({ previousSecret: _, ...rest }) => rest;
  }
  const sealed = secret === null ? undefined : seal(secrets, secret, id);
  const keepMs = keepPreviousSecretMs ?? 0;
  const untilMs = Date.now() + keepMs;
  return ({ sealedSecret, previousSecret, ...rest }) => {
    const present = sealedSecret === undefined ? undefined : secrets?.open(sealedSecret, id);
    // If the same request is sent again, the new secret must not replace the previous one. One whose rotation has ended
    // stays invalid: its owner may have ended it because it leaked.
    const valid = previousSecret && previousSecret.untilMs > Date.now() ? previousSecret.sealed : undefined;
    const previous = present === secret ? valid : present && sealedSecret;
    return {
      ...rest,
      ...(sealed !== undefined && { sealedSecret: sealed }),
      ...(keepMs > 0 && previous && { previousSecret: { sealed: previous, untilMs } }),
    };
  };
}

/** @throws ProblemError 503 if the service cannot encrypt secrets */
export function seal(secrets: SecretBox | undefined, secret: string, id: string): string {
  if (secrets) return secrets.seal(secret, id);
  throw problem(
    'admin_secret_not_configured',
    'This service cannot encrypt secrets: MARKETPLACE_ADMIN_SECRET is not set. Leave the secret out to receive ' +
      'deliveries without signatures.',
  );
}
