import fc from 'fast-check';
import { expect, test } from 'vitest';
import { secretBox } from './secrets.ts';

const box = secretBox('the admin secret');

test('a sealed secret opens for its subscription and its host alone', () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 300, unit: 'binary' }), fc.string(), (secret, id) => {
      const sealed = box.seal(secret, id);
      expect(box.open(sealed, id)).toBe(Buffer.from(secret).toString());
      expect(box.open(sealed, `${id}x`)).toBeUndefined();
      expect(secretBox('another').open(sealed, id)).toBeUndefined();
    }),
  );
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
