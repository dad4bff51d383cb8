import { createHmac } from 'node:crypto';
import { verifyWebhook } from '@adaptor-marketplace/sdk';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  createSecretBox,
  createSignatureHeaders,
  deriveSigningKeys,
  signBody,
  signStandard,
} from './signing.ts';

const body = Buffer.from('{"a":1}');
const standard = (key: string | Buffer) =>
  `v1,${createHmac('sha256', key).update('id.7.{"a":1}').digest('base64')}`;

test('the body is signed with the secret as it was given, whatever its form', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (secret) => {
      const expected = createHmac('sha256', secret).update(body).digest('hex');
      expect(signBody(deriveSigningKeys(secret), body)).toBe(expected);
    }),
  );
});

test('Standard Webhooks signs with the bytes behind whsec_, and else with the secret as it was given', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 3 }), (bytes) => {
      const key = Buffer.from(bytes);
      const keys = deriveSigningKeys(`whsec_${key.toString('base64')}`);
      expect(signStandard(keys, 'id', 7, body)).toBe(standard(key));
    }),
  );
  for (const secret of ['no-prefix', 'whsec_', 'whsec_not!base64', 'whsec_abc']) {
    expect(signStandard(deriveSigningKeys(secret), 'id', 7, body)).toBe(standard(secret));
  }
});

test('the sdk verifies what is signed with a secret of any form, also while it is rotated', async () => {
  const timestamp = Math.floor(Date.now() / 1000);
  const secret = fc.oneof(
    fc.string({ minLength: 8, maxLength: 256 }),
    fc.uint8Array({ minLength: 3 }).map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`),
  );
  await fc.assert(
    fc.asyncProperty(
      secret,
      secret,
      fc.string({ minLength: 1, unit: 'grapheme-ascii' }),
      async (now, before, id) => {
        const previous = { keys: deriveSigningKeys(before), untilMs: (timestamp + 60) * 1000 };
        const keys = { current: deriveSigningKeys(now), previous };
        const signatures = createSignatureHeaders(keys, { id, timestamp, body });
        const headers = { 'webhook-id': id, 'webhook-timestamp': String(timestamp), ...signatures };
        for (const known of [now, before]) {
          expect(await verifyWebhook({ body, headers, secret: known })).toEqual({ a: 1 });
        }
        expect(await verifyWebhook({ body, headers, secret: before, signature: 'body' })).toEqual({ a: 1 });
      },
    ),
  );
});

const box = createSecretBox('the admin secret');

test('a sealed secret opens for its subscription and its host alone', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300, unit: 'binary' }), fc.string(), (secret, id) => {
      const sealed = box.seal(secret, id);
      expect(box.open(sealed, id)).toBe(Buffer.from(secret).toString());
      expect(box.open(sealed, `${id}x`)).toBeUndefined();
      expect(createSecretBox('another').open(sealed, id)).toBeUndefined();
    }),
  );
});

test('while the admin secret is rotated, what is sealed under either opens, and is sealed again under the new one', () => {
  const [before, after] = [createSecretBox('before', 'after'), createSecretBox('after', 'before')];
  const sealed = before.seal('a secret', 'wh_1');
  for (const one of [before, after]) {
    expect(one.open(sealed, 'wh_1')).toBe('a secret');
    expect(one.open(after.seal('a secret', 'wh_1'), 'wh_1')).toBe('a secret');
  }
  const again = after.reseal(sealed, 'wh_1')!;
  expect(createSecretBox('after').open(again, 'wh_1')).toBe('a secret');
  expect(after.reseal(again, 'wh_1')).toBe(again);
  expect(after.reseal(sealed, 'wh_2')).toBeUndefined();
  expect(createSecretBox('after').reseal(sealed, 'wh_1')).toBeUndefined();
});

test('the same secret is sealed otherwise each time', () => {
  expect(box.seal('secret', 'wh_1')).not.toBe(box.seal('secret', 'wh_1'));
});

test('what was tampered with or is anything else does not open', () => {
  const sealed = Buffer.from(box.seal('a secret', 'wh_1'), 'base64url');
  for (let at = 0; at < sealed.length; at++) {
    const bent = Buffer.from(sealed);
    bent[at]! ^= 1;
    expect(box.open(bent.toString('base64url'), 'wh_1')).toBeUndefined();
  }
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(box.open(text, 'wh_1')).toBeUndefined();
    }),
  );
});
