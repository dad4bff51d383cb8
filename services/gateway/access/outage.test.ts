import { Registry } from '@prometheus-io/client';
import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createKv } from '../../../lib/kv/index.ts';
import type { Kv } from '../../../lib/kv/kv.ts';
import { parseRedisUrl } from '../../../lib/kv/settings.ts';
import { buildRequest } from '../../../test/support/build-request.ts';
import { redisDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { adminSecret, asAdmin, issueTestKey } from '../../../test/support/keys.ts';
import { manualTimeLimit } from '../../../test/support/manual-time-limit.ts';
import { startTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.ts';

let gateway: TestGateway;
let proxy: TcpProxy;
let kv: Kv;
const time = manualTimeLimit();
const logged: { level: number; msg: string }[] = [];

beforeAll(async () => {
  proxy = await startTcpProxy(await redisDatabase());
  const log = pino({ level: 'info' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const settings = { kind: 'redis', address: parseRedisUrl(proxy.url)! } as const;
  kv = await createKv(settings, { log, metrics: new Registry(), timeLimit: time.limit, silenceMs: 600_000 });
  const access = { kv, adminSecret, anonymousPerMinute: 1_000, trustProxy: 0 };
  gateway = await startTestGateway((seed) => seed.listing(), { log, access });
});
afterAll(async () => {
  await gateway.close();
  await kv.close();
  await proxy.cut();
});

const wrong = { authorization: 'Bearer wrong' };
const read = (headers: Record<string, string> = {}) => fetch(`${gateway.url}/api/adaptors`, { headers });
const left = async () => Number((await read()).headers.get('x-ratelimit-remaining'));
const isCounted = async () => expect(await left()).toBeLessThan(1_000);

test.each(['stall', 'cut'] as const)(
  'a store that is out (%s) takes no read down, and no right is given',
  async (fault) => {
    const { key } = await issueTestKey(gateway.url);
    logged.length = 0;
    await proxy[fault]();
    time.isUp(true);
    for (let n = 0; n < 20; n++) {
      const answer = await read(n % 2 === 0 ? {} : { 'x-api-key': key });
      await answer.text();
      expect(answer.status).toBe(200);
    }
    expect((await read()).headers.get('x-ratelimit-limit')).toBe('1000');
    expect(await left()).toBe(1_000);
    // The session cannot be looked up then: it gives no right, and its limit is shown as full.
    const bySession = await fetch(`${gateway.url}/api/adaptors/keys`, {
      headers: { cookie: `__Host-portal=ps_${'a'.repeat(43)}`, 'sec-fetch-site': 'same-origin' },
    });
    expect(bySession.status).toBe(503);
    expect(bySession.headers.get('x-ratelimit-remaining')).toMatch(/^[1-9]\d*$/);
    expect((await fetch(`${gateway.url}/api/adaptors/keys`, { headers: wrong })).status).toBe(401);
    for (const headers of [asAdmin, { 'x-api-key': key }]) {
      const answer = await fetch(`${gateway.url}/api/adaptors/keys`, {
        headers: headers as Record<string, string>,
      });
      expect([answer.status, (await answer.json()).code]).toEqual([503, 'kv_unavailable']);
      expect(answer.headers.get('retry-after')).toBe('5');
    }
    // A listing drafted now would lack its attribution for good.
    const drafted = await fetch(
      `${gateway.url}/api/adaptors/draft`,
      buildRequest({ packageId: '0xad', name: 'Jar', summary: 'A jar.' }, { 'x-api-key': key }),
    );
    expect([drafted.status, (await drafted.json()).code]).toEqual([503, 'kv_unavailable']);
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toMatch(/limited_requests_total\{policy="anonymous",outcome="unchecked"\} [1-9]/);
    expect(logged.filter(({ level }) => level >= 40).map(({ msg }) => msg)).toEqual([
      expect.stringMatching(/^the key-value store is unavailable/),
    ]);
    time.isUp(false);
    await proxy.restore();
    await eventually(isCounted);
    expect((await read({ 'x-api-key': key })).headers.get('x-ratelimit-limit')).toBe('100');
  },
);

test('a store that is out lets nobody try secrets without end', async () => {
  await proxy.cut();
  time.isUp(true);
  const keys = (headers: Record<string, string>) => fetch(`${gateway.url}/api/adaptors/keys`, { headers });
  const statuses = await Promise.all(Array.from({ length: 200 }, () => keys(wrong).then((a) => a.status)));
  // The tests before have used some of the attempts.
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(60);
  expect(statuses.filter((status) => status === 429).length).toBeGreaterThanOrEqual(140);
  expect((await keys(asAdmin)).status).toBe(429);
  expect((await read()).status).toBe(200);
  time.isUp(false);
  await proxy.restore();
  await eventually(isCounted);
});
