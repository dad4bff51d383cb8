import fc from 'fast-check';
import { expect, test } from 'vitest';
import { redactMessage } from './errors.ts';

test.each([
  [
    '14 UNAVAILABLE: connect ECONNREFUSED 127.0.0.1:9000',
    '14 UNAVAILABLE: connect ECONNREFUSED 127.0.0.1:9000',
  ],
  ['https://node.test:443 no longer keeps checkpoint 3', 'https://node.test no longer keeps checkpoint 3'],
  ['see https://node.test/v1/KEY', 'see https://node.test/…'],
  ['(postgres://user:pw@db:5432/main)', '(postgres://db:5432/…'],
  ['bad grpcs://host?key=1', 'bad grpcs://host/…'],
  ['sent {"authorization":"Bearer abc.def"}', 'sent {"authorization":[masked]}'],
  ['x-api-key=abc, retry', 'x-api-key=[masked], retry'],
  ['password: hunter2; user: me', 'password: [masked]; user: me'],
  ['used Bearer abcdefghijkl', 'used Bearer [masked]'],
  ['Unexpected token < in JSON', 'Unexpected token < in JSON'],
  ['two\nlines\0', 'two lines '],
])('of %j, %j is shown', (message, shown) => {
  expect(redactMessage(message, [])).toBe(shown);
});

test('the host’s own token is shown nowhere, whatever stands around it', () => {
  const token = 'tok_4f9a1c';
  fc.assert(
    fc.property(fc.string(), fc.string(), (before, after) => {
      expect(redactMessage(before + token + after, [token])).not.toContain(token);
    }),
  );
});

test('no part of a url but its host is shown', () => {
  fc.assert(
    fc.property(fc.webUrl({ withQueryParameters: true, withFragments: true }), (url) => {
      const { protocol, host } = new URL(url);
      const shown = redactMessage(`failed at ${url} again`, []);
      expect(shown.replace('/…', '').replace('failed at ', '').replace(' again', '')).toBe(
        `${protocol}//${host}`,
      );
    }),
  );
});

test.each(['a-', 'a.', 'token ', 'Bearer ', 'token="', "token:'", 'basic\n', '://a', 'a://'])(
  'a message of a million repetitions of %j takes time in proportion to its length',
  (part) => {
    expect(redactMessage(part.repeat(1_000_000), []).length).toBeLessThanOrEqual(1_000);
  },
);

test('a message is no longer than a row may hold', () => {
  expect(redactMessage('x'.repeat(5_000), []).length).toBe(1_000);
});
