import type { Network } from '@adaptor-marketplace/adaptor/networks';
import type { Logger } from '../../lib/log/index.ts';
import type { DispatcherMetrics } from './metrics.ts';

/** Ids in one log line. */
const namedMax = 10;

/** Tells the operator that the store has lost subscriptions, when that begins, and when it ends. */
export function missingTeller(log: Logger, metrics: DispatcherMetrics) {
  const told = new Map<Network, number>();
  return (network: Network, missing: readonly string[]): void => {
    const before = told.get(network) ?? 0;
    told.set(network, missing.length);
    metrics.missing.set({ network }, missing.length);
    if (missing.length === before) return;
    if (missing.length === 0) {
      log.info({ network }, 'the webhook subscriptions are back; deliveries are written again');
      return;
    }
    log.error(
      { network, missing: missing.length, subscriptions: missing.slice(0, namedMax) },
      'webhook subscriptions are missing from the key-value store: no deliveries are written until they are back. ' +
        'Restore the store; or accept the loss: npm run dispatch -- --forget-missing',
    );
  };
}
