import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Kv } from '../../../lib/kv/index.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { adminSecret, asAdmin, issueTestKey } from '../../../test/support/keys.ts';
import { openTestKv } from '../../../test/support/kv.ts';
import { redisDatabase } from '../../../test/support/redis-database.ts';
import { isFreePath } from './limit.ts';

const anonymousPerMinute = 5;
let gateway: TestGateway;
let kv: Kv;
let caller = 0;

beforeAll(async () => {
  kv = await openTestKv(await redisDatabase());
  gateway = await startTestGateway(
    (seed) => seed.listing(),
    silentLogger,
    {},
    {
      kv,
      adminSecret,
      anonymousPerMinute,
      trustProxy: 1,
    },
  );
});
afterAll(async () => {
  await gateway.close();
  await kv.close();
});
beforeEach(() => {
  caller += 1;
});

/** From an address that no other test uses. */
const ask = (path: string, { headers, ...init }: RequestInit = {}, from = `192.0.2.${caller}`) =>
  fetch(gateway.url + path, { ...init, headers: { 'x-forwarded-for': from, ...headers } });

const rates = ({ headers }: Response) => ({
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
});

const query = {
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: '{"query":"{__typename}"}',
};

test.each([
  ['the prepared catalog', 200, '/api/adaptors', {}],
  ['a read behind express', 200, '/api/adaptors?limit=1', {}],
  ['HEAD', 200, '/api/adaptors', { method: 'HEAD' }],
  ['a graph query', 200, '/graphql', query],
  ['a bad request', 400, '/api/adaptors?x=1', {}],
  ['a path that is not there', 404, '/nowhere', {}],
  ['a path below a page that is not there', 404, '/docs/nowhere', {}],
  ['a page with a slash behind it', 200, '/docs/', {}],
  ['a method that is not taken', 405, '/api/adaptors', { method: 'DELETE' }],
  ['a url that is too long', 414, `/api/adaptors?q=${'x'.repeat(9_000)}`, {}],
  ['a wrong key', 401, '/api/adaptors', { headers: { 'x-api-key': 'mk_wrong' } }],
  ['/status', 200, '/status', {}],
])('%s bears the limit headers, in both forms', async (_name, status, path, init) => {
  const askedSeconds = Math.floor(Date.now() / 1000);
  const answer = await ask(path, init);
  await answer.text();
  expect([answer.status, rates(answer)]).toEqual([status, { limit: '5', remaining: '4' }]);
  const reset = Number(answer.headers.get('x-ratelimit-reset'));
  expect(reset).toBeGreaterThan(askedSeconds);
  expect(reset).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) + 60);
  expect(answer.headers.get('ratelimit-policy')).toBe('"anonymous";q=5;w=60');
  expect(answer.headers.get('ratelimit')).toMatch(/^"anonymous";r=4;t=(60|5\d)$/);
});

test('304 bears them too', async () => {
  const etag = (await ask('/api/adaptors')).headers.get('etag')!;
  const answer = await ask('/api/adaptors', { headers: { 'if-none-match': etag } });
  expect([answer.status, rates(answer)]).toEqual([304, { limit: '5', remaining: '3' }]);
});

test('beyond the limit the answer is 429 with the time to wait, safe for any browser', async () => {
  for (let n = 0; n < anonymousPerMinute; n++) expect((await ask('/api/adaptors')).status).toBe(200);
  const answer = await ask('/api/adaptors');
  expect(answer.status).toBe(429);
  expect(answer.headers.get('content-type')).toBe('application/problem+json');
  expect(rates(answer)).toEqual({ limit: '5', remaining: '0' });
  const wait = Number(answer.headers.get('retry-after'));
  expect(answer.headers.get('ratelimit')).toBe(`"anonymous";r=0;t=${wait}`);
  expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  expect(answer.headers.get('access-control-expose-headers')).toContain('x-ratelimit-remaining');
  expect(await answer.json()).toMatchObject({
    status: 429,
    code: 'rate_limited',
    requestId: answer.headers.get('x-request-id'),
  });
});

test('one address running dry takes nothing from another, and one /64 is one caller', async () => {
  const home = (host: string) => ask('/api/adaptors', {}, `2001:db8:${caller}:1::${host}`);
  for (let n = 0; n < anonymousPerMinute; n++) expect((await home(`${n}`)).status).toBe(200);
  expect((await home('ffff')).status).toBe(429);
  expect((await ask('/api/adaptors', {}, `2001:db8:${caller}:2::1`)).status).toBe(200);
});

test('health, metrics, pages and preflights are free, at any rate', async () => {
  for (const path of ['/', '/docs', '/docs/start.js', '/healthz', '/readyz', '/metrics']) {
    const answer = await ask(path);
    await answer.text();
    expect([path, rates(answer)]).toEqual([path, { limit: null, remaining: null }]);
  }
  const headers = { 'access-control-request-method': 'POST', origin: 'https://app.test' };
  const preflight = await ask('/graphql', { method: 'OPTIONS', headers });
  expect([preflight.status, rates(preflight).limit]).toEqual([204, null]);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-api-key');
  expect(rates(await ask('/api/adaptors')).remaining).toBe('4');
});

test.each(['/docs/../api/adaptors', '/docs/%2e%2e/x', '/docs//', '/healthz/../x', '//docs'])(
  '%s counts: only whole paths are free',
  (path) => expect(isFreePath(path)).toBe(false),
);

test('a key has its own limit, wherever it is used from, and takes nothing from its address', async () => {
  const { key } = await issueTestKey(gateway.url, { ratePerMin: 3 });
  const both: Record<string, string>[] = [
    { 'x-api-key': key },
    { authorization: `Bearer ${key}` },
    { authorization: `bearer  ${key}` },
  ];
  for (const [n, headers] of both.entries()) {
    const answer = await ask('/api/adaptors', { headers }, `198.51.100.${n}`);
    expect([answer.status, rates(answer)]).toEqual([200, { limit: '3', remaining: `${2 - n}` }]);
    expect(answer.headers.get('ratelimit-policy')).toBe('"key";q=3;w=60');
  }
  expect((await ask('/api/adaptors', { headers: both[0]! })).status).toBe(429);
  expect(rates(await ask('/api/adaptors')).remaining).toBe('4');
});

test.each([
  ['an unknown key', { 'x-api-key': `mk_${'0'.repeat(43)}` }, 'invalid_key'],
  ['an unknown key as bearer', { authorization: `Bearer mk_${'0'.repeat(43)}` }, 'invalid_key'],
  ['what is no key', { 'x-api-key': 'x' }, 'invalid_key'],
  ['an empty key', { 'x-api-key': '' }, 'invalid_key'],
  ['an unknown bearer', { authorization: 'Bearer something' }, 'invalid_credentials'],
  ['an empty bearer', { authorization: 'Bearer' }, 'invalid_credentials'],
  ['a bearer of several words', { authorization: 'Bearer some thing' }, 'invalid_credentials'],
  ['two keys in one', { authorization: `Bearer mk_${'0'.repeat(43)}, mk_1` }, 'invalid_key'],
])('%s is refused, never taken for nobody, on whatever path', async (_name, headers, code) => {
  for (const path of ['/api/adaptors', '/api/adaptors?limit=1', '/graphql?query={__typename}']) {
    const answer = await ask(path, { headers });
    expect([answer.status, (await answer.json()).code]).toEqual([401, code]);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }
});

test('wrong keys run into the limit of their address, so that nobody tries them without end', async () => {
  const wrong = (n: number) =>
    ask('/api/adaptors', { headers: { 'x-api-key': `mk_${String(n).padStart(43, '0')}` } });
  for (let n = 0; n < anonymousPerMinute; n++) expect((await wrong(n)).status).toBe(401);
  expect((await wrong(9)).status).toBe(429);
});

test('secrets are tried at most sixty times a minute from an address, the right one included', async () => {
  const wrong = { headers: { authorization: 'Bearer not-the-secret-of-this-host' } };
  const statuses = await Promise.all(
    Array.from({ length: 61 }, () => ask('/api/adaptors/keys', wrong).then(({ status }) => status)),
  );
  expect(statuses.filter((status) => status === 401)).toHaveLength(60);
  expect((await ask('/api/adaptors/keys', { headers: asAdmin })).status).toBe(429);
  expect((await ask('/api/adaptors/keys', { headers: asAdmin }, '198.51.100.200')).status).toBe(200);
});

test("other schemes than Bearer are a proxy's affair, and leave the caller without a key", async () => {
  const answer = await ask('/api/adaptors', { headers: { authorization: 'Basic dTpw' } });
  expect([answer.status, rates(answer).limit]).toEqual([200, '5']);
});

test('of many requests at once exactly as many pass as the limit has', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => ask('/api/adaptors')));
  expect(answers.filter(({ status }) => status === 200)).toHaveLength(anonymousPerMinute);
  const left = answers.flatMap((answer) => (answer.ok ? [rates(answer).remaining] : []));
  expect(left.sort()).toEqual(['0', '1', '2', '3', '4']);
});
