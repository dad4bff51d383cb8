import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { listenLocally } from '../../test/support/listen-locally.ts';
import { silentLogger } from '../log/index.ts';
import { beginExchange, cached, sendError } from './exchange.ts';

test('content that could not be loaded is loaded again at the next request, and then never again', async () => {
  let loads = 0;
  const send = cached(async () => {
    loads += 1;
    if (loads === 1) throw new Error('too many open files');
    return { body: Buffer.from('whole'), contentType: 'text/plain', cacheControl: 'no-cache', tag: 'a' };
  });
  const server = createServer((req, res) => {
    const exchange = beginExchange(req, res);
    send(exchange).catch((error: unknown) => sendError(exchange, error, silentLogger));
  });
  const { url, close } = await listenLocally(server);
  onTestFinished(close);
  const read = async () => {
    const response = await fetch(url);
    return [response.status, response.ok && (await response.text())];
  };
  expect(await read()).toEqual([500, false]);
  expect(await read()).toEqual([200, 'whole']);
  expect(await read()).toEqual([200, 'whole']);
  expect(loads).toBe(2);
});
