import { Registry } from '@prometheus-io/client';
import { Redis } from 'ioredis';
import { pino } from 'pino';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { manualTimeLimit } from '../../test/support/manual-time-limit.ts';
import { type RedisServers, standalone, startRedisServers } from '../../test/support/redis-server.ts';
import { startRestRedis } from '../../test/support/rest-redis.ts';
import { startTcpProxy, type TcpProxy } from '../../test/support/tcp-proxy.ts';
import { createKv, type KvOptions } from './index.ts';
import { type Kv, KvUnavailableError } from './kv.ts';
import { parseRedisUrl } from './settings.ts';

let servers: RedisServers;
let proxy: TcpProxy;
let kv: Kv;
let metrics: Registry;
let time: ReturnType<typeof manualTimeLimit>;
let closing: AsyncDisposableStack;
const logged: { level: number; msg: string; reason?: string }[] = [];

beforeEach(async () => {
  logged.length = 0;
  time = manualTimeLimit();
  closing = new AsyncDisposableStack();
  servers = await startRedisServers(standalone);
  closing.defer(() => servers.stop());
});
afterEach(() => closing.disposeAsync());

function options(): KvOptions {
  metrics = new Registry();
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  return { log, metrics, timeLimit: time.limit, silenceMs: 600_000 };
}

async function open(driver: string): Promise<void> {
  const [redisUrl] = servers.urls;
  if (driver === 'redis') {
    proxy = await startTcpProxy(redisUrl!);
    kv = await createKv({ kind: 'redis', address: parseRedisUrl(proxy.url)! }, options());
  } else {
    const rest = await startRestRedis(redisUrl!);
    closing.defer(() => rest.close());
    proxy = await startTcpProxy(rest.url);
    kv = await createKv({ kind: 'rest', url: proxy.url, token: rest.token }, options());
  }
  closing.defer(() => proxy.cut());
  closing.defer(() => kv.close());
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
      if (fault === 'hangs') time.isUp(true);
      for (let n = 0; n < 3; n++) {
        await expect(kv.count('caller', 60_000)).rejects.toThrow(KvUnavailableError);
      }
      const refused = await Promise.allSettled(
        Array.from({ length: 500 }, (_, n) => (n % 2 === 0 ? kv.count('caller', 60_000) : kv.get('caller'))),
      );
      expect(new Set(refused.map((one) => one.status === 'rejected' && one.reason.message))).toEqual(
        new Set(['The key-value store is unavailable.']),
      );
      expect([await up(), errors().length]).toEqual([0, 1]);
      expect(errors()[0]!.msg).toMatch(/^the key-value store is unavailable/);

      time.isUp(false);
      await end();
      await eventually(async () => expect(await up()).toBe(1));
      const { count } = await kv.count('caller', 60_000);
      expect(count).toBeLessThan(20);
      expect([await up(), errors().length]).toEqual([1, 1]);
      expect(logged.filter(({ msg }) => msg === 'the key-value store is available again')).toHaveLength(1);
    },
  );
});

test('a store that is not there yet delays nobody for long, and is used once it comes', async () => {
  await open('redis');
  await kv.close();
  await proxy.cut();
  const opening = createKv({ kind: 'redis', address: parseRedisUrl(proxy.url)! }, options());
  time.isUp(true);
  kv = await opening;
  time.isUp(false);
  await expect(kv.get('x')).rejects.toThrow('The key-value store is unavailable.');
  // The reason is the error of the connection, not the driver's name for its own state.
  expect(errors()[0]!.reason).toMatch(/^The store cannot be reached: |did not answer/);
  await proxy.restore();
  await eventually(() => kv.get('x'));
  expect(errors()).toHaveLength(1);
});
