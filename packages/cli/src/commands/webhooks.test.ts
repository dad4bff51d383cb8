import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { run } from '../run.ts';

const attempt = { number: 1, startedMs: 1, durationMs: 1, outcome: 'delivered', status: 204, error: null };
const sent = { id: '7', eventId: 'test:7', event: 'Test', state: 'delivered', attempts: [attempt] };

test('a test event is found however many events the webhook gets after it', async () => {
  const later = Array.from({ length: 100 }, (_, nth) => ({ ...sent, id: `testnet.17.0.${nth}` }));
  const path = '/api/adaptors/webhooks/wh_1';
  const answers: Record<string, object> = {
    [`POST ${path}/test`]: { ...sent, state: 'pending', attempts: [] },
    [`GET ${path}/deliveries?limit=100`]: { count: 100, deliveries: later, nextCursor: 'older' },
    [`GET ${path}/deliveries/7`]: sent,
  };
  const server = createServer((req, res) => {
    res.setHeader('content-type', 'application/json');
    res.end(JSON.stringify(answers[`${req.method} ${req.url}`]));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const env = { MARKETPLACE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
  let [out, err] = ['', ''];
  const code = await run(['webhooks', 'test', 'wh_1', '--json'], {
    out(text) {
      out += text;
    },
    err(text) {
      err += text;
    },
    env,
    liveErr: false,
  });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(JSON.parse(out)).toMatchObject({ id: '7', state: 'delivered' });
});
