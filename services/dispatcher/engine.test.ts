import { Registry } from '@prometheus-io/client';
import { expect, onTestFinished, test } from 'vitest';
import type { Database } from '../../db/client.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { unhurriedDispatch } from '../../test/support/receiver.ts';
import { useDispatching } from '../../test/support/webhooks.ts';
import { Engine } from './engine.ts';

const { world, receiver, dispatcher } = useDispatching();

/** Returns the database, and a function that runs `meanwhile` between the next claim's statement and its result. */
function pauseClaims(db: Database) {
  let next: (() => Promise<unknown>) | undefined;
  const pool: Database['pool'] = Object.create(db.pool, {
    query: {
      value: async (statement: { name?: string }, ...values: unknown[]) => {
        const result = await (db.pool.query as (...args: unknown[]) => Promise<unknown>)(
          statement,
          ...values,
        );
        if (statement.name !== 'webhook-claim') return result;
        const meanwhile = next;
        next = undefined;
        await meanwhile?.();
        return result;
      },
    },
  });
  return { db: { ...db, pool }, duringNextClaim: (meanwhile: () => Promise<unknown>) => (next = meanwhile) };
}

/** Opens an engine that ends after the test, and the control of its claims. */
function openEngine() {
  const { db, duringNextClaim } = pauseClaims(world.db);
  const outbound = createOutbound({
    allowCidrs: ['127.0.0.0/8'],
    plainHttp: true,
    connectionsPerHost: 'unbounded',
  });
  const engine = new Engine({
    db,
    networks: ['testnet'],
    subscriptions: world.subscriptions,
    secrets: world.secrets,
    outbound,
    log: silentLogger,
    metrics: new Registry(),
    ...unhurriedDispatch,
  });
  onTestFinished(async () => {
    await engine.close();
    await outbound.close();
  });
  const claim = (goOn = () => true) => engine.claim(['testnet'], goOn);
  return { engine, claim, duringNextClaim };
}

test('an event that is read while its subscription is found up to date is sent by the next claim', async () => {
  const { url, ids } = await receiver();
  await world.subscribe(url);
  const { engine, claim, duringNextClaim } = openEngine();

  const expected = await world.addEvents(1);
  await engine.advance('testnet');
  await dispatcher().dispatch('testnet');
  duringNextClaim(async () => {
    expected.push(...(await world.addEvents(1)));
    await engine.advance('testnet');
  });
  expect(await claim()).toEqual([]);
  await Promise.all(await claim());
  expect(ids()).toEqual(expected);
});

test('a subscription that is paused while it is claimed is released, and the others are sent to', async () => {
  const paused = await receiver();
  const { url, ids } = await receiver();
  const subscriptions = [await world.subscribe(paused.url), await world.subscribe(url)];
  const { engine, claim, duringNextClaim } = openEngine();
  const expected = await world.addEvents(1);
  await engine.advance('testnet');
  duringNextClaim(async () => {
    await world.change(subscriptions[0]!.id, { state: 'paused' });
    engine.refresh();
    await engine.advance('testnet');
  });
  await Promise.all(await claim());
  expect([paused.ids(), ids()]).toEqual([[], expected]);
  const { rows } = await world.db.pool.query('select lease from webhook_subscriptions');
  expect(rows).toEqual([{ lease: null }, { lease: null }]);
});

test('a subscription that was claimed is released if its position cannot be read', async () => {
  const { url, ids } = await receiver();
  await world.subscribe(url);
  const { engine, claim, duringNextClaim } = openEngine();
  const expected = await world.addEvents(1);
  await engine.advance('testnet');
  duringNextClaim(() => world.db.pool.query('alter table webhook_positions rename to gone'));
  const claimed = claim();
  await expect(
    claimed.finally(() => world.db.pool.query('alter table gone rename to webhook_positions')),
  ).rejects.toThrow('webhook_positions');
  await Promise.all(await claim());
  expect(ids()).toEqual(expected);
});

test('a subscription about one publisher passes the events of others, however few it reads before another gets its slot', async () => {
  const { url, ids } = await receiver();
  await world.subscribe(url, { publisher: '0xb0b' });
  const { engine, claim } = openEngine();
  const [last] = (await world.addEvents(400)).slice(-1);
  await world.db.pool.query(
    `insert into listing_versions (network, checkpoint, tx_index, event_index, service_type, publisher, version, listed,
        timestamp)
      select network, checkpoint, tx_index, event_index, '0x1::a::A', '0xb0b', 1, true, timestamp from events
      where tx_digest || ':' || event_index = $1`,
    [last],
  );
  await engine.advance('testnet');
  for (let slot = 0; slot < 10; slot++) {
    let steps = 0;
    await Promise.all(await claim(() => ++steps <= 3));
  }
  expect(ids()).toEqual([last]);
});
