import type { z } from 'zod';
import type { Subscription } from '../../../lib/webhooks/subscriptions.ts';
import type { WebhookHost } from './host.ts';
import type { subscriptionBody } from './shapes.ts';

/** What its owner sees of a subscription: everything but the secret. */
export function viewOf(
  { secrets }: Pick<WebhookHost, 'secrets'>,
  subscription: Omit<Subscription, 'after'>,
  failingSinceMs: number | null,
  showOwner: boolean,
): z.infer<typeof subscriptionBody> {
  const { id, url, events, state, disabledReason, sealedSecret, createdMs, owner } = subscription;
  return {
    id,
    url,
    events,
    state,
    ...(disabledReason && { disabledReason }),
    signing:
      sealedSecret === undefined
        ? 'none'
        : secrets?.open(sealedSecret, id) === undefined
          ? 'unreadable'
          : 'ready',
    failingSinceMs,
    createdMs,
    ...(showOwner && { owner }),
  };
}
