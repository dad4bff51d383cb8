import type { Pool } from 'pg';
import type { z } from 'zod';
import { readBacklogs } from '../../../db/queries/webhooks/positions.ts';
import { readFailing } from '../../../db/queries/webhooks/subscriptions.ts';
import type { Subscription } from '../../../lib/webhooks/subscriptions.ts';
import type { SubscriptionSettings } from './ownership.ts';
import { backlogMax, secretLengthAdvised, type subscriptionBody } from './subscription-shapes.ts';

interface Progress {
  backlog: number;
  failingSinceMs: number | null;
}

/** Reads the backlogs and failures of subscriptions. Returns a lookup by subscription. */
export async function readProgress(
  db: Pool,
  subscriptions: readonly Subscription[],
): Promise<(subscription: Subscription) => Progress> {
  const ids = subscriptions.map(({ id }) => id);
  const [failing, backlogs] = await Promise.all([readFailing(db, ids), readBacklogs(db, ids, backlogMax)]);
  const backlogBySubscription = Map.groupBy(backlogs, ({ subscription }) => subscription);
  return ({ id }) => ({
    backlog: (backlogBySubscription.get(id) ?? []).reduce((sum, { events }) => sum + events, 0),
    failingSinceMs: failing.get(id) ?? null,
  });
}

/** Returns the warnings about a new secret. */
export function findWeakness(
  secret: string | null | undefined,
): Pick<z.infer<typeof subscriptionBody>, 'warnings'> {
  if (!secret || secret.length >= secretLengthAdvised) return {};
  const detail = `The secret has fewer than ${secretLengthAdvised} characters. Anyone who sees a delivery can guess it.`;
  return { warnings: [{ code: 'short_secret', detail }] };
}

/** Returns a subscription without its secret. Only the admin sees the owner. */
export function toSubscriptionBody(
  { secrets }: SubscriptionSettings,
  subscription: Subscription,
  progress: Progress,
  showOwner: boolean,
): z.infer<typeof subscriptionBody> {
  const { id, url, events, state, disabledReason, sealedSecret, previousSecret, createdMs, owner } =
    subscription;
  const { wallet = null, serviceType = null, publisher = null } = subscription;
  const readable = sealedSecret === undefined || secrets?.open(sealedSecret, id) !== undefined;
  return {
    id,
    url,
    events,
    wallet,
    serviceType,
    publisher,
    state,
    ...(disabledReason && { disabledReason }),
    signing: sealedSecret === undefined ? 'none' : readable ? 'ready' : 'unreadable',
    previousSecretUntilMs:
      previousSecret && previousSecret.untilMs > Date.now() ? previousSecret.untilMs : null,
    ...progress,
    createdMs,
    ...(showOwner && { owner }),
  };
}
