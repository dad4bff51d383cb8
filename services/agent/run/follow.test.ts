import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { followRun } from './follow.ts';
import { buildPassedLines } from './progress.ts';
import { openWakers } from './wakers.ts';

const database = useTestDatabase();

test('the stream of a run whose next line takes long has a space every 15 s before it', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const wakers = openWakers(database, silentLogger);
  const driving = wakers.drive(5, buildPassedLines('validate'));
  const stop = new AbortController();
  const dependencies = { db: database.pool, wakers, signal: stop.signal };
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    void followRun(dependencies, { req, res } as Exchange, { run: 5, attempt: 1 });
  });
  onTestFinished(async () => {
    vi.useRealTimers();
    stop.abort();
    server.close();
    driving[Symbol.dispose]();
    await wakers.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const asked = request({ port: (server.address() as AddressInfo).port }).end();
  const [answer] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  answer.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  await expect.poll(() => text).toMatch(/\n$/);
  const lines = text;
  vi.advanceTimersByTime(30_000);
  await expect.poll(() => text).toBe(`${lines}  `);
  stop.abort();
  await once(answer, 'end');
  expect(vi.getTimerCount()).toBe(0);
});
