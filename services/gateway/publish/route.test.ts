import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { HttpServer } from '../../../lib/http/listen.ts';
import { router } from '../../../lib/http/router.ts';
import { serve } from '../../../lib/http/serve.ts';
import { networkParameter } from '../request/parameters.ts';
import { described } from '../server/rest.ts';
import { publishRoute } from './route.ts';

let server: HttpServer;
let begin: (signal: AbortSignal) => void;
let logged: string[];

beforeAll(async () => {
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(line) });
  const post = publishRoute(
    { chains: new Map(), choose: () => 'testnet' },
    {
      body: z.object({ network: networkParameter }),
      answer: ({ signal }) => {
        begin(signal);
        return new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason), { once: true });
        });
      },
    },
  );
  const routes = described({ path: '/', mediaType: 'application/json', post });
  server = await serve('127.0.0.1', 0, [router(routes, undefined, { log, hint: '' })], log);
});
afterAll(() => server.close());

test('work for a caller who leaves is told to end, and nobody calls that a failure', async () => {
  logged = [];
  const gone = new AbortController();
  const began = Promise.withResolvers<AbortSignal>();
  begin = began.resolve;
  const left = fetch(server.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{}',
    signal: gone.signal,
  });
  const signal = await began.promise;
  const ended = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  gone.abort();
  await expect(left).rejects.toThrow();
  await ended;
  await server.close();
  expect(logged).toEqual([]);
});
