import { expect, test } from 'vitest';
import { createSecretBox } from '../../../lib/webhooks/signing.ts';
import type { Subscription } from '../../../lib/webhooks/subscriptions.ts';
import { buildSecretChange } from './changes.ts';

test('a secret that is set once more after its rotation does not bring back the one before it', () => {
  const secrets = createSecretBox('the-admin-secret-of-this-test');
  const rotate = buildSecretChange(secrets, 'wh_1', { secret: 'after', keepPreviousSecretMs: 600_000 });
  const made: Subscription = {
    id: 'wh_1',
    owner: 'key_1',
    url: 'https://receiver.example/',
    events: ['Updated'],
    sealedSecret: secrets.seal('before', 'wh_1'),
    state: 'active',
    createdMs: 1,
  };
  const rotated = rotate(made);
  expect(rotate(rotated).previousSecret?.sealed).toBe(made.sealedSecret);
  const ended = { ...rotated, previousSecret: { ...rotated.previousSecret!, untilMs: Date.now() - 1 } };
  expect(rotate(ended).previousSecret).toBeUndefined();
});
