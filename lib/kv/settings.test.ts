import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRedisUrl } from './settings.ts';

test.each([
  ['redis://redis', { kind: 'single', tls: false, nodes: [{ host: 'redis', port: 6379 }], database: 0 }],
  ['rediss://:p%40ss@redis:6380/3', { tls: true, username: undefined, password: 'p@ss', database: 3 }],
  ['redis://me:pass@[::1]:7000', { username: 'me', password: 'pass', nodes: [{ host: '::1', port: 7000 }] }],
  [
    'redis+sentinel://:pass@one,two:26380/main/2',
    {
      kind: 'sentinel',
      primary: 'main',
      database: 2,
      password: 'pass',
      nodes: [
        { host: 'one', port: 26379 },
        { host: 'two', port: 26380 },
      ],
    },
  ],
  ['rediss+cluster://one,two', { kind: 'cluster', tls: true, nodes: [{ host: 'one' }, { host: 'two' }] }],
])('%s names one store', (url, address) => {
  expect(parseRedisUrl(url)).toMatchObject(address);
});

test.each([
  'http://redis',
  'redis://',
  'redis://one,two',
  'redis://redis/x',
  'redis://redis/0/1',
  'redis://redis:0',
  'redis://redis:70000',
  'redis://%ff@redis',
  'redis+sentinel://one',
  'redis+cluster://one/1',
  'redis+cluster://one,,two',
  'redis://redis?db=1',
])('%s is refused rather than read in part', (url) => {
  expect(parseRedisUrl(url)).toBeUndefined();
});

test('whatever characters a password has, it arrives as it was', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', minLength: 1 }), (password) => {
      const url = `redis://me:${encodeURIComponent(password)}@redis`;
      expect(parseRedisUrl(url)?.password).toBe(password);
    }),
  );
});
