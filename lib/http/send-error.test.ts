import { createServer } from 'node:http';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { listenLocally } from '../../test/support/listen-locally.ts';
import { sendError } from './exchange.ts';

/** Returns the status and the log lines of a request that fails with an error. */
async function failing(error: unknown) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  const server = createServer((req, res) => {
    sendError({ req, res, requestId: 'r', startedAtMs: 0, route: '/status' }, error, log);
  });
  const { url, close } = await listenLocally(server);
  onTestFinished(close);
  const { status } = await fetch(url);
  return { status, lines };
}

test('an outage of the database is a warning with its reason, and no stack at each request', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
  const { status, lines } = await failing(refused);
  expect(status).toBe(503);
  expect(lines).toMatchObject([{ level: 40, reason: refused.message, route: '/status' }]);
  expect(lines[0]).not.toHaveProperty('err');
});

test('an unexpected error is logged with its stack', async () => {
  const { status, lines } = await failing(new TypeError('no such field'));
  expect(status).toBe(500);
  expect(lines).toMatchObject([{ level: 50, err: { type: 'TypeError', stack: expect.any(String) } }]);
});
