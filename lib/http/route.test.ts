import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { listenLocally } from '../../test/support/listen-locally.ts';
import { beginExchange, sendContent } from './exchange.ts';
import { type Route, route } from './route.ts';

const about = { method: 'get', path: '/jars' } as const;
const operation = {
  operationId: 'getJars',
  tag: 'jars',
  summary: 'Get jars',
  response: { description: 'The jars.', schema: z.object({ count: z.int() }) },
  example: {},
};

async function fetchResponse(served: Route<object>, init: RequestInit = {}): Promise<Response> {
  const server = createServer((req, res) => void served.answer(beginExchange(req, res), {}, {}));
  const { url, close } = await listenLocally(server);
  onTestFinished(close);
  return await fetch(`${url}/jars`, init);
}

test.each([
  [undefined, 'no-store'],
  ['public, max-age=60', 'public, max-age=60'],
])('a value that a handler returns is sent as JSON, cached as the route says (%s)', async (own, sent) => {
  const cacheControl = own === undefined ? {} : { cacheControl: own };
  const response = await fetchResponse(
    route({ ...about, ...cacheControl, operation, handler: async () => ({ count: 2 }) }),
  );
  const { status, headers } = response;
  expect([status, headers.get('content-type'), headers.get('cache-control')]).toEqual([
    200,
    'application/json',
    sent,
  ]);
  expect(await response.json()).toEqual({ count: 2 });
});

test.each([
  ['GET', 'no-store', 200],
  ['GET', 'no-cache', 304],
  ['HEAD', 'no-cache', 304],
  ['POST', 'no-cache', 200],
  ['DELETE', 'no-cache', 200],
])(
  'if-none-match on %s, cached as %s, is %i: only a read that may be stored has a copy',
  async (method, cacheControl, status) => {
    const response = await fetchResponse(
      route({ ...about, cacheControl, operation, handler: async () => ({ count: 2 }) }),
      { method, headers: { 'if-none-match': '*' } },
    );
    expect(response.status).toBe(status);
  },
);

test('nothing returned is 204 where the operation has no schema of a response', async () => {
  const removed = { ...operation, response: { description: 'Removed.' } };
  const response = await fetchResponse(
    route({ ...about, operation: removed, handler: async () => undefined }),
  );
  expect([response.status, response.headers.get('cache-control')]).toEqual([204, 'no-store']);
});

test('what a handler has sent by itself is the response', async () => {
  const text = {
    body: Buffer.from('jars'),
    contentType: 'text/plain',
    cacheControl: 'no-cache',
    tag: 'jars',
  };
  const response = await fetchResponse(
    route({ ...about, operation, handler: async ({ exchange }) => await sendContent(exchange, text) }),
  );
  expect([response.status, await response.text()]).toEqual([200, 'jars']);
});
