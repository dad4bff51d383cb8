import { createHmac } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { bodySignature, signingKeys, standardSignature } from './signature.ts';

const body = Buffer.from('{"a":1}');
const standard = (key: string | Buffer) =>
  `v1,${createHmac('sha256', key).update('id.7.{"a":1}').digest('base64')}`;

test('the body is signed with the secret as it was given, whatever its form', () => {
  fc.assert(
    fc.property(fc.string({ minLength: 1 }), (secret) => {
      const expected = createHmac('sha256', secret).update(body).digest('hex');
      expect(bodySignature(signingKeys(secret), body)).toBe(expected);
    }),
  );
});

test('Standard Webhooks signs with the bytes behind whsec_, and else with the secret as it was given', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 3 }), (bytes) => {
      const key = Buffer.from(bytes);
      const keys = signingKeys(`whsec_${key.toString('base64')}`);
      expect(standardSignature(keys, 'id', 7, body)).toBe(standard(key));
    }),
  );
  for (const secret of ['no-prefix', 'whsec_', 'whsec_not!base64', 'whsec_abc']) {
    expect(standardSignature(signingKeys(secret), 'id', 7, body)).toBe(standard(secret));
  }
});
