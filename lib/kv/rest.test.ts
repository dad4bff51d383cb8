import { createServer } from 'node:http';
import { Registry } from '@prometheus-io/client';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { listenLocally } from '../../test/support/listen-locally.ts';
import { manualTimeLimit } from '../../test/support/manual-time-limit.ts';
import { createKv } from './index.ts';

test.concurrent.each([
  ['a page of something in between', 502, 'text/html', '<h1>Bad gateway</h1>', /502 without JSON/],
  ['a wrong token', 401, 'application/json', '{"error":"Unauthorized"}', /Unauthorized/],
  ['neither a result nor an error', 200, 'application/json', '[]', /neither a result nor an error/],
  ['another kind of value', 200, 'application/json', '{"result":"x"}', /something other than a list/],
])('a REST store that answers %s is out, and the log says why', async (_what, status, type, body, reason) => {
  await using closing = new AsyncDisposableStack();
  const logged: { level: number; reason?: string }[] = [];
  let requests = 0;
  const server = createServer((req, res) => {
    requests += 1;
    req.resume();
    res.writeHead(status, { 'content-type': type }).end(body);
  });
  const { url, close } = await listenLocally(server);
  closing.defer(close);
  const log = pino({ level: 'debug' }, { write: (line: string) => logged.push(JSON.parse(line)) });
  const { limit, isUp } = manualTimeLimit();
  const options = { log, metrics: new Registry(), timeLimit: limit };
  const opening = createKv({ kind: 'rest', url, token: 'a-secret-token' }, options);
  // The client sends the next request after it has received the first response.
  await eventually(() => expect(requests).toBeGreaterThan(1));
  isUp(true);
  const kv = await opening;
  closing.defer(() => kv.close());
  expect(logged.filter(({ level }) => level >= 50).map((line) => line.reason)).toEqual([
    expect.stringMatching(reason),
  ]);
  expect(JSON.stringify(logged)).not.toContain('a-secret-token');
});
