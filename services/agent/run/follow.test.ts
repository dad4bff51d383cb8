import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test, vi } from 'vitest';
import { openRun } from '../../../db/queries/agent/open-run.ts';
import { RunFailedError } from '../../../lib/agent/run-failure.ts';
import type { RunStep } from '../../../lib/agent/shapes.ts';
import type { Exchange } from '../../../lib/http/exchange.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { useTestDatabase } from '../../../test/support/database.ts';
import { newRun } from '../../../test/support/new-run.ts';
import { followRun } from './follow.ts';
import { buildPassedLines, Progress } from './progress.ts';
import { openWakers, type Wakers } from './wakers.ts';

const database = useTestDatabase();

/** Opens a run with two lines. */
async function open(): Promise<{ run: number; lines: RunStep[] }> {
  const lines = buildPassedLines('validate');
  const opening = await openRun(database.pool, { ...newRun(7, new Date()), lines });
  if (opening.kind !== 'opened') throw new Error(opening.kind);
  return { run: opening.run, lines };
}

/** Wakers as those of one process. */
function openProcess(): Wakers {
  const wakers = openWakers(database, silentLogger);
  onTestFinished(() => wakers.close());
  return wakers;
}

/** Serves the stream of a run, as the process with these wakers does. */
async function serveStream(wakers: Wakers, run: number): Promise<{ url: string; stop: AbortController }> {
  const stop = new AbortController();
  const dependencies = { db: database.pool, wakers, signal: stop.signal };
  const server = createServer((req: IncomingMessage, res: ServerResponse) => {
    const from = Number(new URL(req.url!, 'http://x').searchParams.get('from'));
    void followRun(dependencies, { req, res } as Exchange, { run, attempt: 1 }, from);
  });
  onTestFinished(() => {
    stop.abort();
    server.close();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, stop };
}

const interrupted = new RunFailedError('interrupted', 'The service stopped.');

/** Ends a run as the process with these wakers does when it takes the run up. */
async function end(wakers: Wakers, { run, lines }: { run: number; lines: RunStep[] }): Promise<void> {
  const progress = new Progress({
    db: database.pool,
    log: silentLogger,
    now: () => new Date(),
    signal: new AbortController().signal,
    wakers,
    run,
    worker: 7,
    nextPosition: lines.length,
    step: 'authorize',
  });
  await progress.fail(interrupted);
}

test.each(['the process that takes the run up', 'another process'])(
  'who has lines that a crash of the database lost gets the last line of the run, from %s',
  async (which) => {
    const opened = await open();
    const own = openProcess();
    const { url } = await serveStream(own, opened.run);
    const answer = await fetch(`${url}?from=9`);
    await end(which === 'another process' ? openProcess() : own, opened);
    const last = { step: 'authorize', status: 'error', code: 'interrupted', detail: interrupted.message };
    expect((await answer.text()).trim()).toBe(JSON.stringify(last));
    // So does who attaches when it is over.
    expect((await (await fetch(`${url}?from=9`)).text()).trim()).toBe(JSON.stringify(last));
  },
);

test('the stream of a run whose next line takes long has a space every 15 s before it', async () => {
  // The wakers' connection, once it is there, lets the follower read the database.
  const { run, lines: first } = await open();
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const wakers = openProcess();
  const driving = wakers.drive(run, first);
  onTestFinished(() => {
    vi.useRealTimers();
    driving[Symbol.dispose]();
  });
  const { url, stop } = await serveStream(wakers, run);
  const asked = request(url).end();
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
