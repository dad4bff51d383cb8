import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMarketplace } from './index.ts';

const packageId = `0x${'a'.repeat(64)}`;
const source = { packageId, network: 'testnet', offer: null } as const;
const timedOut = () => new DOMException('The operation timed out.', 'TimeoutError');

/** A marketplace that never responds. A request to it ends with the reason of its signal. */
const silent = createMarketplace({
  baseUrl: 'http://market',
  fetch: (_, init) =>
    new Promise((_resolve, reject) => {
      init!.signal!.addEventListener('abort', () => reject(init!.signal!.reason));
    }),
});

const requests: [name: string, send: (signal?: AbortSignal) => Promise<unknown>][] = [
  ['a call', (signal) => silent.api.listAdaptors({ ...(signal && { signal }) })],
  ['a query', () => silent.query('{ _meta { chain } }')],
  ['an offer of source', (signal) => silent.offerSource({ source: { blobId: 'b' }, packageId }, { signal })],
  ['a wait for a verdict', (signal) => silent.awaitVerdict(source, { signal })],
];

beforeEach(() => {
  vi.spyOn(AbortSignal, 'timeout').mockImplementation(() => {
    const controller = new AbortController();
    setTimeout(() => controller.abort(timedOut()), 1);
    return controller.signal;
  });
});
afterEach(() => void vi.restoreAllMocks());

test.each(requests)('%s that times out ends with a ConnectionError', async (_, send) => {
  await expect(send()).rejects.toMatchObject({
    name: 'ConnectionError',
    message: 'The marketplace did not respond in time.',
  });
});

test('the timeout of a caller is the reason of its signal', async () => {
  const reason = timedOut();
  for (const [, send] of requests.filter(([name]) => name !== 'a query'))
    await expect(send(AbortSignal.abort(reason))).rejects.toBe(reason);
});
