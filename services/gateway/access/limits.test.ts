import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import type { Kv } from '../../../lib/kv/kv.ts';
import { buildRequest } from '../../../test/support/build-request.ts';
import { redisDatabase } from '../../../test/support/database.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { adminSecret, asAdmin, issueTestKey } from '../../../test/support/keys.ts';
import { openTestKv } from '../../../test/support/kv.ts';

const anonymousPerMinute = 5;
let gateway: TestGateway;
let kv: Kv;
let caller = 0;

beforeAll(async () => {
  kv = await openTestKv(await redisDatabase());
  gateway = await startTestGateway((seed) => seed.listing(), {
    access: {
      kv,
      adminSecret,
      anonymousPerMinute,
      trustProxy: 1,
    },
  });
});
afterAll(async () => {
  await gateway.close();
  await kv.close();
});
beforeEach(() => {
  caller += 1;
});

/** Sends a request from an address that no other test uses. */
const ask = (path: string, { headers, ...init }: RequestInit = {}, from = `192.0.2.${caller}`) =>
  fetch(gateway.url + path, { ...init, headers: { 'x-forwarded-for': from, ...headers } });

const rates = ({ headers }: Response) => ({
  limit: headers.get('x-ratelimit-limit'),
  remaining: headers.get('x-ratelimit-remaining'),
});

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const query = buildRequest('{"query":"{__typename}"}');

test.each([
  ['the prepared catalog', 200, '/api/adaptors', {}],
  ['a read behind express', 200, '/api/adaptors?limit=1', {}],
  ['HEAD', 200, '/api/adaptors', { method: 'HEAD' }],
  ['a graph query', 200, '/graphql', query],
  ['a bad request', 400, '/api/adaptors?limit=x', {}],
  ['a path that is not there', 404, '/nowhere', {}],
  ['a path below a page that is not there', 404, '/docs/nowhere', {}],
  ['a page with a slash behind it', 200, '/docs/', {}],
  ['a method that is not taken', 405, '/api/adaptors', { method: 'DELETE' }],
  ['a body that is not JSON', 400, '/api/adaptors/introspect', { ...query, body: '{' }],
  ['a path that is not UTF-8', 400, '/api/adaptors/%ff', {}],
  ['a url that is too long', 414, `/api/adaptors?q=${'x'.repeat(13_000)}`, {}],
  ['a read with a bearer of somebody else', 200, '/api/adaptors', { headers: bearer('of-a-proxy') }],
  ['/status', 200, '/status', {}],
])('%s has the limit headers, in both forms', async (_name, status, path, init) => {
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

test.each([
  ['bytes that are not HTTP', 400, 'NOT HTTP\r\n\r\n'],
  ['headers that are too large', 431, `GET / HTTP/1.1\r\nhost: h\r\nx: ${'y'.repeat(20_000)}\r\n\r\n`],
  ['a request without a host', 400, 'GET / HTTP/1.1\r\nconnection: close\r\n\r\n'],
  [
    'an unknown expectation',
    200,
    'GET /status HTTP/1.1\r\nhost: h\r\nexpect: x\r\nconnection: close\r\n\r\n',
  ],
  ['a header that is given twice', 400, 'GET / HTTP/1.1\r\nhost: h\r\nhost: i\r\nconnection: close\r\n\r\n'],
])('%s get the limit headers and those of every response', async (_name, status, bytes) => {
  const socket = connect(Number(new URL(gateway.url).port), '127.0.0.1');
  await once(socket, 'connect');
  socket.write(bytes);
  const answer = await text(socket);
  expect(answer).toMatch(new RegExp(`^HTTP/1.1 ${status} `));
  expect(answer).toMatch(
    /\r\nx-ratelimit-limit: 5\r\nx-ratelimit-remaining: \d\r\nx-ratelimit-reset: \d+\r\n/i,
  );
  expect(answer).toMatch(
    /\r\nratelimit-policy: "anonymous";q=5;w=60\r\nratelimit: "anonymous";r=\d;t=\d+\r\n/i,
  );
  expect(answer).toMatch(/\r\nx-content-type-options: nosniff\r\n/i);
});

test('304 has them too', async () => {
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
  for (const path of ['/', '/docs', '/docs/api/getAdaptor', '/healthz', '/readyz', '/metrics']) {
    const answer = await ask(path);
    await answer.text();
    expect([path, rates(answer)]).toEqual([path, { limit: '5', remaining: '5' }]);
  }
  const headers = { 'access-control-request-method': 'POST', origin: 'https://app.test' };
  const preflight = await ask('/graphql', { method: 'OPTIONS', headers });
  expect([preflight.status, rates(preflight)]).toEqual([204, { limit: '5', remaining: '5' }]);
  expect(preflight.headers.get('access-control-allow-headers')).toContain('x-api-key');
  expect(rates(await ask('/api/adaptors')).remaining).toBe('4');
  expect(rates(await ask('/healthz')).remaining).toBe('4');
});

test('free answers show the holder of a key what is left of it', async () => {
  const { key } = await issueTestKey(gateway.url, { ratePerMin: 7 });
  const headers = { 'x-api-key': key };
  expect(rates(await ask('/healthz', { headers }))).toEqual({ limit: '5', remaining: '5' });
  await ask('/api/adaptors', { headers });
  expect(rates(await ask('/healthz', { headers }))).toEqual({ limit: '7', remaining: '6' });
});

test('a key of less than the anonymous limit has its own rate, as the specification says', async () => {
  const { key } = await issueTestKey(gateway.url, { ratePerMin: 1 });
  const headers = { 'x-api-key': key };
  const answer = await ask('/api/adaptors', { headers });
  expect([answer.status, rates(answer)]).toEqual([200, { limit: '1', remaining: '0' }]);
  expect((await ask('/api/adaptors', { headers })).status).toBe(429);
});

test('a key has its own limit, wherever it is used from, and takes nothing from its address', async () => {
  const { key } = await issueTestKey(gateway.url, { ratePerMin: 8 });
  const both: Record<string, string>[] = [
    { 'x-api-key': key },
    { authorization: `Bearer ${key}` },
    { authorization: `bearer  ${key}` },
  ];
  for (const [n, headers] of both.entries()) {
    const answer = await ask('/api/adaptors', { headers }, `198.51.100.${n}`);
    expect([answer.status, rates(answer)]).toEqual([200, { limit: '8', remaining: `${7 - n}` }]);
    expect(answer.headers.get('ratelimit-policy')).toBe('"key";q=8;w=60');
  }
  for (let n = 3; n < 8; n++) await ask('/api/adaptors', { headers: both[0]! });
  expect((await ask('/api/adaptors', { headers: both[0]! })).status).toBe(429);
  expect(rates(await ask('/api/adaptors')).remaining).toBe('4');
});

test.each([
  ['an unknown key', { 'x-api-key': `mk_${'0'.repeat(43)}` }, 'invalid_key'],
  ['an unknown key as bearer', { authorization: `Bearer mk_${'0'.repeat(43)}` }, 'invalid_key'],
  ['what is not a key', { 'x-api-key': 'x' }, 'invalid_key'],
  ['an empty key', { 'x-api-key': '' }, 'invalid_key'],
  ['two keys in one', { authorization: `Bearer mk_${'0'.repeat(43)}, mk_1` }, 'invalid_key'],
])('%s is refused, never taken for nobody, on whatever path', async (_name, headers, code) => {
  for (const path of ['/api/adaptors', '/api/adaptors?limit=1', '/graphql?query={__typename}']) {
    const answer = await ask(path, { headers });
    expect([answer.status, (await answer.json()).code]).toEqual([401, code]);
    expect(answer.headers.get('www-authenticate')).toBe('Bearer');
  }
});

test.each([
  ['an unknown bearer', 'Bearer something'],
  ['an empty bearer', 'Bearer'],
  ['a bearer of several words', 'Bearer some thing'],
  ['an executor key', `Bearer ek_${'0'.repeat(43)}`],
])('%s leaves open reads open, and opens nothing else', async (_name, authorization) => {
  for (const path of ['/api/adaptors', '/api/adaptors?limit=1', '/graphql?query={__typename}']) {
    const answer = await ask(path, { headers: { authorization } });
    await answer.text();
    expect([answer.status, rates(answer).limit]).toEqual([200, '5']);
  }
  for (const path of ['/api/adaptors/keys', '/api/adaptors/webhooks', '/api/adaptors/webhooks/wh_1']) {
    const method = path.endsWith('1') ? 'DELETE' : 'GET';
    const answer = await ask(path, { method, headers: { authorization } }, '192.0.2.250');
    expect([path, answer.status, answer.headers.get('www-authenticate')]).toEqual([path, 401, 'Bearer']);
  }
});

const keyNumber = (n: number) => ({ 'x-api-key': `mk_${String(n).padStart(43, '0')}` });

test('wrong keys are tried sixty times a minute from an address, which still reads without one', async () => {
  const wrong = (n: number) => ask('/api/adaptors', { headers: keyNumber(n) });
  const statuses = await Promise.all(Array.from({ length: 70 }, (_, n) => wrong(n).then((a) => a.status)));
  expect(statuses.filter((status) => status === 401)).toHaveLength(60);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  const refused = await wrong(99);
  expect(refused.headers.get('ratelimit-policy')).toBe('"attempts";q=60;w=60');
  expect((await refused.json()).detail).toContain('Requests without one are still served.');
  expect(rates(await ask('/api/adaptors'))).toEqual({ limit: '5', remaining: '4' });
  const { key } = await issueTestKey(gateway.url, { ratePerMin: 9 });
  expect((await ask('/api/adaptors', { headers: { 'x-api-key': key } })).status).toBe(200);
});

test('an address that has tried too much reads on with its bearer, as nobody', async () => {
  await Promise.all(Array.from({ length: 60 }, (_, n) => ask('/api/adaptors', { headers: keyNumber(n) })));
  const answer = await ask('/api/adaptors', { headers: asAdmin });
  expect([answer.status, rates(answer)]).toEqual([200, { limit: '5', remaining: '4' }]);
  expect((await ask('/api/adaptors/keys', { headers: asAdmin })).status).toBe(429);
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
