import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, onTestFinished, test } from 'vitest';
import { createMarketplace } from './marketplace.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

async function serve(answer: RequestListener): Promise<string> {
  const server = createServer(answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, 'close');
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

type Marketplace = ReturnType<typeof createMarketplace>;
const readEvents = async (market: Marketplace, signal: AbortSignal) => {
  for await (const _ of market.events({ signal }));
};
const listAdaptors = (market: Marketplace, signal: AbortSignal) => market.api.listAdaptors({ signal });

/** Servers that stop, each with a read that waits for it. */
test.each<[string, RequestListener, (market: Marketplace, signal: AbortSignal) => Promise<unknown>]>([
  ['a stream that is silent', (_, res) => res.writeHead(200).write(': \n\n'), readEvents],
  ['a stream that does not begin', () => undefined, readEvents],
  [
    'a response that ends in the middle',
    (_, res) => res.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    listAdaptors,
  ],
  ['a response that does not begin', () => undefined, listAdaptors],
])('%s ends when its signal aborts, also long after the call', async (_, answer, read) => {
  const asked = Promise.withResolvers<void>();
  const url = await serve((req, res) => {
    answer(req, res);
    asked.resolve();
  });
  const stop = new AbortController();
  const reading = read(createMarketplace({ baseUrl: url }), stop.signal);
  await asked.promise;
  // The response reaches the client, and what nothing refers to is collected.
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collectGarbage();
  }
  stop.abort(new Error('enough'));
  await expect(reading).rejects.toThrow('enough');
});
