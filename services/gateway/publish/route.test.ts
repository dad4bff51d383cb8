import { packageVersions } from '@adaptor-marketplace/adaptor/chain';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { NetworkPackages } from '../../../lib/config/networks.ts';
import { router } from '../../../lib/http/router.ts';
import { type HttpServer, serve } from '../../../lib/http/serve.ts';
import { buildRequest } from '../../../test/support/build-request.ts';
import { address } from '../../../test/support/read-model.ts';
import { networkField } from '../openapi/parts.ts';
import { createPublishRoute, openPublishChain, type PublishDependencies } from './route.ts';

describe('publishChain', () => {
  let nowMs: number;
  beforeEach(() => {
    nowMs = 1;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  });
  afterEach(() => {
    vi.restoreAllMocks();
    vi.useRealTimers();
  });

  const never = new AbortController().signal;

  test('a package is read once for ever, and one of the framework, which is upgraded under its id, each minute', async () => {
    const reads: string[] = [];
    const getObject = async ({ objectId }: { objectId: string }) => {
      reads.push(objectId);
      return { response: { object: { package: { modules: [], typeOrigins: [], linkage: [] } } } };
    };
    const client = { ledgerService: { getObject } } as unknown as ChainClient;
    const chain = openPublishChain({
      settings: {} as NetworkPackages,
      client,
      versions: packageVersions(client),
    });
    const ids = [address(2), address(0x1_0000)];
    for (const passedMs of [0, 59_000, 2_000]) {
      nowMs += passedMs;
      await vi.advanceTimersByTimeAsync(passedMs);
      for (const id of ids) await chain.introspect(id, never);
    }
    expect(reads).toEqual([...ids, address(2)]);
  });
});

describe('publishRoute', () => {
  let server: HttpServer;
  let begin: (signal: AbortSignal) => void;
  let logged: string[];

  beforeAll(async () => {
    const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(line) });
    const waiting = createPublishRoute({
      path: '/',
      body: z.object({ network: networkField }),
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
    const left = fetch(server.url, { ...buildRequest('{}'), signal: gone.signal });
    const signal = await began.promise;
    const ended = new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
    gone.abort();
    await expect(left).rejects.toThrow();
    await ended;
    await server.close();
    expect(logged).toEqual([]);
  });
});
