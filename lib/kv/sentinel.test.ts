import { Redis } from 'ioredis';
import { Registry } from 'prom-client';
import { expect, test, vi } from 'vitest';
import { type RedisArguments, standalone, startRedisServers } from '../../test/support/redis-server.ts';
import { silentLogger } from '../log/index.ts';
import { createKv } from './index.ts';
import { parseRedisUrl } from './redis-url.ts';

test('behind a sentinel, the primary that takes over from a dead one is found, with what was counted', async () => {
  await using closing = new AsyncDisposableStack();
  const follower: RedisArguments = (_, [primary]) => ['--replicaof', '127.0.0.1', `${primary}`];
  const group = await startRedisServers(standalone, follower, () => ['--sentinel']);
  closing.defer(() => group.stop());
  const [primary, replica, sentinel] = group.urls.map((url) => new Redis(url, { retryStrategy: null }));
  for (const client of [primary!, replica!, sentinel!]) {
    client.on('error', () => undefined);
    closing.defer(() => client.disconnect());
  }
  const linked = async () => expect(await replica!.info('replication')).toContain('master_link_status:up');
  await vi.waitFor(linked, 10_000);
  const ports = group.urls.map((url) => Number(new URL(url).port));
  await sentinel!.call('SENTINEL', 'MONITOR', 'main', '127.0.0.1', ports[0]!, 1);
  await sentinel!.call('SENTINEL', 'SET', 'main', 'down-after-milliseconds', 200, 'failover-timeout', 1_000);
  const address = parseRedisUrl(`redis+sentinel://127.0.0.1:${ports[2]}/main`)!;
  const options = { log: silentLogger, metrics: new Registry(), timeoutMs: 1_000 };
  const kv = await createKv({ kind: 'redis', address }, options);
  closing.defer(() => kv.close());
  expect(await kv.count('caller', 60_000)).toMatchObject({ count: 1 });
  const known = async () => expect(await sentinel!.call('SENTINEL', 'REPLICAS', 'main')).toHaveLength(1);
  await vi.waitFor(known, 10_000);
  await vi.waitFor(async () => expect(await replica!.get('caller')).toBe('1'));

  await primary!.call('SHUTDOWN', 'NOSAVE').catch(() => undefined);
  const again = await vi.waitFor(() => kv.count('caller', 60_000), { timeout: 20_000, interval: 50 });
  expect(again.count).toBeGreaterThan(1);
});
