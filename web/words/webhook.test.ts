import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { describeOutcome, formatDuration, formatRate, isOverdue, verifySnippet } from './webhook.ts';

test('the snippet accepts a signed delivery, and refuses another', () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  const body = '{"event":"Test"}';
  const signedAt = new Date();
  const headers = {
    'webhook-id': 'test:1',
    'webhook-timestamp': String(Math.floor(signedAt.getTime() / 1_000)),
    'webhook-signature': new Webhook(secret).sign('test:1', signedAt, body),
  };
  // Its import is above, and its process has the secret.
  const code = verifySnippet.replace(/^import .*$/m, '').replace('const event =', 'return');
  const run = new Function('Webhook', 'process', 'body', 'headers', code);
  const process = { env: { WEBHOOK_SECRET: secret } };
  expect(run(Webhook, process, body, headers)).toEqual({ event: 'Test' });
  expect(() => run(Webhook, process, `${body} `, headers)).toThrow();
});

test('a rate with one failure is not 100 %', () => {
  expect(formatRate(9_999, 10_000)).toBe('99.9 %');
  expect(formatRate(3, 3)).toBe('100 %');
  expect(formatRate(0, 3)).toBe('0 %');
});

test('outcomes and durations are words, also those of a later version of the service', () => {
  expect(describeOutcome({ outcome: 'http_status', status: 503 })).toBe('HTTP status 503');
  expect(describeOutcome({ outcome: 'timeout', status: null })).toBe('No answer within 15 s');
  expect(describeOutcome({ outcome: 'new_one', status: null })).toBe('Failed');
  expect([84, 999, 1_200].map(formatDuration)).toEqual(['84 ms', '999 ms', '1.2 s']);
});

test('a delivery that waits for its time is not overdue', () => {
  const nowMs = 1_000_000;
  const due = (dueMs: number | null, state = 'pending') => isOverdue({ state, dueMs }, nowMs);
  expect([due(nowMs + 5_000), due(nowMs - 5_000), due(nowMs - 61_000)]).toEqual([false, false, true]);
  expect([due(null), due(nowMs - 61_000, 'delivered')]).toEqual([false, false]);
});
