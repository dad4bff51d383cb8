import { Registry } from '@prometheus-io/client';
import { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { unhurried } from '../../test/support/kv.ts';
import { type RedisArguments, standalone, startRedisServers } from '../../test/support/redis-server.ts';
import { silentLogger } from '../log/index.ts';
import { createKv } from './index.ts';
import { parseRedisUrl } from './settings.ts';

const follower: RedisArguments = (_, [primary]) => ['--replicaof', '127.0.0.1', `${primary}`];

test.each([
  ['is dead', (old: Redis) => old.call('SHUTDOWN', 'NOSAVE').catch(() => undefined)],
  ['goes on as its replica', (old: Redis, port: number) => old.call('REPLICAOF', '127.0.0.1', port)],
])(
  'behind a sentinel, the primary that takes over from one that %s is found, with what was counted',
  async (_, leave) => {
    await using closing = new AsyncDisposableStack();
    const group = await startRedisServers(standalone, follower, () => ['--sentinel']);
    closing.defer(() => group.stop());
    const [primary, replica, sentinel] = group.urls.map((url) => new Redis(url, { retryStrategy: null }));
    for (const client of [primary!, replica!, sentinel!]) {
      client.on('error', () => undefined);
      closing.defer(() => client.disconnect());
    }
    const [oldPort, newPort, sentinelPort] = group.urls.map((url) => Number(new URL(url).port));
    // The test decides the primary and the time of the failover. The sentinel itself would decide by the clock.
    const name = (port: number) => sentinel!.call('SENTINEL', 'MONITOR', 'main', '127.0.0.1', port, 1);
    const hold = () => sentinel!.call('SENTINEL', 'SET', 'main', 'down-after-milliseconds', 3_600_000);
    await name(oldPort!);
    await hold();
    const address = parseRedisUrl(`redis+sentinel://127.0.0.1:${sentinelPort}/main`)!;
    const options = { log: silentLogger, metrics: new Registry(), ...unhurried };
    const kv = await createKv({ kind: 'redis', address }, options);
    closing.defer(() => kv.close());
    await kv.set('counted', 'before');
    await eventually(async () => expect(await replica!.get('counted')).toBe('before'));

    await replica!.call('REPLICAOF', 'NO', 'ONE');
    await sentinel!.call('SENTINEL', 'REMOVE', 'main');
    await name(newPort!);
    await hold();
    await leave(primary!, newPort!);
    await eventually(() => kv.set('counted', 'after'));
    expect(await replica!.get('counted')).toBe('after');
  },
);
