import { pino } from 'pino';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { router } from '../../../lib/http/router.ts';
import { type HttpServer, serve } from '../../../lib/http/serve.ts';
import { networkParameter } from '../openapi/parameters.ts';
import { type PublishDependencies, publishRoute } from './route.ts';

let server: HttpServer;
let begin: (signal: AbortSignal) => void;
let logged: string[];

beforeAll(async () => {
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(line) });
  const waiting = publishRoute({
    path: '/',
    body: z.object({ network: networkParameter }),
    response: z.object({}),
    operation: { operationId: 'wait', summary: 'Wait', example: {} },
    answer: ({ signal }) => {
      begin(signal);
      return new Promise((_, reject) => {
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      });
    },
  });
  const dependencies: PublishDependencies = { publishChains: new Map(), choose: () => 'testnet' };
  server = await serve('127.0.0.1', 0, [router([waiting], dependencies, { log, hint: '' })], log);
});
afterAll(() => server.close());

test('work for a caller that leaves is aborted, and no failure is logged', async () => {
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
