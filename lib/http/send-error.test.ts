import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { sendError } from './exchange.ts';

/** Returns the status and the log lines of a request that fails with an error. */
async function failing(error: unknown) {
  const lines: Record<string, unknown>[] = [];
  const log = pino({}, { write: (line) => void lines.push(JSON.parse(line)) });
  const server = createServer((req, res) => {
    sendError({ req, res, requestId: 'r', startedAtMs: 0, route: '/status' }, error, log);
  });
  onTestFinished(() => void server.close());
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { status } = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  return { status, lines };
}

test('an outage of the database is a warning with its reason, and no stack at each request', async () => {
  const refused = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:5432'), { code: 'ECONNREFUSED' });
  const { status, lines } = await failing(refused);
  expect(status).toBe(503);
  expect(lines).toMatchObject([{ level: 40, reason: refused.message, route: '/status' }]);
  expect(lines[0]).not.toHaveProperty('err');
});

test('what nobody expected is an error with its stack', async () => {
  const { status, lines } = await failing(new TypeError('no such field'));
  expect(status).toBe(500);
  expect(lines).toMatchObject([{ level: 50, err: { type: 'TypeError', stack: expect.any(String) } }]);
});
