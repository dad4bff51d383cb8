import type { Network } from '@adaptor-marketplace/adaptor';
import type { Registry } from '@prometheus-io/client';
import { type Database, openDatabase } from '../../db/client.ts';
import type { Config } from '../../lib/config/index.ts';
import type { Kv } from '../../lib/kv/kv.ts';
import type { Logger } from '../../lib/log/index.ts';
import { type Outbound, webhookOutbound } from '../../lib/outbound/index.ts';
import { type SecretBox, secretBox } from '../../lib/webhooks/signing.ts';
import { openSubscriptions, type Subscriptions } from '../../lib/webhooks/subscriptions.ts';
import { createDispatcher, type Dispatcher } from './dispatcher.ts';

interface Context {
  config: Config;
  log: Logger;
  metrics: Registry;
  closing: AsyncDisposableStack;
}

/** A dispatcher, and the parts that it shares with the gateway. */
export interface Webhooks {
  db: Database;
  dispatcher: Dispatcher;
  subscriptions: Subscriptions;
  secrets: SecretBox | undefined;
  outbound: Outbound;
}

/** Opens a dispatcher with the settings of this process; `closing` ends it. */
export function openWebhooks(
  databaseUrl: string,
  networks: readonly Network[],
  kv: Kv,
  { config, log, metrics, closing }: Context,
): Webhooks {
  const db = openDatabase(databaseUrl, { max: 8, name: 'dispatcher', log });
  closing.defer(() => db.close());
  const outbound = webhookOutbound(config.outboundAllowCidrs);
  closing.defer(() => outbound.close());
  const subscriptions = openSubscriptions(kv);
  const secrets = config.adminSecret === undefined ? undefined : secretBox(config.adminSecret);
  const mayLoseSubscriptions = config.kv?.kind === 'memory';
  const shared = { db, subscriptions, secrets, outbound };
  const dispatcher = createDispatcher({ ...shared, networks, mayLoseSubscriptions, log, metrics });
  closing.defer(() => dispatcher.close());
  return { ...shared, dispatcher };
}
