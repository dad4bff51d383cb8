import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, expect, test } from 'vitest';
import { redisDatabase } from '../../test/support/database.ts';
import { eventually } from '../../test/support/eventually.ts';
import { startRestRedis } from '../../test/support/rest-redis.ts';
import { certificate, startTlsProxy } from '../../test/support/tls-proxy.ts';
import { createRedisKv } from './redis.ts';
import { createRestKv } from './rest.ts';
import { parseRedisUrl } from './settings.ts';

const trusted = getCACertificates();
const closing = new AsyncDisposableStack();
afterAll(() => closing.disposeAsync());

async function redis() {
  const url = new URL(await redisDatabase());
  const proxy = await startTlsProxy(url.href);
  const kv = createRedisKv(parseRedisUrl(`rediss://127.0.0.1:${proxy.port}${url.pathname}`)!, 600_000);
  return { proxy, kv };
}

async function rest() {
  const server = await startRestRedis(await redisDatabase());
  closing.defer(() => server.close());
  const proxy = await startTlsProxy(server.url);
  const kv = createRestKv({ url: `https://127.0.0.1:${proxy.port}`, token: server.token }, 600_000);
  return { proxy, kv };
}

test.each([
  ['rediss', redis],
  ['https', rest],
])('over %s, a store is used whose certificate is trusted, and no other', async (_scheme, open) => {
  setDefaultCACertificates(trusted);
  const stranger = await open();
  const refused = stranger.kv.get('greeting').then(
    () => 'answered',
    () => 'refused',
  );
  await eventually(() => expect(stranger.proxy.handshakes.refused).toBeGreaterThan(0));
  expect([await refused, stranger.proxy.handshakes.done]).toEqual(['refused', 0]);
  await stranger.kv.close();
  await stranger.proxy.close();

  setDefaultCACertificates([...trusted, certificate]);
  const { kv, proxy } = await open();
  await eventually(() => kv.set('greeting', 'hello'));
  expect(await kv.get('greeting')).toBe('hello');
  expect(proxy.handshakes.done).toBeGreaterThan(0);
  await kv.close();
  await proxy.close();
});
