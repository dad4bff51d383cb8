import type { SecretBox } from '../../lib/webhooks/signing.ts';
import type { Subscription, Subscriptions } from '../../lib/webhooks/subscriptions.ts';

interface ResealCounts {
  /** Subscriptions whose secrets were sealed under the fallback. */
  resealed: number;
  /** Subscriptions with a secret that opens neither under the admin secret nor under its fallback. */
  unreadable: number;
}

/** Seals all secrets under the admin secret, so that its fallback is no longer needed. */
export async function resealSecrets(subscriptions: Subscriptions, secrets: SecretBox): Promise<ResealCounts> {
  const counts = { resealed: 0, unreadable: 0 };
  for (const subscription of await subscriptions.list()) {
    const { readable, changed } = resealOne(secrets, subscription);
    if (!readable) counts.unreadable += 1;
    if (!changed) continue;
    const { id } = subscription;
    if (await subscriptions.change(id, (current) => resealOne(secrets, current).next)) counts.resealed += 1;
  }
  return counts;
}

function resealOne(secrets: SecretBox, before: Subscription) {
  const { id, sealedSecret, previousSecret } = before;
  const current = sealedSecret && secrets.reseal(sealedSecret, id);
  const previous = previousSecret && secrets.reseal(previousSecret.sealed, id);
  const next: Subscription = {
    ...before,
    ...(current && { sealedSecret: current }),
    ...(previousSecret && previous && { previousSecret: { ...previousSecret, sealed: previous } }),
  };
  return {
    next,
    readable: Boolean((!sealedSecret || current) && (!previousSecret || previous)),
    changed: next.sealedSecret !== sealedSecret || next.previousSecret?.sealed !== previousSecret?.sealed,
  };
}
