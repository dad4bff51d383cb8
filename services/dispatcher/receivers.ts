import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { Counter, Gauge, Histogram, type Registry } from '@prometheus-io/client';
import type { Database } from '../../db/client.ts';
import { changeFilter } from '../../db/queries/webhooks/positions.ts';
import { hasFailedFor, holdSubscription } from '../../db/queries/webhooks/subscriptions.ts';
import { transact } from '../../db/transaction.ts';
import type { Logger } from '../../lib/log/index.ts';
import { deriveSigningKeys, type SecretBox, type SigningKeys } from '../../lib/webhooks/signing.ts';
import { type Subscription, type Subscriptions, toFilter } from '../../lib/webhooks/subscriptions.ts';
import type { Receiver } from './send.ts';

/**
 * Returns a function that creates the receivers of the active subscriptions. An unchanged one keeps its receiver. A
 * subscription whose secret cannot be opened receives nothing, rather than unsigned requests; this is logged once.
 */
export function createReceiverFactory(
  secrets: SecretBox | undefined,
  log: Logger,
  metrics: DispatcherMetrics,
) {
  /** Receivers of the last call's subscriptions only; undefined if the secret cannot be opened. */
  let cached = new Map<Subscription, Receiver | undefined>();

  function openKeys(id: string, sealed: string): SigningKeys | undefined {
    const secret = secrets?.open(sealed, id);
    return secret === undefined ? undefined : deriveSigningKeys(secret);
  }

  function createReceiver({ id, url, sealedSecret, previousSecret }: Subscription): Receiver | undefined {
    if (sealedSecret === undefined) return { id, url, keys: undefined };
    const current = openKeys(id, sealedSecret);
    if (!current) {
      const reason = secrets
        ? 'its secret was sealed under another MARKETPLACE_ADMIN_SECRET'
        : 'its secret cannot be opened without MARKETPLACE_ADMIN_SECRET';
      log.error(
        { subscription: id, reason },
        'a webhook subscription receives nothing until its secret is set again',
      );
      return undefined;
    }
    const previous = previousSecret && openKeys(id, previousSecret.sealed);
    return {
      id,
      url,
      keys: { current, previous: previous && { keys: previous, untilMs: previousSecret.untilMs } },
    };
  }

  return (subscriptions: readonly Subscription[]): Map<string, Receiver> => {
    const active = subscriptions.filter(({ state }) => state === 'active');
    cached = new Map(active.map((one) => [one, cached.has(one) ? cached.get(one) : createReceiver(one)]));
    const receivers = [...cached.values()].filter((one) => one !== undefined);
    metrics.unreadableSecrets.set(cached.size - receivers.length);
    return new Map(receivers.map((one) => [one.id, one]));
  };
}

interface DisablerOptions {
  db: Database;
  subscriptions: Subscriptions;
  log: Logger;
  /** Milliseconds of failed attempts after which a subscription is disabled. */
  failingMs: number;
}

/** Reason to disable a subscription: the receiver at this url responded with 410, or attempts have failed for days. */
type Cause = { reason: 'gone'; url: string } | { reason: 'failing' };

/**
 * Disables a subscription, unless its owner has changed the url or resumed it since the failure. Resolves to `true` if it is
 * disabled. Never rejects: the next failure tries again.
 */
export function createDisabler(
  { db, subscriptions, log, failingMs }: DisablerOptions,
  metrics: DispatcherMetrics,
  onDisabled: () => void,
): (id: string, cause: Cause) => Promise<boolean> {
  async function disable(id: string, cause: Cause): Promise<boolean> {
    const { reason } = cause;
    const changed = await holdSubscription(db.sessions, id, async (client) => {
      const holds = reason === 'gone' || (await hasFailedFor(client, { subscription: id, failingMs }));
      if (!holds) return undefined;
      const changed = await subscriptions.change(id, (subscription) => {
        const isSame = reason === 'failing' || subscription.url === cause.url;
        if (subscription.state !== 'active' || !isSame) return subscription;
        return { ...subscription, state: 'disabled', disabledReason: reason };
      });
      if (changed) await transact(client, () => changeFilter(client, toFilter(changed)));
      return changed;
    });
    onDisabled();
    if (changed?.disabledReason !== reason) return false;
    metrics.disabled.inc({ reason });
    log.warn({ subscription: id, reason }, 'disabled a webhook subscription');
    return true;
  }

  return async (id, cause) => {
    try {
      return await disable(id, cause);
    } catch (error) {
      log.warn({ subscription: id, reason: getErrorMessage(error) }, 'cannot disable a webhook subscription');
      return false;
    }
  };
}

const loggedMax = 10;

/** Logs when the store has lost subscriptions, and when they are back. */
export function createMissingReporter(log: Logger, metrics: DispatcherMetrics) {
  let reported = new Set<string>();
  return (missing: readonly string[]): void => {
    metrics.missing.set(missing.length);
    const ids = new Set(missing);
    if (ids.symmetricDifference(reported).size === 0) return;
    reported = ids;
    if (missing.length === 0) {
      log.info('the webhook subscriptions are back; they get what happened meanwhile');
      return;
    }
    log.error(
      { missing: missing.length, subscriptions: missing.slice(0, loggedMax) },
      'webhook subscriptions are missing from the key-value store: nothing is sent to them until they are back. ' +
        'Restore the store; or accept the loss: npm run dispatch -- --forget-missing',
    );
  };
}

export function createDispatcherMetrics(registry: Registry) {
  const registers = [registry];
  return {
    events: new Counter({
      name: 'webhook_events_total',
      help: 'Events of the registry and of the service that were read for the subscriptions.',
      labelNames: ['network'],
      registers,
    }),
    attempts: new Counter({
      name: 'webhook_attempts_total',
      help: 'Attempts to send an event, by how they ended.',
      labelNames: ['outcome'],
      registers,
    }),
    duration: new Histogram({
      name: 'webhook_attempt_duration_seconds',
      help: 'Time of one exchange with a receiver.',
      buckets: [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15],
      registers,
    }),
    workers: new Gauge({
      name: 'webhook_subscriptions_held',
      help: 'Subscriptions that this process is sending to (its workers).',
      registers,
    }),
    missing: new Gauge({
      name: 'webhook_subscriptions_missing',
      help: 'Known subscriptions that the key-value store has lost; nothing is sent to them until they are back.',
      registers,
    }),
    disabled: new Counter({
      name: 'webhook_subscriptions_disabled_total',
      help: 'Subscriptions disabled: gone (410) or failing for days.',
      labelNames: ['reason'],
      registers,
    }),
    unreadableSecrets: new Gauge({
      name: 'webhook_unreadable_secrets',
      help: 'Active subscriptions that receive nothing because their secret was sealed under another admin secret.',
      registers,
    }),
  };
}

export type DispatcherMetrics = ReturnType<typeof createDispatcherMetrics>;
