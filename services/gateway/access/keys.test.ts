import { afterAll, beforeAll, expect, test } from 'vitest';
import { digestToken } from '../../../lib/credentials/token.ts';
import type { Kv } from '../../../lib/kv/kv.ts';
import { buildRequest } from '../../../test/support/build-request.ts';
import { redisDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { adminSecret, asAdmin, cronSecret, issueTestKey } from '../../../test/support/keys.ts';
import { openTestKv } from '../../../test/support/kv.ts';
import { issuedKey, keysBody, recordKey } from './keys.ts';

let gateway: TestGateway;
let kv: Kv;
let redisUrl: string;

beforeAll(async () => {
  redisUrl = await redisDatabase();
  kv = await openTestKv(redisUrl);
  const access = { kv, adminSecret, cronSecret, anonymousPerMinute: 10_000, trustProxy: 1 };
  gateway = await startTestGateway((seed) => seed.source(), { access });
});
afterAll(async () => {
  await gateway.close();
  await kv.close();
});

const keysUrl = () => `${gateway.url}/api/adaptors/keys`;
const useKey = (key: string) => fetch(`${gateway.url}/api/adaptors`, { headers: { 'x-api-key': key } });
let caller = 0;
const post = (body: unknown) =>
  fetch(keysUrl(), buildRequest(body, { ...asAdmin, 'x-forwarded-for': `192.0.2.${++caller}` }));

test('a key is shown once, works at once, and is listed without being shown', async () => {
  const wanted = { integrator: 'Acme', label: 'prod', ratePerMin: 20_000 };
  const issued = issuedKey.parse(await issueTestKey(gateway.url, wanted));
  expect(issued).toMatchObject(wanted);
  expect((await useKey(issued.key)).headers.get('x-ratelimit-limit')).toBe('20000');
  const listed = await (await fetch(keysUrl(), { headers: asAdmin })).text();
  const { key, ...rest } = issued;
  expect(keysBody.parse(JSON.parse(listed)).keys).toContainEqual(rest);
  expect(listed).not.toContain(key);
});

test('neither the key nor a secret is in the store', async () => {
  const { key } = await issueTestKey(gateway.url);
  await useKey(key);
  const { Redis } = await import('ioredis');
  const client = new Redis(redisUrl);
  const names = await client.keys('*');
  const values = await Promise.all(
    names.map(async (name) =>
      (await client.type(name)) === 'hash' ? client.hgetall(name) : client.get(name),
    ),
  );
  client.disconnect();
  const all = JSON.stringify([names, values]);
  expect(names.length).toBeGreaterThan(2);
  expect([all.includes(key), all.includes(key.slice(3)), all.includes(adminSecret)]).toEqual([
    false,
    false,
    false,
  ]);
});

test('what another program put in the place of a key is not a key, and hides no other', async () => {
  const [broken, whole] = [await issueTestKey(gateway.url), await issueTestKey(gateway.url)];
  await kv.set(recordKey(digestToken(broken.key)), '{"id":7}');
  const answer = await fetch(`${gateway.url}/api/adaptors`, { headers: { 'x-api-key': broken.key } });
  expect([answer.status, (await answer.json()).code]).toEqual([401, 'invalid_key']);
  const { keys } = await (await fetch(keysUrl(), { headers: asAdmin })).json();
  const ids = keys.map(({ id }: { id: string }) => id);
  expect(ids).toContain(whole.id);
  expect(ids).not.toContain(broken.id);
});

test('a revoked key is refused from its next request on, and no longer listed', async () => {
  const { id, key } = await issueTestKey(gateway.url);
  expect((await useKey(key)).status).toBe(200);
  const revoke = () => fetch(`${keysUrl()}/${id}`, { method: 'DELETE', headers: asAdmin });
  expect((await revoke()).status).toBe(204);
  expect((await useKey(key)).status).toBe(401);
  expect(await (await fetch(keysUrl(), { headers: asAdmin })).text()).not.toContain(id);
  const again = await revoke();
  expect([again.status, (await again.json()).code]).toEqual([404, 'key_not_found']);
});

test.each([
  ['nobody', {}],
  ['another bearer', { authorization: 'Bearer something-else-entirely' }],
  ['the cron secret', { authorization: `Bearer ${cronSecret}` }],
  ['the secret without its scheme', { authorization: adminSecret }],
])('%s may not issue, list or revoke keys', async (_who, headers: Record<string, string>) => {
  for (const [method, url] of [
    ['POST', keysUrl()],
    ['GET', keysUrl()],
    ['DELETE', `${keysUrl()}/key_1`],
  ]) {
    const answer = await fetch(url!, { method: method!, headers });
    expect([method, answer.status]).toEqual([method, 401]);
    await answer.text();
  }
});

test('a key does not open what is the admin’s', async () => {
  const { key } = await issueTestKey(gateway.url);
  const answer = await fetch(keysUrl(), { headers: { 'x-api-key': key } });
  const { code, detail } = await answer.json();
  expect([answer.status, code]).toEqual([401, 'unauthorized']);
  expect(detail).toBe('This operation needs the admin secret (authorization: Bearer <secret>).');
});

test.each([
  [{}, ['body.integrator', 'body.ratePerMin']],
  [{ integrator: '', ratePerMin: 0 }, ['body.integrator', 'body.ratePerMin']],
  [{ integrator: 'a', ratePerMin: 1.5 }, ['body.ratePerMin']],
  [{ integrator: 'a', ratePerMin: '60' }, ['body.ratePerMin']],
  [{ integrator: 'a'.repeat(65), ratePerMin: 1_000_001 }, ['body.integrator', 'body.ratePerMin']],
  [{ integrator: 'a\u0000', ratePerMin: 1 }, ['body.integrator']],
  [{ integrator: 'a', ratePerMin: 1, label: 'x'.repeat(201) }, ['body.label']],
])('a key that cannot be meant is refused, naming each field: %j', async (body, paths) => {
  const answer = await post(body);
  const problem = await answer.json();
  expect([answer.status, problem.code]).toEqual([400, 'invalid_body']);
  expect(problem.errors.map(({ path }: { path: string }) => path)).toEqual(paths);
});

test.each([
  ['no JSON', '{', 400],
  ['a list', '[]', 400],
  ['too much', JSON.stringify({ integrator: 'x'.repeat(20_000) }), 413],
])('a body that is %s is refused', async (_name, body, status) => {
  expect((await post(body)).status).toBe(status);
});

test('what a key was used for is written down, without what was beyond its limit', async () => {
  const access = { kv, adminSecret, anonymousPerMinute: 3, trustProxy: 0 };
  const other = await startTestGateway((seed) => seed.source(), { access });
  const { id, key } = await issueTestKey(other.url, { integrator: 'Usage Inc', ratePerMin: 3 });
  for (let n = 0; n < 5; n++) await fetch(`${other.url}/api/adaptors`, { headers: { 'x-api-key': key } });
  const question = 'select integrator, requests from analytics_host.key_usage where key_id = $1';
  const usage = async () => (await other.db.pool.query(question, [id])).rows;
  await eventually(async () => expect(await usage()).toEqual([{ integrator: 'Usage Inc', requests: 3 }]));
  await other.close();
});

test('a gateway that is stopped has written down all of it', async () => {
  const access = { kv, adminSecret, anonymousPerMinute: 10, trustProxy: 0 };
  const other = await startTestGateway((seed) => seed.source(), { access });
  const { key } = await issueTestKey(other.url);
  for (let n = 0; n < 7; n++) await fetch(`${other.url}/api/adaptors`, { headers: { 'x-api-key': key } });
  await other.stop();
  const { rows } = await other.db.pool.query('select sum(requests) as requests from key_usage');
  expect(Number(rows[0].requests)).toBe(7);
  await other.close();
});

test('without a store, keys answer 503 and name the settings, and nothing is limited', async () => {
  const plain = await startTestGateway((seed) => seed.source());
  for (const headers of [{}, asAdmin]) {
    const answer = await fetch(`${plain.url}/api/adaptors/keys`, { headers });
    const problem = await answer.json();
    expect([answer.status, problem.code]).toEqual([503, 'kv_not_configured']);
    expect(problem.detail).toContain('REDIS_URL');
    expect(problem.detail).toContain('KV_REST_API_URL');
  }
  const answer = await fetch(`${plain.url}/api/adaptors`, { headers: { 'x-api-key': 'mk_whatever' } });
  const names = [...answer.headers.keys()].filter((name) => name.includes('ratelimit'));
  expect([answer.status, names]).toEqual([200, []]);
  await plain.close();
});
