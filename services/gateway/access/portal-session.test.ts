import { createServer } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { digestToken, portalTokens } from '../../../lib/credentials/token.ts';
import type { Kv } from '../../../lib/kv/kv.ts';
import { createMemoryKv } from '../../../lib/kv/memory.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { adminSecret, asAdmin, cronSecret, issueTestKey } from '../../../test/support/keys.ts';
import { listenLocally } from '../../../test/support/listen-locally.ts';
import { findSession } from './portal-session.ts';

/** Credentials that the agent service received with the last request. */
let received: Record<string, unknown> = {};
const agent = createServer((req, res) => {
  const { authorization, cookie } = req.headers;
  received = { authorization, cookie };
  req.resume();
  res.writeHead(200, { 'content-type': 'application/json' }).end('{}');
});

let kv: Kv;
let gateway: TestGateway;
let another: TestGateway;
let caller = 0;
beforeAll(async () => {
  const { url: agentUrl } = await listenLocally(agent);
  kv = createMemoryKv();
  const access = { kv, adminSecret, cronSecret, anonymousPerMinute: 1_000, trustProxy: 1 };
  const start = () => startTestGateway((seed) => seed.source(), { access, agentUrl });
  [gateway, another] = await Promise.all([start(), start()]);
});
afterAll(async () => {
  await Promise.all([gateway.close(), another.close()]);
  agent.close();
});

const path = '/api/portal/session';
type Headers = Record<string, string | undefined>;

/** Sends a request as a browser does from a page of the site. A header that is undefined is left out. */
function ask(at: TestGateway, method: string, target: string, headers: Headers = {}, body?: unknown) {
  const all: Headers = {
    origin: at.url,
    'sec-fetch-site': 'same-origin',
    'content-type': 'application/json',
    'x-forwarded-for': `192.0.2.${caller}`,
    ...headers,
  };
  const kept = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
  return fetch(at.url + target, {
    method,
    headers: kept as [string, string][],
    ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
}

async function signIn(headers: Headers, at = gateway) {
  caller += 1;
  const answer = await ask(at, 'POST', path, headers, {});
  const set = answer.headers.get('set-cookie') ?? '';
  return { answer, set, cookie: set.split(';')[0]! };
}

const fetchKeys = (cookie: string, headers: Headers = {}, at = gateway) =>
  ask(at, 'GET', '/api/adaptors/keys', { cookie, ...headers });
const issue = (cookie: string, headers: Headers = {}, body: unknown = { integrator: 'x', ratePerMin: 9 }) =>
  ask(gateway, 'POST', '/api/adaptors/keys', { cookie, ...headers }, body);

test('the admin secret becomes a cookie that no script reads, and that works at every gateway until sign-out', async () => {
  const { answer, set, cookie } = await signIn(asAdmin);
  expect(set).toMatch(/^__Host-portal=ps_\w{43}; Path=\/; Max-Age=1800; HttpOnly; Secure; SameSite=Strict$/);
  expect(answer.headers.get('cache-control')).toBe('no-store');
  const text = await answer.text();
  expect(JSON.parse(text)).toEqual({ kind: 'admin', expiresMs: expect.any(Number) });
  expect([text.includes(adminSecret), text.includes('ps_')]).toEqual([false, false]);
  expect((await fetchKeys(cookie)).status).toBe(200);
  expect((await fetchKeys(cookie, {}, another)).status).toBe(200);
  expect((await issue(cookie)).status).toBe(200);
  const ended = await ask(another, 'DELETE', path, { cookie });
  expect([ended.status, ended.headers.get('set-cookie')]).toEqual([
    204,
    '__Host-portal=; Path=/; Max-Age=0; HttpOnly; Secure; SameSite=Strict',
  ]);
  expect((await fetchKeys(cookie)).status).toBe(401);
});

test('a session of an API key has the rights of the key, and ends with it', async () => {
  const { id, key } = await issueTestKey(gateway.url, { integrator: 'shop' });
  const { answer, cookie } = await signIn({ 'x-api-key': key });
  expect(await answer.json()).toMatchObject({ kind: 'key', integrator: 'shop' });
  const shown = await (await ask(gateway, 'GET', path, { cookie })).json();
  expect(shown).toMatchObject({ kind: 'key', integrator: 'shop' });
  expect((await fetchKeys(cookie)).status).toBe(401);
  await fetch(`${gateway.url}/api/adaptors/keys/${id}`, { method: 'DELETE', headers: asAdmin });
  const after = await ask(gateway, 'GET', path, { cookie });
  expect([after.status, (await after.json()).code]).toEqual([401, 'invalid_key']);
});

describe('the cookie of the operator does nothing', () => {
  test.each<[string, Headers]>([
    ['from another port of the host, to which SameSite does not apply', { 'sec-fetch-site': 'same-site' }],
    ['from another site', { 'sec-fetch-site': 'cross-site' }],
    ['from the address bar', { 'sec-fetch-site': 'none' }],
    ['from a program that is not a browser', { 'sec-fetch-site': undefined }],
    ['beside a bearer token', { authorization: 'Bearer a-wrong-secret-of-someone' }],
    ['beside an API key', { 'x-api-key': `mk_${'0'.repeat(43)}` }],
  ])('in a read %s', async (_what, headers) => {
    const { cookie } = await signIn(asAdmin);
    expect((await fetchKeys(cookie)).status).toBe(200);
    expect((await fetchKeys(cookie, headers)).status).toBe(401);
  });

  test.each<[string, Headers]>([
    ['of another port', { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' }],
    ['of another port, whatever the browser says', { origin: 'http://127.0.0.1:1' }],
    ['of a name that resolves to this host', { origin: 'http://evil.example' }],
    ['without an origin', { origin: undefined }],
    ['of an origin that has none', { origin: 'null' }],
    ['without word of the browser', { 'sec-fetch-site': undefined }],
    ['with the type of a form', { 'content-type': 'application/x-www-form-urlencoded' }],
    ['with a text that is JSON', { 'content-type': 'text/plain' }],
    ['with a type that begins like JSON', { 'content-type': 'application/jsonp' }],
    ['without a type', { 'content-type': undefined }],
  ])('in a change %s', async (_what, headers) => {
    const { cookie } = await signIn(asAdmin);
    expect((await issue(cookie)).status).toBe(200);
    expect((await issue(cookie, headers)).status).toBe(401);
  });

  test('on paths that are not for sessions', async () => {
    const { cookie } = await signIn(asAdmin);
    const fetchRateLimitPolicy = async (target: string) =>
      (await ask(gateway, 'GET', target, { cookie })).headers.get('ratelimit-policy');
    for (const target of ['/api/adaptors', '/graphql?query={__typename}', '/mcp', '/api/adaptors/keysx'])
      expect(await fetchRateLimitPolicy(target)).toContain('anonymous');
  });

  test('after its secret has changed, or where the record was not written by this host', async () => {
    const token = portalTokens.make();
    const record = { kind: 'admin', proof: '0'.repeat(64), endsMs: Date.now() + 60_000 };
    await kv.set(`portal:${digestToken(token)}`, JSON.stringify(record));
    expect((await fetchKeys(`__Host-portal=${token}`)).status).toBe(401);
    const { cookie } = await signIn(asAdmin);
    const made = cookie.slice(cookie.indexOf('=') + 1);
    expect(await findSession(kv, made, adminSecret)).toMatchObject({ kind: 'admin' });
    expect(await findSession(kv, made, `${adminSecret}2`)).toBeUndefined();
    expect(await findSession(kv, made, undefined)).toBeUndefined();
  });

  test('after its time, also where the store has kept it', async () => {
    const { cookie } = await signIn(asAdmin);
    const stored = `portal:${digestToken(cookie.slice(cookie.indexOf('=') + 1))}`;
    const record = JSON.parse((await kv.get(stored))!);
    await kv.set(stored, JSON.stringify({ ...record, endsMs: Date.now() - 1 }));
    expect((await fetchKeys(cookie)).status).toBe(401);
  });
});

describe('no session is opened', () => {
  test.each<[string, Headers, number]>([
    ['by another site, which would sign a reader in as itself', { 'sec-fetch-site': 'cross-site' }, 403],
    ['by another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['by a form', { 'content-type': 'text/plain' }, 403],
    ['by a wrong secret', { authorization: 'Bearer not-the-secret-of-it' }, 401],
    ['by the secret of the scheduler', { authorization: `Bearer ${cronSecret}` }, 401],
    ['without a credential', { authorization: undefined }, 401],
  ])('%s', async (_what, headers, status) => {
    const { answer, set } = await signIn({ ...asAdmin, ...headers });
    expect([answer.status, set]).toEqual([status, '']);
  });

  test('by a session, which would otherwise never end', async () => {
    const { cookie } = await signIn(asAdmin);
    const { answer, set } = await signIn({ cookie });
    expect([answer.status, set]).toEqual([401, '']);
  });

  test('after sixty wrong secrets from an address, also with the right one', async () => {
    caller += 1;
    const attempt = (secret: string) => ask(gateway, 'POST', path, { authorization: `Bearer ${secret}` }, {});
    const answers = await Promise.all(Array.from({ length: 60 }, (_, n) => attempt(`guess-number-${n}`)));
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([401]));
    expect((await attempt(adminSecret)).status).toBe(429);
  });
});

test('signing in again ends the session before it', async () => {
  const { cookie } = await signIn(asAdmin);
  const { cookie: next } = await signIn({ ...asAdmin, cookie });
  expect([(await fetchKeys(cookie)).status, (await fetchKeys(next)).status]).toEqual([401, 200]);
});

test('the store has neither the secret nor the token of a session', async () => {
  const names: string[] = [];
  const values: string[] = [];
  const set = kv.set;
  kv.set = async (key, value, ttlMs) => {
    names.push(key);
    values.push(`${value} ${ttlMs}`);
    await set(key, value, ttlMs);
  };
  const { cookie } = await signIn(asAdmin).finally(() => {
    kv.set = set;
  });
  expect(values[0]).toMatch(/ 1800000$/);
  const all = JSON.stringify([names, values]);
  expect([all.includes('ps_'), all.includes(adminSecret), cookie.includes('ps_')]).toEqual([
    false,
    false,
    true,
  ]);
});

test('the agent service gets the credential that a session stands for, and never its cookie', async () => {
  const { cookie } = await signIn(asAdmin);
  const both = `${cookie}; agent_session=as_1`;
  expect((await ask(gateway, 'GET', '/api/agent/freezes', { cookie: both })).status).toBe(200);
  expect(received).toEqual({ ...asAdmin, cookie: 'agent_session=as_1' });
  await ask(gateway, 'GET', '/api/agent/freezes', { cookie, 'sec-fetch-site': 'cross-site' });
  expect(received).toEqual({});
  // A session of the operator does not count on the paths of customers.
  for (const path of ['/api/agent/runs', '/api/agent/runs/17', '/api/agent/runs/17/stream']) {
    await ask(gateway, 'GET', path, { cookie });
    expect(received).toEqual({});
  }
});

test('a run is settled by the session of the operator, and of no one else', async () => {
  const settle = (cookie: string, headers: Headers = {}, path = '/api/agent/runs/17/settle') =>
    ask(gateway, 'POST', path, { cookie, ...headers }, { outcome: 'not_executed', note: 'n' });
  const { cookie } = await signIn(asAdmin);
  await settle(cookie);
  expect(received).toEqual({ ...asAdmin });
  const { key } = await issueTestKey(gateway.url);
  const holder = await signIn({ 'x-api-key': key });
  await settle(holder.cookie);
  expect(received).toEqual({});
  for (const headers of [
    { origin: 'http://evil.example' },
    { 'sec-fetch-site': 'cross-site' },
    { 'content-type': 'text/plain' },
  ]) {
    await settle(cookie, headers);
    expect(received).toEqual({});
  }
  // This path alone among those of a run accepts a session, and only as a whole path.
  await settle(cookie, {}, '/api/agent/run');
  expect(received).toEqual({});
});

test('the session of the operator counts on the pages of the host, and one of an API key does not', async () => {
  const { cookie } = await signIn(asAdmin);
  const { key } = await issueTestKey(gateway.url);
  const holder = await signIn({ 'x-api-key': key });
  for (const path of ['runs', 'listings', 'confirmations', 'dispatcher', 'settings']) {
    expect((await ask(gateway, 'GET', `/api/admin/${path}`, { cookie })).status).toBe(200);
    expect((await ask(gateway, 'GET', `/api/admin/${path}`, { cookie: holder.cookie })).status).toBe(401);
    expect(
      (await ask(another, 'GET', `/api/admin/${path}`, { cookie, 'sec-fetch-site': 'none' })).status,
    ).toBe(401);
  }
});
