import { randomBytes } from 'node:crypto';
import type { Network } from '@adaptor-marketplace/adaptor';
import { Registry } from '@prometheus-io/client';
import { afterEach } from 'vitest';
import { readDeliveries } from '../../db/queries/webhooks/deliveries.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound, type OutboundOptions } from '../../lib/outbound/index.ts';
import { createSecretBox } from '../../lib/webhooks/signing.ts';
import { openSubscriptions, type Subscription } from '../../lib/webhooks/subscriptions.ts';
import {
  createDispatcher,
  type Dispatcher,
  type DispatcherOptions,
} from '../../services/dispatcher/dispatcher.ts';
import type { RetryRules } from '../../services/dispatcher/outcome.ts';
import { addWebhook, changeWebhook } from '../../services/gateway/webhooks/changes.ts';
import { openTestDatabase, redisDatabase } from './database.ts';
import { adminSecret } from './keys.ts';
import { openTestKv } from './kv.ts';
import { type Answer, startReceiver, unhurriedDispatch } from './receiver.ts';
import { registryEvents } from './registry-events.ts';
import { useForFile } from './use-for-file.ts';

/** These exports are for tests of the gateway, which may not import another service. */
export { createDispatcher, type Dispatcher };

/** Retry rules with milliseconds instead of hours. */
export const quickRules: RetryRules = { scheduleMs: [10, 20, 30], overloadMs: 50, disableAfterMs: 60_000 };

/** A database and a store that only this test uses, and dispatchers on them. */
export async function openDispatching(redisUrl?: string) {
  const url = redisUrl ?? (await redisDatabase());
  const db = await openTestDatabase();
  const kv = await openTestKv(url);
  const subscriptions = openSubscriptions(kv);
  const secrets = createSecretBox(adminSecret);
  const registry = registryEvents(db);
  await registry.follow();

  /** Subscribes as the gateway does, without its checks. */
  async function subscribe(
    receiverUrl: string,
    fields: Partial<Subscription> & { secret?: string } = {},
  ): Promise<Subscription> {
    const id = `wh_${randomBytes(8).toString('hex')}`;
    const { secret, ...rest } = fields;
    const subscription: Subscription = {
      id,
      owner: `key_${id}`,
      url: receiverUrl,
      events: ['Registered', 'Updated', 'Unlisted', 'Attested'],
      state: 'active',
      createdMs: Date.now(),
      ...(secret !== undefined && { sealedSecret: secrets.seal(secret, id) }),
      ...rest,
    };
    await addWebhook({ db: db.pool, subscriptions }, subscription);
    return subscription;
  }

  /** Changes a subscription as the gateway does. */
  const change = (id: string, fields: Partial<Subscription>) =>
    changeWebhook({ sessions: db.sessions, subscriptions }, id, (before) => ({ ...before, ...fields }));

  /** Removes all subscriptions and their state. */
  async function clear(): Promise<void> {
    for (const { id } of await subscriptions.list()) await subscriptions.remove(id);
    for (const table of ['subscriptions', 'positions', 'retries', 'log'])
      await db.pool.query(`delete from webhook_${table}`);
  }

  /** A subscription's deliveries that are settled or wait for a retry, in the order of events. */
  const readSubscriptionDeliveries = async (id: string) =>
    (await readDeliveries(db.pool, { subscription: id, limit: 10_000 })).items.reverse();

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
    await db.close();
  };
  return {
    db,
    kv,
    redisUrl: url,
    subscriptions,
    secrets,
    subscribe,
    change,
    clear,
    readSubscriptionDeliveries,
    dispatcher,
    close,
    ...registry,
  };
}

/** Dispatching for the tests of the file. What a test starts ends after it, and its subscriptions are removed. */
export function useDispatching() {
  const world = useForFile(openDispatching);
  const closers: (() => Promise<unknown>)[] = [];
  const tracked = <T extends { close(): Promise<unknown> }>(started: T): T => {
    closers.push(started.close);
    return started;
  };
  afterEach(async () => {
    for (const close of closers.splice(0).reverse()) await close();
    await world.clear();
  });
  return {
    world,
    receiver: async (answer?: Answer) => tracked(await startReceiver(answer)),
    dispatcher: (...options: Parameters<typeof world.dispatcher>) => tracked(world.dispatcher(...options)),
  };
}
