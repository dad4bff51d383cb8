import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { until } from '../../test/support/indexing.ts';
import { startReceiver } from '../../test/support/receiver.ts';
import { redisDatabase } from '../../test/support/redis-database.ts';
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
});
afterAll(async () => {
  await world.close();
  await proxy.cut();
});

/** A receiver that answers only once it is let; `ids` are what it has got. */
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

const attempts = async (subscription: string) => {
  const question = 'select outcome from webhook_attempts where subscription = $1';
  return (await world.db.pool.query<{ outcome: string }>(question, [subscription])).rows;
};

test('when the key-value store goes out while something is sent, its end is stored, and the rest follows later', async () => {
  const { url, ids, answer } = await gatedReceiver(204);
  const { id } = await world.subscribe(url);
  const expected = await world.addEvents(3);
  dispatcher().start();
  await until(async () => expect(ids()).toHaveLength(1));
  await proxy.cut();
  expected.push(...(await world.addEvents(3)));
  answer();
  await until(async () => expect((await attempts(id)).length).toBeGreaterThan(0));
  await proxy.restore();
  await until(async () => expect(await attempts(id)).toHaveLength(6));
  expect(ids()).toEqual(expected);
});

test('what cannot be disabled because the store is out is stored all the same, and once', async () => {
  const { url, ids, answer } = await gatedReceiver(500);
  const { id } = await world.subscribe(url);
  await world.addEvents(1);
  const one = dispatcher({ rules: { ...quickRules, scheduleMs: [], disableAfterMs: 0 } });
  // It ends in an error where it looks for more to send while the store is out.
  const dispatched = one.dispatch('testnet').catch(() => undefined);
  await until(async () => expect(ids()).toHaveLength(1));
  await proxy.cut();
  answer();
  await dispatched;
  expect(await attempts(id)).toEqual([{ outcome: 'http_status' }]);

  await proxy.restore();
  await until(async () => expect(await world.subscriptions.find(id)).toMatchObject({ state: 'active' }));
  await world.addEvents(1);
  await one.dispatch('testnet');
  const disabled = { state: 'disabled', disabledReason: 'failing' };
  await until(async () => expect(await world.subscriptions.find(id)).toMatchObject(disabled));
});
