import { expect, test } from 'vitest';
import { useDispatching } from '../../test/support/webhooks.ts';

const { world, receiver, dispatcher } = useDispatching();

/** Sets the chain's time up to which the registry is read. */
const setReadUpTo = (network: string, seconds: number) =>
  world.db.pool.query(
    `update sources set checkpoint_at = to_timestamp($2) where network = $1 and name = 'registry'`,
    [network, seconds],
  );
/** Time of the first four events of the file, in seconds; the next four are a second later. */
const firstAt = 1_750_000_000;

test('a webhook gets what happens after it was created on a network that is added later or filled again, and no history', async () => {
  const { url, ids } = await receiver();
  await world.subscribe(url, { createdMs: (firstAt + 61) * 1000 });
  const one = dispatcher({ networks: ['testnet', 'mainnet'] });
  await one.dispatch('mainnet');
  await world.follow('mainnet');
  await world.addEvents(3, 'Registered', { network: 'mainnet' });
  // Events of the minute before may come after it: the clocks of the chain and of this host differ.
  await setReadUpTo('mainnet', firstAt);
  expect(await one.dispatch('mainnet')).toMatchObject({ delivered: 0 });
  const later = (await world.addEvents(5, 'Registered', { network: 'mainnet' })).slice(1);
  await setReadUpTo('mainnet', firstAt + 1);
  // The list of subscriptions is read again after some time, or after a change.
  const changed = await receiver();
  await world.subscribe(changed.url);
  expect(await one.dispatch('mainnet')).toMatchObject({ delivered: 4 });
  expect(ids()).toEqual(later);
});
