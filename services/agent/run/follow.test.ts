import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openRun } from '../../../db/queries/agent/open-run.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { newRun } from '../../../test/support/new-run.ts';
import { followRun } from './follow.ts';
import { buildPassedLines } from './progress.ts';
import { openWakers } from './wakers.ts';

const database = useTestDatabase();

test('the stream of a run whose next line takes long has a space every 15 s before it', async () => {
  const first = buildPassedLines('validate');
  // The wakers' connection, once it is there, lets the follower read the database.
  const opening = await openRun(database.pool, { ...newRun(7, new Date()), lines: first });
  if (opening.kind !== 'opened') throw new Error(opening.kind);
  const { run } = opening;
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const wakers = openWakers(database, silentLogger);
  const driving = wakers.drive(run, first);
  const stop = new AbortController();
  const dependencies = { db: database.pool, wakers, signal: stop.signal };
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    void followRun(dependencies, { req, res } as Exchange, { run, attempt: 1 });
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
