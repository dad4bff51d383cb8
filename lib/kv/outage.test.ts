import { Redis } from 'ioredis';
import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type RedisServers, standalone, startRedisServers } from '../../test/support/redis-server.ts';
import { startRestRedis } from '../../test/support/rest-redis.ts';
import { startTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.ts';
import { createKv, type Kv, KvUnavailableError } from './index.ts';
import { parseRedisUrl } from './redis-url.ts';

let servers: RedisServers;
let proxy: TcpProxy;
let kv: Kv;
let metrics: Registry;
let closing: AsyncDisposableStack;
const logged: { level: number; msg: string; reason?: string }[] = [];

beforeEach(async () => {
  logged.length = 0;
  closing = new AsyncDisposableStack();
  servers = await startRedisServers(standalone);
  closing.defer(() => servers.stop());
});
afterEach(() => closing.disposeAsync());

async function open(driver: string): Promise<void> {
  const [redisUrl] = servers.urls;
  metrics = new Registry();
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const options = { log, metrics };
  if (driver === 'redis') {
    proxy = await startTcpProxy(redisUrl!);
    kv = await createKv({ kind: 'redis', address: parseRedisUrl(proxy.url)! }, options);
  } else {
    const rest = await startRestRedis(redisUrl!);
    closing.defer(() => rest.close());
    proxy = await startTcpProxy(rest.url);
    kv = await createKv({ kind: 'rest', url: proxy.url, token: rest.token }, options);
  }
  closing.defer(() => proxy.cut());
  closing.defer(() => kv.close());
  await vi.waitFor(() => kv.count('ready', 60_000));
}

const up = async () => (await metrics.getSingleMetric('kv_up')!.get()).values[0]!.value;
const errors = () => logged.filter(({ level }) => level >= 50);

async function setMemoryLimit(bytes: number): Promise<void> {
  const client = new Redis(servers.urls[0]!);
  await client.config('SET', 'maxmemory', bytes);
  client.disconnect();
}

const faults = {
  hangs: [async () => proxy.stall(), () => proxy.restore()],
  'resets and refuses connections': [() => proxy.cut(), () => proxy.restore()],
  'answers errors': [() => setMemoryLimit(1), () => setMemoryLimit(0)],
} as const;

describe.each(['redis', 'rest'])('a %s store', (driver) => {
  test.each(Object.keys(faults) as (keyof typeof faults)[])(
    'that %s is noticed once, refuses at once and nothing is sent late, until it answers again',
    async (fault) => {
      const [begin, end] = faults[fault];
      await open(driver);
      await begin();
      for (let n = 0; n < 3; n++) {
        await expect(kv.count('caller', 60_000)).rejects.toThrow(KvUnavailableError);
      }
      const refused = await Promise.allSettled(
        Array.from({ length: 500 }, (_, n) => (n % 2 === 0 ? kv.count('caller', 60_000) : kv.get('caller'))),
      );
      expect(new Set(refused.map((one) => one.status === 'rejected' && one.reason.message))).toEqual(
        new Set(['The key-value store is out.']),
      );
      expect([await up(), errors().length]).toEqual([0, 1]);
      expect(errors()[0]!.msg).toMatch(/^the key-value store is out/);

      await end();
      await vi.waitFor(() => kv.count('other', 60_000), { timeout: 10_000 });
      const { count } = await vi.waitFor(() => kv.count('caller', 60_000));
      expect(count).toBeLessThan(20);
      expect([await up(), errors().length]).toEqual([1, 1]);
      expect(logged.filter(({ msg }) => msg === 'the key-value store answers again')).toHaveLength(1);
    },
  );
});

test('a store that is not there yet delays nobody for long, and is used once it comes', async () => {
  await open('redis');
  await kv.close();
  await proxy.cut();
  metrics = new Registry();
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  kv = await createKv({ kind: 'redis', address: parseRedisUrl(proxy.url)! }, { log, metrics });
  await expect(kv.get('x')).rejects.toThrow('The key-value store is out.');
  await proxy.restore();
  await vi.waitFor(() => kv.get('x'), { timeout: 10_000 });
  expect(errors()).toHaveLength(1);
});
