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

type Stopped = [
  name: string,
  answer: RequestListener,
  read: (market: Marketplace, signal: AbortSignal) => Promise<unknown>,
];

/** Less than the 45 s after which a silent stream ends by itself. */
const hangMs = 40_000;

/** Servers that stop, each with a read that waits for it. */
const servers: Stopped[] = [
  ['a stream that is silent', (_, res) => res.writeHead(200).write(': \n\n'), readEvents],
  ['a stream that does not begin', () => undefined, readEvents],
  [
    'a response that ends in the middle',
    (_, res) => res.writeHead(200, { 'content-type': 'application/json' }).write('{'),
    listAdaptors,
  ],
  ['a response that does not begin', () => undefined, listAdaptors],
  [
    'an error that ends in the middle',
    (_, res) => res.writeHead(400, { 'content-type': 'application/problem+json' }).write('{'),
    listAdaptors,
  ],
];

test('a read of a server that stops ends when its signal aborts, also long after the call', {
  timeout: hangMs,
}, async () => {
  const reads = await Promise.all(
    servers.map(async ([name, answer, read]) => {
      const asked = Promise.withResolvers<void>();
      const url = await serve((req, res) => {
        answer(req, res);
        asked.resolve();
      });
      const stop = new AbortController();
      const reading = read(createMarketplace({ baseUrl: url }), stop.signal);
      const outcome = reading.then(
        () => `${name} ended`,
        (error: Error) => `${name}: ${error.message}`,
      );
      await asked.promise;
      return { name, stop, outcome };
    }),
  );
  // The responses reach the client, and what nothing refers to is collected. A collection takes as long as the heap of
  // the worker is large, so all reads share them.
  for (let turn = 0; turn < 20; turn += 1) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (turn % 5 === 4) collectGarbage();
  }
  for (const { name, stop, outcome } of reads) {
    stop.abort(new Error('enough'));
    expect(await outcome).toBe(`${name}: enough`);
  }
});
