import { Registry } from '@prometheus-io/client';
import { expect, test } from 'vitest';
import { createKv } from '../../../lib/kv/index.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { redisDatabase } from '../../../test/support/database.ts';
import { startTestGateway } from '../../../test/support/gateway.ts';
import { adminSecret, issueTestKey } from '../../../test/support/keys.ts';
import { unhurried } from '../../../test/support/kv.ts';
import { startRestRedis } from '../../../test/support/rest-redis.ts';

test('a request waits for one round trip to the store, with a key or without, and a wrong key is looked up once', async () => {
  await using stack = new AsyncDisposableStack();
  const rest = await startRestRedis(await redisDatabase());
  stack.defer(() => rest.close());
  const options = { log: silentLogger, metrics: new Registry(), ...unhurried };
  const kv = await createKv({ kind: 'rest', url: rest.url, token: rest.token }, options);
  stack.defer(() => kv.close());
  const access = { kv, adminSecret, anonymousPerMinute: 100, trustProxy: 0 };
  const gateway = await startTestGateway((seed) => seed.listing(), { access });
  stack.defer(() => gateway.close());
  const { key } = await issueTestKey(gateway.url);

  const roundTrips = async (path: string, headers: Record<string, string>) => {
    const before = rest.requests;
    const answer = await fetch(gateway.url + path, { headers });
    await answer.text();
    return [answer.status, rest.requests - before];
  };
  expect(await roundTrips('/api/adaptors', {})).toEqual([200, 1]);
  expect(await roundTrips('/api/adaptors?limit=1', {})).toEqual([200, 1]);
  expect(await roundTrips('/api/adaptors', { 'x-api-key': key })).toEqual([200, 1]);
  expect(await roundTrips('/healthz', {})).toEqual([200, 0]);
  const unknown = { 'x-api-key': `mk_${'0'.repeat(43)}` };
  expect(await roundTrips('/api/adaptors', unknown)).toEqual([401, 2]);
  expect(await roundTrips('/api/adaptors', unknown)).toEqual([401, 1]);
  expect(await roundTrips('/api/adaptors', { 'x-api-key': 'mk_short' })).toEqual([401, 1]);
});
