import { Registry } from '@prometheus-io/client';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { forgetMissingSubscriptions, markRemoved } from '../../db/queries/webhooks/subscriptions.ts';
import { type Logger, silentLogger } from '../../lib/log/index.ts';
import { redisDatabase } from '../../test/support/database.ts';
import { eventually } from '../../test/support/eventually.ts';
import { startReceiver } from '../../test/support/receiver.ts';
import { startTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.ts';
import { openDispatching, quickRules } from '../../test/support/webhooks.ts';

let proxy: TcpProxy;
let world: Awaited<ReturnType<typeof openDispatching>>;
const closing: (() => Promise<unknown>)[] = [];
beforeAll(async () => {
  proxy = await startTcpProxy(await redisDatabase());
  world = await openDispatching(proxy.url);
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  await world.clear();
});
afterAll(async () => {
  await world.close();
  await proxy.cut();
});

/** Starts a receiver that responds only once the test permits it. `ids` are the messages that it has received. */
async function gatedReceiver(status: number) {
  const gate = Promise.withResolvers<void>();
  const receiver = await startReceiver(async (response) => {
    await gate.promise;
    response.writeHead(status).end();
  });
  closing.push(receiver.close);
  return { ...receiver, answer: gate.resolve };
}

function dispatcher(...options: Parameters<typeof world.dispatcher>) {
  const made = world.dispatcher(...options);
  closing.push(made.close);
  return made;
}

const attempts = async (subscription: string) =>
  (await world.readSubscriptionDeliveries(subscription)).flatMap((delivery) =>
    delivery.attempts.map(({ outcome }) => ({ outcome })),
  );

test('when the key-value store goes out while something is sent, its end is stored, and the rest follows later', async () => {
  const { url, ids, answer } = await gatedReceiver(204);
  const { id } = await world.subscribe(url);
  const expected = await world.addEvents(3);
  dispatcher().start();
  await eventually(async () => expect(ids()).toHaveLength(1));
  await proxy.cut();
  expected.push(...(await world.addEvents(3)));
  answer();
  await eventually(async () => expect((await attempts(id)).length).toBeGreaterThan(0));
  await proxy.restore();
  await eventually(async () => expect(await attempts(id)).toHaveLength(6));
  expect(ids()).toEqual(expected);
  await eventually(() => world.subscriptions.list());
});

test('what cannot be disabled because the store is out is stored all the same, and once', async () => {
  const { url, ids, answer } = await gatedReceiver(500);
  const { id } = await world.subscribe(url);
  await world.addEvents(1);
  const one = dispatcher({ rules: { ...quickRules, scheduleMs: [], disableAfterMs: 0 } });
  // It fails when it looks for more to send while the store is unavailable.
  const dispatched = one.dispatch('testnet').catch(() => undefined);
  await eventually(async () => expect(ids()).toHaveLength(1));
  await proxy.cut();
  answer();
  await dispatched;
  expect(await attempts(id)).toEqual([{ outcome: 'http_status' }]);

  await proxy.restore();
  await eventually(async () => expect(await world.subscriptions.find(id)).toMatchObject({ state: 'active' }));
  await world.addEvents(1);
  await one.dispatch('testnet');
  const disabled = { state: 'disabled', disabledReason: 'failing' };
  await eventually(async () => expect(await world.subscriptions.find(id)).toMatchObject(disabled));
});

test('a store that comes back empty loses no events: the subscriptions stand still, and the log and a metric report it', async () => {
  const { url, ids, answer } = await gatedReceiver(204);
  answer();
  const { id } = await world.subscribe(url);
  const expected = await world.addEvents(1);
  const log = { ...silentLogger, error: vi.fn(), info: vi.fn() } as unknown as Logger;
  const metrics = new Registry();
  const one = dispatcher({ log, metrics });
  const { cursor, ...report } = await one.dispatch('testnet');
  expect(report).toMatchObject({ delivered: 1, missing: 0 });

  const lost = [await world.kv.get(`wh:${id}`), await world.kv.hashAll('webhooks')] as const;
  await world.kv.delete(`wh:${id}`);
  await world.kv.hashDelete('webhooks', id);
  await world.kv.delete('webhooks:version');
  expected.push(...(await world.addEvents(3)));
  expect(await one.dispatch('testnet')).toMatchObject({ delivered: 0, cursor, pending: 3, missing: 1 });
  expect(await one.dispatch('testnet')).toMatchObject({ delivered: 0, cursor, pending: 3, missing: 1 });
  expect(log.error).toHaveBeenCalledExactlyOnceWith(
    expect.objectContaining({ missing: 1, subscriptions: [id] }),
    expect.stringContaining('missing from the key-value store'),
  );
  expect(await metrics.metrics()).toContain('webhook_subscriptions_missing 1');

  await world.kv.set(`wh:${id}`, lost[0]!);
  await world.kv.hashSet('webhooks', id, lost[1].get(id)!);
  expect(await one.dispatch('testnet')).toMatchObject({ delivered: 3, missing: 0 });
  expect(ids()).toEqual(expected);
  expect(log.info).toHaveBeenCalledOnce();
});

test('what the store has lost holds up no other subscription, and what its owner deleted or gave up is not missing', async () => {
  const { url, answer } = await gatedReceiver(204);
  answer();
  const [deleted, forgotten, kept] = [
    await world.subscribe(url),
    await world.subscribe(url),
    await world.subscribe(url),
  ];
  const one = dispatcher();
  await world.addEvents(1);
  await one.dispatch('testnet');
  await markRemoved(world.db.pool, deleted.id);
  for (const { id } of [deleted, forgotten]) await world.subscriptions.remove(id);
  await world.addEvents(1);
  expect(await one.dispatch('testnet')).toMatchObject({ delivered: 1, pending: 1, missing: 1 });
  expect(await forgetMissingSubscriptions(world.db.pool, [deleted.id, forgotten.id])).toBe(1);
  expect(await one.dispatch('testnet')).toMatchObject({ delivered: 0, pending: 0, missing: 0 });
  expect(await attempts(kept.id)).toHaveLength(2);
});

test('a subscription that is added while another one is found lost for good stays', async () => {
  const { url, ids, answer } = await gatedReceiver(204);
  answer();
  const lost = await world.subscribe(url);
  await world.subscriptions.remove(lost.id);
  let added: Promise<unknown> | undefined;
  const subscriptions: typeof world.subscriptions = {
    ...world.subscriptions,
    async survey() {
      const survey = await world.subscriptions.survey();
      added ??= world.subscribe(url);
      await added;
      return survey;
    },
  };
  const one = dispatcher({ subscriptions, mayLoseSubscriptions: true });
  expect(await one.dispatch('testnet')).toMatchObject({ missing: 0 });
  const expected = await world.addEvents(1);
  expect(await one.dispatch('testnet')).toMatchObject({ delivered: 1 });
  expect(ids()).toEqual(expected);
});

test('a subscription that is deleted while the subscriptions are read is not reported as missing', async () => {
  const { url } = await gatedReceiver(204);
  const { id } = await world.subscribe(url);
  let deleted: Promise<void> | undefined;
  const remove = async () => {
    await markRemoved(world.db.pool, id);
    await world.subscriptions.remove(id);
  };
  const subscriptions: typeof world.subscriptions = {
    ...world.subscriptions,
    async survey() {
      deleted ??= remove();
      await deleted;
      return await world.subscriptions.survey();
    },
  };
  const log = { ...silentLogger, error: vi.fn() } as unknown as Logger;
  expect(await dispatcher({ subscriptions, log }).dispatch('testnet')).toMatchObject({ missing: 0 });
  expect(log.error).not.toHaveBeenCalled();
  const { rows } = await world.db.pool.query('select lost_at from webhook_subscriptions');
  expect(rows).toEqual([{ lost_at: null }]);
});
