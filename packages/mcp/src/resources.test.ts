import type { Marketplace } from '@adaptor-marketplace/sdk';
import { afterEach, expect, test, vi } from 'vitest';
import { readResource } from './resources.ts';

afterEach(() => vi.restoreAllMocks());

const uri = 'marketplace://guides/live';
const market = { baseUrl: 'http://localhost' } as Marketplace;

test('a guide without an end is not read to memory', async () => {
  const part = new Uint8Array(65_536).fill(97);
  let sent = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
    sent += part.length;
    if (sent > 8 * 1024 * 1024) return controller.close();
    controller.enqueue(part);
  };
  const fetch = async () => new Response(new ReadableStream({ pull }));
  await expect(readResource(market, uri, fetch)).rejects.toThrow('longer than');
  expect(sent).toBeLessThan(2 * 1024 * 1024);
});

test('a guide that does not come ends the request', async () => {
  const time = new AbortController();
  vi.spyOn(AbortSignal, 'timeout').mockReturnValue(time.signal);
  const fetch = (request: string | URL | Request) =>
    new Promise<Response>((_, reject) => {
      const { signal } = request as Request;
      signal.addEventListener('abort', () => reject(signal.reason));
      time.abort(new DOMException('The time is over.', 'TimeoutError'));
      if (!signal.aborted) reject(new Error('the request has no time limit'));
    });
  await expect(readResource(market, uri, fetch)).rejects.toThrow('The time is over.');
});
