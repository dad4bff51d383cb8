import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { expect, onTestFinished, test, vi } from 'vitest';
import { createMarketplace } from './index.ts';

const packageId = `0x${'a'.repeat(64)}`;
const pending = { packageId, network: 'testnet', offer: 'f'.repeat(64), verdict: 'pending' } as const;

interface Received {
  method: string | undefined;
  url: string | undefined;
  type: string | undefined;
  body: Buffer;
}

/** A marketplace with these answers, one after another. A number is the status of a problem. */
async function startMarketplace(answers: (object | number)[]) {
  const received: Received[] = [];
  const server: Server = createServer(async (req: IncomingMessage, res) => {
    const { method, url, headers } = req;
    received.push({ method, url, type: headers['content-type'], body: await buffer(req) });
    const next = answers.shift()!;
    const [status, body] = typeof next === 'number' ? [next, { code: 'test' }] : [200, next];
    res.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  return { market: createMarketplace({ baseUrl: `http://127.0.0.1:${port}` }), received };
}

test('an archive is sent as it is, and a blob as its id', async () => {
  const { market, received } = await startMarketplace([pending, pending]);
  const source = Uint8Array.of(80, 75, 0, 255);
  expect(await market.offerSource({ source, packageId, network: 'testnet', folder: 'a b/c' })).toEqual(
    pending,
  );
  await market.offerSource({ source: { blobId: 'B-_'.repeat(14) }, packageId });
  expect(received).toEqual([
    {
      method: 'POST',
      url: `/api/adaptors/verify?packageId=${packageId}&network=testnet&folder=a+b%2Fc`,
      type: 'application/zip',
      body: Buffer.from(source),
    },
    {
      method: 'POST',
      url: `/api/adaptors/verify?packageId=${packageId}`,
      type: 'application/json',
      body: Buffer.from(JSON.stringify({ blobId: 'B-_'.repeat(14) })),
    },
  ]);
});

test('an offer whose response was lost is sent again, whole', async () => {
  const { market, received } = await startMarketplace([502, pending]);
  await market.offerSource({ source: Uint8Array.of(1, 2, 3), packageId });
  expect(received.map(({ body }) => body)).toEqual([Buffer.of(1, 2, 3), Buffer.of(1, 2, 3)]);
});

test('the result of an offer is read until it has a verdict', async () => {
  const { market, received } = await startMarketplace([pending, { ...pending, verdict: 'exact' }]);
  expect(await market.awaitVerdict(pending)).toMatchObject({ verdict: 'exact' });
  const url = `/api/adaptors/verify?packageId=${packageId}&network=testnet&offer=${pending.offer}`;
  expect(received.map((one) => one.url)).toEqual([url, url]);
});

test('source is verified in one call, which reads no result if the offer has its verdict', async () => {
  const verified = { ...pending, verdict: 'exact' };
  const { market, received } = await startMarketplace([pending, verified, verified]);
  const offer = { source: Uint8Array.of(1), packageId };
  for (const requests of [2, 3]) {
    expect(await market.verifySource(offer)).toMatchObject({ verdict: 'exact' });
    expect(received).toHaveLength(requests);
  }
});

test.each([
  ['59', 59_000],
  ['999999999', 2 ** 31 - 1],
])('a wait outlasts a rate limit, however long that is: %s s', async (retryAfter, expected) => {
  const real = setTimeout;
  const waits: number[] = [];
  // The HTTP client of the tests above has timers of its own, with arguments.
  vi.stubGlobal('setTimeout', (run: (...values: unknown[]) => void, ms: number, ...values: unknown[]) => {
    if (ms !== expected) return real(run, ms, ...values);
    waits.push(ms);
    return real(run, 0);
  });
  onTestFinished(() => void vi.unstubAllGlobals());
  const limited = () =>
    Response.json({ code: 'rate_limited' }, { status: 429, headers: { 'retry-after': retryAfter } });
  const answers = [limited(), Response.json({ ...pending, verdict: 'exact' })];
  const market = createMarketplace({ baseUrl: 'http://market', fetch: async () => answers.shift()! });
  expect(await market.awaitVerdict(pending)).toMatchObject({ verdict: 'exact' });
  expect(waits).toEqual([expected]);
});

test('a wait ends with its signal, and with a refusal', async () => {
  const { market, received } = await startMarketplace([pending, 404]);
  const stop = new AbortController();
  const waiting = market.awaitVerdict(pending, { signal: stop.signal });
  const ended = expect(waiting).rejects.toBe('stopped');
  await vi.waitFor(() => expect(received).toHaveLength(1));
  stop.abort('stopped');
  await ended;
  await expect(market.awaitVerdict(pending)).rejects.toMatchObject({ status: 404 });
});
