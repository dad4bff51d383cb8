import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Localnet } from '../start.ts';
import { startTestLocalnet } from '../testing/start.ts';

let localnet: Localnet;
let url: string;
beforeAll(async () => {
  localnet = await startTestLocalnet();
  url = `${localnet.faucetUrl}/admin/misbehave`;
});
afterAll(() => localnet.close());

const post = (body: unknown, headers = {}) =>
  fetch(url, { method: 'POST', body: JSON.stringify(body), headers });

test('what is out of order is shown, changed key by key, and put in order again', async () => {
  localnet.misbehaviour.set({ refuseLists: true });
  expect(await (await fetch(url)).json()).toEqual({ refuseLists: true });
  const answer = await post({ failCalls: { code: 'UNAVAILABLE' }, refuseLists: null });
  const expected = { failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1 } };
  expect(await answer.json()).toEqual(expected);
  expect(localnet.misbehaviour.settings).toEqual(expected);
  expect(await (await fetch(url, { method: 'DELETE' })).json()).toEqual({});
});

test.each([
  ['an unknown misbehaviour', { sulk: true }, /sulk/],
  ['an unknown code', { failCalls: { code: 'TIRED' } }, /code/],
  ['an unknown method', { dropStream: { afterFrames: 1, methods: ['GetTired'] } }, /methods/],
  ['a share above one', { failCalls: { code: 'UNAVAILABLE', share: 2 } }, /share/],
  ['a negative count', { lagLists: { checkpoints: -1 } }, /checkpoints/],
])('%s is a 400 that names it, and changes nothing', async (_name, body, reason) => {
  const before = localnet.misbehaviour.settings;
  const response = await post(body);
  expect(response.status).toBe(400);
  expect(((await response.json()) as { error: string }).error).toMatch(reason);
  expect(localnet.misbehaviour.settings).toEqual(before);
});

test('a web page gets nothing: no header allows it, and its origin is refused', async () => {
  const response = await post({ refuseLists: true }, { origin: 'https://evil.example' });
  expect(response.status).toBe(403);
  expect(response.headers.get('access-control-allow-origin')).toBeNull();
  const preflight = await fetch(url, { method: 'OPTIONS', headers: { origin: 'https://evil.example' } });
  expect(preflight.headers.get('access-control-allow-methods')).toBeNull();
  expect(localnet.misbehaviour.settings).toEqual({});
});
