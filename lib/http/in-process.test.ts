import type { IncomingMessage } from 'node:http';
import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { silentLogger } from '../log/index.ts';
import { serveInProcess } from './in-process.ts';

const origin = {
  req: { socket: { remoteAddress: '192.0.2.7' }, headers: { 'x-forwarded-for': '192.0.2.8' } },
  requestId: 'request-of-the-caller',
} as never;

test('a request has the body, the address, the proxies and the id of the one that caused it', async () => {
  const fetchHere = serveInProcess(
    () => [
      ({ req, res, requestId }) => {
        req.setEncoding('utf8').on('data', (body) => {
          const { headers, socket }: IncomingMessage = req;
          res.end(JSON.stringify([body, socket.remoteAddress, headers['x-forwarded-for'], requestId]));
        });
        return true;
      },
    ],
    silentLogger,
  )(origin);
  const response = await fetchHere('http://market.test/graphql', { method: 'POST', body: 'query' });
  expect(await response.json()).toEqual(['query', '192.0.2.7', '192.0.2.8', 'request-of-the-caller']);
});

test('a request whose signal aborts while its body is read is never sent', async () => {
  let received = 0;
  const fetchHere = serveInProcess(() => [() => ++received > 0], silentLogger)(origin);
  const abort = new AbortController();
  const body = new ReadableStream({
    async pull(controller) {
      await setImmediate();
      abort.abort();
      await setImmediate();
      controller.enqueue(Buffer.from('query'));
      controller.close();
    },
  });
  const init = { method: 'POST', body, duplex: 'half', signal: abort.signal } as RequestInit;
  await expect(fetchHere('http://market.test/graphql', init)).rejects.toMatchObject({ name: 'AbortError' });
  expect(received).toBe(0);
});
