import { expect, test } from 'vitest';
import { createMemoryKv } from '../../lib/kv/memory.ts';
import { createSecretBox } from '../../lib/webhooks/signing.ts';
import { openSubscriptions, type Subscription } from '../../lib/webhooks/subscriptions.ts';

import { resealSecrets } from './reseal.ts';

const [before, after, other] = ['before', 'after', 'other'].map((secret) => createSecretBox(secret));

test('secrets under the fallback are sealed again, and nothing else of a webhook or of another one changes', async () => {
  const kv = createMemoryKv();
  const subscriptions = openSubscriptions(kv);
  const add = async (id: string, fields: Partial<Subscription>) => {
    const common = { id, owner: 'key_1', url: 'https://x.test', events: [], createdMs: 1 };
    await subscriptions.add({ ...common, state: 'paused', ...fields });
  };
  const previousSecret = { sealed: before!.seal('the first', 'wh_1'), untilMs: 5 };
  await add('wh_1', { sealedSecret: before!.seal('the second', 'wh_1'), previousSecret });
  await add('wh_2', { sealedSecret: after!.seal('new already', 'wh_2') });
  await add('wh_3', { sealedSecret: other!.seal('of another host', 'wh_3') });
  await add('wh_4', {});
  const known = await subscriptions.list();

  const secrets = createSecretBox('after', 'before');
  expect(await resealSecrets(subscriptions, secrets)).toEqual({ resealed: 1, unreadable: 1 });
  const [first, ...others] = await subscriptions.list();
  expect(others).toEqual(known.slice(1));
  expect(first).toEqual({
    ...known[0],
    sealedSecret: expect.any(String),
    previousSecret: { sealed: expect.any(String), untilMs: 5 },
  });
  expect(after!.open(first!.sealedSecret!, 'wh_1')).toBe('the second');
  expect(after!.open(first!.previousSecret!.sealed, 'wh_1')).toBe('the first');
  expect(await resealSecrets(subscriptions, secrets)).toEqual({ resealed: 0, unreadable: 1 });
  await kv.close();
});
