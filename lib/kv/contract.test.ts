import { Redis as UpstashRedis } from '@upstash/redis';
import { Redis } from 'ioredis';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { redisDatabase } from '../../test/support/database.ts';
import { eventually } from '../../test/support/eventually.ts';
import { type RedisArguments, standalone, startRedisServers } from '../../test/support/redis-server.ts';
import { startRestRedis } from '../../test/support/rest-redis.ts';
import type { Kv } from './kv.ts';
import { createMemoryKv } from './memory.ts';
import { createRedisKv } from './redis.ts';
import { createRestKv } from './rest.ts';
import { parseRedisUrl } from './settings.ts';

const closing = new AsyncDisposableStack();
afterAll(() => closing.disposeAsync());

/** Timeout in milliseconds that no response exceeds, even on a slow machine. */
const patienceMs = 600_000;
const over = (url: string) => createRedisKv(parseRedisUrl(url)!, patienceMs);

async function single(): Promise<Kv> {
  return over(await redisDatabase());
}

async function sentinel(): Promise<Kv> {
  const servers = await startRedisServers(standalone, (_, [primary]) => [
    '--sentinel',
    'monitor',
    'main',
    '127.0.0.1',
    `${primary}`,
    '1',
  ]);
  closing.defer(() => servers.stop());
  return over(`redis+sentinel://127.0.0.1:${new URL(servers.urls[1]!).port}/main`);
}

/** Two nodes with half of the slots each, so that operations must find the right one. */
async function cluster(): Promise<Kv> {
  const node: RedisArguments = (port) => [
    '--cluster-enabled',
    'yes',
    '--cluster-port',
    `${port - 10_000}`,
    '--cluster-config-file',
    `nodes-${port}.conf`,
    '--cluster-announce-ip',
    '127.0.0.1',
  ];
  const servers = await startRedisServers(node, node);
  closing.defer(() => servers.stop());
  const [first, second] = servers.urls.map((url) => new Redis(url));
  await first!.call('CLUSTER', 'ADDSLOTSRANGE', 0, 8191);
  await second!.call('CLUSTER', 'ADDSLOTSRANGE', 8192, 16_383);
  const { port } = new URL(servers.urls[1]!);
  await first!.call('CLUSTER', 'MEET', '127.0.0.1', port, Number(port) - 10_000);
  for (const redis of [first!, second!]) {
    await eventually(async () => expect(await redis.cluster('INFO')).toContain('cluster_state:ok'));
    redis.disconnect();
  }
  return over(`redis+cluster://127.0.0.1:${port}`);
}

async function rest(): Promise<Kv> {
  const server = await startRestRedis(await redisDatabase());
  closing.defer(() => server.close());
  return createRestKv(server, patienceMs);
}

describe.each([
  ['memory', async () => createMemoryKv()],
  ['redis', single],
  ['redis behind a sentinel', sentinel],
  ['a cluster of redis', cluster],
  ['rest', rest],
])('%s', (_name, open) => {
  let kv: Kv;
  let n = 0;
  let key: string;
  beforeEach(async () => {
    if (!kv) {
      kv = await open();
      closing.defer(() => kv.close());
      await eventually(() => kv.get('any'));
    }
    n += 1;
    key = `key-${n}`;
  });

  test('what is set is read as it was, whatever characters it has', async () => {
    const value = '{"a":"\u0000 \n \u{1F600} ümlaut","n":1}';
    expect(await kv.get(key)).toBeUndefined();
    await kv.set(key, value);
    expect(await kv.get(key)).toBe(value);
    await kv.set(key, '12');
    expect(await kv.getMany([`${key}-none`, key])).toEqual([undefined, '12']);
    expect(await kv.getMany([])).toEqual([]);
    await kv.set(key, '');
    expect(await kv.get(key)).toBe('');
  });

  test('a value with an expiry is removed after it, and one set again without an expiry stays', async () => {
    await kv.set(key, 'brief', 20);
    await kv.set(`${key}-kept`, 'brief', 20);
    await kv.set(`${key}-kept`, 'for good');
    await eventually(async () => expect(await kv.get(key)).toBeUndefined());
    expect(await kv.get(`${key}-kept`)).toBe('for good');
  });

  test('deleting says whether there was something', async () => {
    await kv.set(key, 'x');
    expect([await kv.delete(key), await kv.delete(key)]).toEqual([true, false]);
    expect(await kv.get(key)).toBeUndefined();
  });

  test('of those who replace the same value, one does', async () => {
    expect(await kv.replace(key, 'before', 'after')).toBe(false);
    await kv.set(key, 'before');
    const replaced = await Promise.all([1, 2, 3].map((by) => kv.replace(key, 'before', `after ${by}`)));
    expect(replaced.filter(Boolean)).toHaveLength(1);
    expect(await kv.get(key)).toBe(`after ${replaced.indexOf(true) + 1}`);
  });

  test('the fields of a hash are set, listed and deleted one by one', async () => {
    expect(await kv.hashAll(key)).toEqual(new Map());
    await kv.hashSet(key, 'a', '1');
    await kv.hashSet(key, 'b', '2');
    await kv.hashSet(key, 'a', '3');
    expect(await kv.hashAll(key)).toEqual(
      new Map([
        ['a', '3'],
        ['b', '2'],
      ]),
    );
    expect([await kv.hashDelete(key, 'a'), await kv.hashDelete(key, 'a')]).toEqual([true, false]);
    expect([...(await kv.hashAll(key)).keys()]).toEqual(['b']);
  });

  test('each of many counts at once gets a number of its own', async () => {
    const counts = await Promise.all(Array.from({ length: 200 }, () => kv.count(key, 60_000)));
    expect(counts.map(({ count }) => count).sort((a, b) => a - b)).toEqual(
      Array.from({ length: 200 }, (_, at) => at + 1),
    );
    for (const { endsInMs } of counts) {
      expect(endsInMs).toBeGreaterThan(0);
      expect(endsInMs).toBeLessThanOrEqual(60_000);
    }
  });

  test('a window ends by itself, however often it is counted in, and the next begins at one', async () => {
    expect(await kv.count(key, 100)).toMatchObject({ count: 1 });
    await eventually(async () => expect(await kv.count(key, 100)).toMatchObject({ count: 1 }), {
      intervalMs: 5,
    });
  });

  test('a counter that lost its expiry gets one, so that no caller is refused forever', async () => {
    await kv.set(key, '5');
    const { count, endsInMs } = await kv.count(key, 1_000);
    expect(count).toBe(6);
    expect(endsInMs).toBeLessThanOrEqual(1_000);
  });

  test('counting for a record counts and reads it at once, and without a record counts nothing', async () => {
    const [record, counter] = [`record:{${key}}`, `counter:{${key}}`];
    expect(await kv.countFor(record, counter, 60_000)).toBeUndefined();
    await kv.set(record, 'who');
    expect(await kv.countFor(record, counter, 60_000)).toMatchObject({ count: 1, value: 'who' });
    expect(await kv.countFor(record, counter, 60_000)).toMatchObject({ count: 2, value: 'who' });
    await kv.delete(record);
    expect(await kv.countFor(record, counter, 60_000)).toBeUndefined();
    expect(await kv.count(counter, 60_000)).toMatchObject({ count: 3 });
  });

  test('of many who take tokens at once, as many get one as the bucket has above their floor', async () => {
    const bucket = { capacity: 10, perSecond: 0.001, floor: 4 };
    const grants = await Promise.all(Array.from({ length: 20 }, () => kv.takeToken(key, bucket)));
    expect(grants.filter(({ taken }) => taken)).toHaveLength(6);
    expect(grants.map(({ left }) => left).toSorted((a, b) => a - b)[0]).toBe(4);
    const { taken, left, waitMs } = await kv.takeToken(key, bucket);
    expect([taken, left]).toEqual([false, 4]);
    expect(waitMs).toBeGreaterThan(900_000);
    expect(waitMs).toBeLessThanOrEqual(1_000_000);
    expect(await kv.takeToken(key, { ...bucket, floor: 0 })).toMatchObject({ taken: true, left: 3 });
  });

  test('a bucket fills up again, not above its size', async () => {
    const bucket = { capacity: 2, perSecond: 100, floor: 0 };
    for (let round = 0; round < 2; round++) await kv.takeToken(key, bucket);
    await eventually(
      async () =>
        expect(await kv.takeToken(key, { ...bucket, floor: 1 })).toMatchObject({ taken: true, left: 1 }),
      {
        intervalMs: 5,
      },
    );
  });
});

test('the server that stands in for the REST store is one that its own client library accepts', async () => {
  const server = await startRestRedis(await redisDatabase());
  closing.defer(() => server.close());
  const client = new UpstashRedis({ ...server, enableTelemetry: false, retry: false });
  await client.set('greeting', 'hello');
  const pipeline = client.pipeline().get('greeting').incr('n');
  expect(await pipeline.exec()).toEqual(['hello', 1]);
  expect(await client.eval('return {KEYS[1], ARGV[1]}', ['k'], ['v'])).toEqual(['k', 'v']);
  const stranger = new UpstashRedis({
    url: server.url,
    token: 'wrong',
    enableTelemetry: false,
    retry: false,
  });
  await expect(stranger.get('greeting')).rejects.toThrow(/Unauthorized/);
});
