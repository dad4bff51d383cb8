import { once } from 'node:events';
import { createServer, get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { executorKeys, sessionTokens } from '../../../lib/credentials/token.ts';
import { createMemoryKv } from '../../../lib/kv/memory.ts';
import { startTestGateway, type TestGateway } from '../../../test/support/gateway.ts';
import { adminSecret, asAdmin, issueTestKey } from '../../../test/support/keys.ts';
import { listenLocally } from '../../../test/support/listen-locally.ts';

/** Tokens that the service behind the gateway accepts. */
const right = { key: executorKeys.make(), session: sessionTokens.make() };
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const takes = ({ headers, url }: IncomingMessage) =>
  url === '/api/agent/session/nonce' ||
  [bearer(right.key), bearer(adminSecret)].some(
    ({ authorization }) => authorization === headers.authorization,
  ) ||
  headers.cookie === `agent_session=${right.session}`;

let judged = 0;
const agent = createServer((req, res) => {
  judged += 1;
  req.resume();
  res.writeHead(takes(req) ? 200 : 401).end('{}');
});
let limited: TestGateway;
let open: TestGateway;
let caller = 0;

beforeAll(async () => {
  const { url: agentUrl } = await listenLocally(agent);
  const access = { kv: createMemoryKv(), adminSecret, anonymousPerMinute: 300, trustProxy: 1 };
  limited = await startTestGateway((seed) => seed.source(), { access, agentUrl });
  const more = { agentUrl, trustProxy: 1 };
  open = await startTestGateway((seed) => seed.source(), more);
});
afterAll(async () => {
  await Promise.all([limited.close(), open.close()]);
  agent.close();
});
beforeEach(() => {
  judged = 0;
  caller += 1;
});

const paths = ['/api/agent/keys', '/api/agent/runs', '/api/agent/plans', '/api/agent/freezes'];
function ask(headers: Record<string, string>, { path = paths[0]!, method = 'GET', at = limited } = {}) {
  return fetch(at.url + path, { method, headers: { 'x-forwarded-for': `192.0.2.${caller}`, ...headers } });
}

/** Sends 200 requests at once and counts the responses by status. */
async function countStatuses(send: (n: number) => Promise<Response>): Promise<Record<number, number>> {
  const answers = await Promise.all(Array.from({ length: 200 }, (_, n) => send(n)));
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

const wrongToken = (n: number) => executorKeys.make().slice(0, -4) + String(n).padStart(4, '0');

describe('sixty wrong credentials a minute come through to the agent service', () => {
  test.each<[string, (n: number) => Promise<Response>, (() => TestGateway)?]>([
    ['secrets', (n) => ask(bearer(`guess-number-${n}`))],
    ['one secret over and over', () => ask(bearer('guess'))],
    ['executor keys', (n) => ask(bearer(wrongToken(n)))],
    ['one executor key over and over', () => ask(bearer(`ek_${'0'.repeat(43)}`))],
    ['sessions, in cookies', () => ask({ cookie: `agent_session=${sessionTokens.make()}` })],
    ['words, in cookies', (n) => ask({ cookie: `agent_session=${n}` })],
    ['secrets on every path', (n) => ask(bearer(`guess-${n}`), { path: paths[n % paths.length]! })],
    ['secrets where there are no limits', (n) => ask(bearer(`guess-${n}`), { at: open }), () => open],
    ['executor keys where there are no limits', (n) => ask(bearer(wrongToken(n)), { at: open }), () => open],
  ])('%s', async (_what, send, at = () => limited) => {
    expect(await countStatuses(send)).toEqual({ 401: 60, 429: 140 });
    expect(judged).toBe(60);
    const refused = await send(999);
    expect([refused.status, (await refused.json()).code]).toEqual([429, 'rate_limited']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    // After too many attempts from an address, the response does not reveal whether a secret is right.
    expect((await ask(asAdmin, { at: at() })).status).toBe(429);
    expect((await ask({}, { path: '/api/adaptors', at: at() })).status).toBe(200);
  });

  test('also where a valid API key is sent along', async () => {
    const { key } = await issueTestKey(limited.url, { ratePerMin: 1_000 });
    const guess = (n: number) => ask({ 'x-api-key': key, ...bearer(`guess-${n}`) });
    expect(await countStatuses(guess)).toEqual({ 401: 60, 429: 140 });
    expect((await ask({ 'x-api-key': key, ...asAdmin })).status).toBe(429);
    expect((await ask({ 'x-api-key': key }, { path: '/api/adaptors' })).status).toBe(200);
  });

  test('also in a url that names its host, as to a proxy', async () => {
    const { port } = new URL(limited.url);
    const guess = async (n: number) => {
      const headers = { 'x-forwarded-for': `192.0.2.${caller}`, ...bearer(`guess-${n}`) };
      const request = get({ port, path: `http://elsewhere.example${paths[0]}`, headers, agent: false });
      const [answer] = (await once(request, 'response')) as [IncomingMessage];
      answer.resume();
      return { status: answer.statusCode } as Response;
    };
    expect(await countStatuses(guess)).toEqual({ 401: 60, 429: 140 });
  });

  test('and so do sixty signatures', async () => {
    const signIn = () => ask({}, { path: '/api/agent/session', method: 'POST' });
    for (let n = 0; n < 60; n++) expect((await signIn()).status).toBe(401);
    expect((await signIn()).status).toBe(429);
    expect((await ask({}, { path: '/api/agent/session/nonce', method: 'POST' })).status).toBe(200);
  });
});

test('the same address counts on every door', async () => {
  for (let n = 0; n < 20; n++) await ask({ 'x-api-key': `mk_${String(n).padStart(43, '0')}` });
  for (let n = 0; n < 20; n++) await ask(bearer(`guess-${n}`), { path: '/api/adaptors/keys' });
  for (let n = 0; n < 20; n++) expect((await ask(bearer(wrongToken(n)))).status).toBe(401);
  for (const path of ['/api/adaptors/keys', '/api/agent/keys', '/api/adaptors/webhooks']) {
    expect((await ask(asAdmin, { path })).status).toBe(429);
  }
});

test('a right key is an attempt until it is known, and then goes on from an address that others guess from', async () => {
  expect(await countStatuses(() => ask(bearer(right.key)))).toEqual({ 200: 200 });
  expect(await countStatuses((n) => ask(bearer(`guess-${n}`)))).toEqual({ 401: 59, 429: 141 });
  expect((await ask(bearer(right.key))).status).toBe(200);
  expect((await ask({ cookie: `agent_session=${right.session}` })).status).toBe(429);
});

test('who sends no credential is not taken for somebody who guesses', async () => {
  expect(await countStatuses(() => ask({}))).toEqual({ 401: 200 });
  expect((await ask(asAdmin)).status).toBe(200);
});

test('executor keys and sessions each have a limit of their own', async () => {
  const session = { cookie: `agent_session=${right.session}` };
  for (const headers of [bearer(right.key), session]) {
    const answer = await ask(headers, { at: limited });
    expect(answer.headers.get('ratelimit-policy')).toBe('"credential";q=300;w=60');
  }
  const left = async (headers: Record<string, string>, path = paths[0]!) =>
    Number((await ask(headers, { path })).headers.get('x-ratelimit-remaining'));
  const before = [await left(bearer(right.key)), await left(session), await left({})];
  await Promise.all(Array.from({ length: 10 }, () => ask(bearer(right.key))));
  const after = [await left(bearer(right.key)), await left(session), await left({})];
  expect(before.map((count, n) => count - after[n]!)).toEqual([11, 1, 1]);
  // On a path where no service checks the token, the address counts.
  expect(await left(bearer(right.key), '/api/adaptors')).toBe(after[2]! - 1);
  expect(await left(bearer(executorKeys.make()), '/api/agent/address')).toBe(after[2]! - 2);
  expect(await left(bearer(executorKeys.make()), '/api/agent/session/nonce')).toBe(after[2]! - 3);
});
