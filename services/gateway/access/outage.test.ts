import { pino } from 'pino';
import { Registry } from 'prom-client';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { createKv, type Kv } from '../../../lib/kv/index.ts';
import { parseRedisUrl } from '../../../lib/kv/redis-url.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { adminSecret, asAdmin, issueTestKey } from '../../../test/support/keys.ts';
import { redisDatabase } from '../../../test/support/redis-database.ts';
import { startTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.ts';

let gateway: TestGateway;
let proxy: TcpProxy;
let kv: Kv;
const logged: { level: number; msg: string }[] = [];

beforeAll(async () => {
  proxy = await startTcpProxy(await redisDatabase());
  const log = pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const settings = { kind: 'redis', address: parseRedisUrl(proxy.url)! } as const;
  kv = await createKv(settings, { log, metrics: new Registry(), timeoutMs: 300 });
  const access = { kv, adminSecret, anonymousPerMinute: 1_000, trustProxy: 0 };
  gateway = await startTestGateway((seed) => seed.listing(), log, {}, access);
});
afterAll(async () => {
  await gateway.close();
  await kv.close();
  await proxy.cut();
});

const read = (headers: Record<string, string> = {}) => fetch(`${gateway.url}/api/adaptors`, { headers });
const isLimited = async () => expect((await read()).headers.get('x-ratelimit-limit')).toBe('1000');

test.each(['stall', 'cut'] as const)(
  'a store that is out (%s) takes no read down, and no right is given',
  async (fault) => {
    await vi.waitFor(isLimited, 10_000);
    const { key } = await issueTestKey(gateway.url);
    logged.length = 0;
    await proxy[fault]();
    for (let n = 0; n < 20; n++) {
      const answer = await read(n % 2 === 0 ? {} : { 'x-api-key': key });
      await answer.text();
      expect(answer.status).toBe(200);
    }
    expect((await read()).headers.get('x-ratelimit-limit')).toBeNull();
    for (const headers of [asAdmin, { authorization: 'Bearer wrong' }, { 'x-api-key': key }]) {
      const answer = await fetch(`${gateway.url}/api/adaptors/keys`, {
        headers: headers as Record<string, string>,
      });
      expect([answer.status, (await answer.json()).code]).toEqual([503, 'kv_unavailable']);
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toMatch(/limited_requests_total\{policy="anonymous",outcome="unchecked"\} [1-9]/);
    expect(logged.filter(({ level }) => level >= 40).map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^the key-value store is out/),
    ]);
    await proxy.restore();
    await vi.waitFor(isLimited, 10_000);
    expect((await read({ 'x-api-key': key })).headers.get('x-ratelimit-limit')).toBe('100');
  },
);

test('what keys were used for while the database was out is written once it is back', async () => {
  const { id, key } = await issueTestKey(gateway.url);
  const client = await gateway.db.pool.connect();
  await client.query('begin; lock table key_usage in access exclusive mode');
  for (let n = 0; n < 3; n++) await (await read({ 'x-api-key': key })).text();
  const failed = () => logged.some(({ msg }) => msg.startsWith('the usage of API keys cannot be written'));
  await vi.waitFor(() => expect(failed()).toBe(true), 10_000);
  await (await read({ 'x-api-key': key })).text();
  await client.query('rollback');
  client.release();
  await vi.waitFor(async () => {
    const { rows } = await gateway.db.pool.query('select requests from key_usage where key_id = $1', [id]);
    expect(rows).toEqual([{ requests: 4 }]);
  }, 10_000);
});
