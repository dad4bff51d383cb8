import { openDatabase } from '../../db/client.ts';
import type { NetworkSettings } from '../../lib/config/index.ts';
import { FatalError } from '../../lib/errors/index.ts';
import type { Kv } from '../../lib/kv/index.ts';
import { webhookOutbound } from '../../lib/webhooks/outbound.ts';
import { secretBox } from '../../lib/webhooks/secrets.ts';
import { openSubscriptions } from '../../lib/webhooks/subscriptions.ts';
import { createDispatcher, type Dispatcher } from '../dispatcher/dispatcher.ts';
import type { WebhookSettings } from '../gateway/webhooks/host.ts';
import type { Process } from './process.ts';

/** The dispatcher, started or for the route that runs it once, and what the gateway needs beside it. */
export function openWebhooks(
  databaseUrl: string,
  networks: NetworkSettings[],
  kv: Kv,
  { config, log, metrics, closing }: Process,
): { dispatcher: Dispatcher; settings: WebhookSettings } {
  const db = openDatabase(databaseUrl, { max: 8, name: 'dispatcher', log });
  closing.defer(() => db.close());
  const outbound = webhookOutbound(config.outboundAllowCidrs);
  closing.defer(() => outbound.close());
  const subscriptions = openSubscriptions(kv);
  const secrets = config.adminSecret === undefined ? undefined : secretBox(config.adminSecret);
  const names = networks.map(({ network }) => network);
  const dispatcher = createDispatcher({
    db,
    networks: names,
    subscriptions,
    mayLoseSubscriptions: config.kv?.kind === 'memory',
    secrets,
    outbound,
    log,
    metrics,
  });
  closing.defer(() => dispatcher.close());
  return { dispatcher, settings: { subscriptions, secrets, outbound, dispatch: dispatcher.dispatch } };
}

export function dispatcherWithoutStore(): FatalError {
  return new FatalError(
    'bad_settings',
    'The dispatcher role needs a key-value store, which holds the subscriptions: set REDIS_URL or another of its settings.',
  );
}
