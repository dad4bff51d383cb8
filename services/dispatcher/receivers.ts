import type { Logger } from '../../lib/log/index.ts';
import type { SecretBox } from '../../lib/webhooks/secrets.ts';
import { type SigningKeys, signingKeys } from '../../lib/webhooks/signature.ts';
import type { Subscription } from '../../lib/webhooks/subscription.ts';
import type { Receiver } from './lane.ts';
import type { DispatcherMetrics } from './metrics.ts';

/**
 * Makes receivers of the active subscriptions. One whose secret cannot be opened gets nothing rather than something
 * unsigned; that is said once.
 */
export function openReceivers(secrets: SecretBox | undefined, log: Logger, metrics: DispatcherMetrics) {
  /** By sealed secret; of the subscriptions of the last call alone. */
  let opened = new Map<string, SigningKeys | undefined>();

  function open(id: string, sealed: string): SigningKeys | undefined {
    const secret = secrets?.open(sealed, id);
    if (secret !== undefined) return signingKeys(secret);
    const reason = secrets
      ? 'its secret was sealed under another MARKETPLACE_ADMIN_SECRET'
      : 'its secret cannot be opened without MARKETPLACE_ADMIN_SECRET';
    log.error(
      { subscription: id, reason },
      'a webhook subscription gets nothing until its secret is set anew',
    );
    return undefined;
  }

  return (subscriptions: readonly Subscription[]): Map<string, Receiver> => {
    const keep = new Map<string, SigningKeys | undefined>();
    const receivers = new Map<string, Receiver>();
    for (const { id, url, sealedSecret, state } of subscriptions) {
      if (state !== 'active') continue;
      if (sealedSecret === undefined) {
        receivers.set(id, { id, url, keys: undefined });
        continue;
      }
      const keys = opened.has(sealedSecret) ? opened.get(sealedSecret) : open(id, sealedSecret);
      keep.set(sealedSecret, keys);
      if (keys) receivers.set(id, { id, url, keys });
    }
    opened = keep;
    metrics.unreadableSecrets.set([...keep.values()].filter((keys) => keys === undefined).length);
    return receivers;
  };
}
