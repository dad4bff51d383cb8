import { randomBytes } from 'node:crypto';
import type { Network } from '@adaptor-marketplace/adaptor';
import { Registry } from '@prometheus-io/client';
import type { PoolClient } from 'pg';
import type { Database } from '../../db/client.ts';
import { lastEventPositions } from '../../db/queries/webhooks/fan-out.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound, type OutboundOptions } from '../../lib/outbound/index.ts';
import { secretBox } from '../../lib/webhooks/signing.ts';
import { openSubscriptions, type Subscription } from '../../lib/webhooks/subscriptions.ts';
import {
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
} from '../../services/dispatcher/dispatcher.ts';
import type { RetryRules } from '../../services/dispatcher/outcome.ts';
import { openTestDatabase, redisDatabase } from './database.ts';
import { adminSecret } from './keys.ts';
import { openTestKv } from './kv.ts';
import { unhurriedDispatch } from './receiver.ts';
import { registryEvents } from './registry-events.ts';

/** For tests of the gateway, which may not import another service. */
export { createDispatcher, type Dispatcher };

/** Everything in milliseconds instead of hours. */
export const quickRules: RetryRules = { scheduleMs: [10, 20, 30], overloadMs: 50, disableAfterMs: 60_000 };

/** A database and a store of their own, and dispatchers over them. */
export async function openDispatching(redisUrl?: string) {
  const url = redisUrl ?? (await redisDatabase());
  const db = await openTestDatabase();
  const kv = await openTestKv(url);
  const subscriptions = openSubscriptions(kv);
  const secrets = secretBox(adminSecret);
  const registry = registryEvents(db);

  /** Subscribes as the gateway does, without its checks. */
  async function subscribe(
    receiverUrl: string,
    fields: Partial<Subscription> & { secret?: string } = {},
  ): Promise<Subscription> {
    const id = `wh_${randomBytes(8).toString('hex')}`;
    const { secret, ...rest } = fields;
    const subscription: Subscription = {
      id,
      owner: 'key_test',
      url: receiverUrl,
      events: ['Registered', 'Updated', 'Unlisted', 'Attested'],
      state: 'active',
      after: Object.fromEntries(await onClient(db, lastEventPositions)),
      createdMs: Date.now(),
      ...(secret !== undefined && { sealedSecret: secrets.seal(secret, id) }),
      ...rest,
    };
    await subscriptions.add(subscription);
    return subscription;
  }

  function dispatcher(
    options: Partial<DispatcherOptions> & { outboundOptions?: Partial<OutboundOptions> } = {},
  ): Dispatcher {
    const { outboundOptions, ...rest } = options;
    const outbound = createOutbound({
      allowCidrs: ['127.0.0.0/8'],
      plainHttp: true,
      connectionsPerHost: 'unbounded',
      ...outboundOptions,
    });
    const made = createDispatcher({
      db,
      networks: ['testnet'],
      subscriptions,
      secrets,
      outbound,
      log: silentLogger,
      metrics: new Registry(),
      rules: quickRules,
      ...unhurriedDispatch,
      pollMs: 20,
      ...rest,
    });
    const close = async () => {
      await made.close();
      await outbound.close();
    };
    const dispatch = (network: Network) => made.dispatch(network, unhurriedDispatch.timeoutMs);
    return { ...made, dispatch, close };
  }

  const close = async () => {
    await kv.close();
    await db.drop();
  };
  return { db, kv, redisUrl: url, subscriptions, secrets, subscribe, dispatcher, close, ...registry };
}

async function onClient<T>(db: Database, work: (client: PoolClient) => Promise<T>): Promise<T> {
  const client = await db.pool.connect();
  try {
    return await work(client);
  } finally {
    client.release();
  }
}
