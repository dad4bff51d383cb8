import { expect, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { acceptRows, refuseRows } from '../../test/support/full-disk.ts';
import { useDispatching } from '../../test/support/webhooks.ts';

const { world, receiver, dispatcher } = useDispatching();

test('a dispatcher that ends without storing its answers repeats at most fifty of a subscription, and none that is stored', async () => {
  const { url, ids } = await receiver();
  const { id } = await world.subscribe(url);
  const stored = await world.addEvents(60);
  expect(await dispatcher().dispatch('testnet')).toMatchObject({ delivered: 60 });

  await refuseRows(world.db.pool, 'webhook_log');
  const later = await world.addEvents(200);
  const ending = dispatcher();
  ending.start();
  // One answer fewer than the bound leaves room for a retry that is sent at the same time.
  await eventually(() => expect(ids().length).toBe(60 + 49));
  await ending.close();
  const unstored = ids().slice(60);
  expect(unstored.length).toBeLessThanOrEqual(50);
  await acceptRows(world.db.pool, 'webhook_log');

  expect(await dispatcher().dispatch('testnet')).toMatchObject({ delivered: 200, pending: 0 });
  expect(ids()).toEqual([...stored, ...unstored, ...later]);
  expect(await world.readSubscriptionDeliveries(id)).toHaveLength(260);

  // Faults that follow repeat nothing that the log has.
  await dispatcher().dispatch('testnet');
  const again = dispatcher();
  again.start();
  const last = await world.addEvents(1);
  await eventually(() => expect(ids()).toContain(last[0]));
  expect(ids()).toEqual([...stored, ...unstored, ...later, ...last]);
});

test('a dispatcher that has ended has released its subscriptions, even if the database is slow to do so', async () => {
  const { url, ids } = await receiver();
  await world.subscribe(url);
  await world.db.pool.query(
    `create function release_slowly() returns trigger language plpgsql as $$
      begin perform pg_sleep(0.2); return new; end $$;
    create trigger release_slowly before update on webhook_subscriptions
      for each row when (new.lease is null) execute function release_slowly()`,
  );
  const ending = dispatcher();
  ending.start();
  await world.addEvents(1);
  await eventually(() => expect(ids()).toHaveLength(1));
  await ending.close();
  const leases = await world.db.pool.query('select lease from webhook_subscriptions where lease is not null');
  await world.db.pool.query(
    'drop trigger release_slowly on webhook_subscriptions; drop function release_slowly()',
  );
  expect(leases.rows).toEqual([]);
});
