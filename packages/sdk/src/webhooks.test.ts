import { createHmac } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { verifyWebhook, type WebhookDelivery } from './webhooks.ts';

const event = { network: 'testnet', event: 'Test', data: null, timestampMs: 1, id: 'test:1' };
const body = JSON.stringify(event);
const now = 1_800_000_000;
const key = Buffer.from('0123456789abcdef0123456789abcdef');
const secret = `whsec_${key.toString('base64')}`;

const standard = (by: string | Buffer, { id = event.id, timestamp = now } = {}) =>
  `v1,${createHmac('sha256', by).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
const hex = (by: string) => createHmac('sha256', by).update(body).digest('hex');

const delivery = (headers: Record<string, string> = {}): WebhookDelivery => ({
  body,
  headers: {
    'webhook-id': event.id,
    'webhook-timestamp': String(now),
    'webhook-signature': standard(key),
    'x-svc-signature': hex(secret),
    ...headers,
  },
  secret,
});
const refused = (code: string) => expect.objectContaining({ name: 'WebhookError', code });

beforeEach(() => void vi.useFakeTimers({ now: now * 1000, toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

describe('verifyWebhook', () => {
  test('accepts a delivery that is signed as Standard Webhooks says, whatever form its headers and body have', async () => {
    const { headers, ...rest } = delivery();
    const record = headers as Record<string, string>;
    expect(await verifyWebhook({ ...rest, headers: record })).toEqual(event);
    expect(await verifyWebhook({ ...rest, headers: new Headers(record) })).toEqual(event);
    const upper = Object.fromEntries(
      Object.entries(record).map(([name, value]) => [name.toUpperCase(), value]),
    );
    expect(await verifyWebhook({ ...rest, body: Buffer.from(body), headers: upper })).toEqual(event);
  });

  test('accepts either secret of a rotation, and either signature of one', async () => {
    const both = delivery({ 'webhook-signature': `${standard('the-new-one')} ${standard(key)}` });
    expect(await verifyWebhook(both)).toEqual(event);
    expect(await verifyWebhook({ ...delivery(), secret: ['the-new-one', secret] })).toEqual(event);
    await expect(verifyWebhook({ ...delivery(), secret: ['the-new-one', 'another'] })).rejects.toEqual(
      refused('wrong_signature'),
    );
  });

  test('accepts the signature of the body, only where it is asked for', async () => {
    const alone = { ...delivery(), headers: { 'x-svc-signature': hex(secret) } };
    expect(await verifyWebhook({ ...alone, signature: 'body' })).toEqual(event);
    await expect(verifyWebhook(alone)).rejects.toEqual(refused('missing_header'));
    const wrong = { 'x-svc-signature': hex('another') };
    await expect(verifyWebhook({ ...alone, signature: 'body', headers: wrong })).rejects.toEqual(
      refused('wrong_signature'),
    );
    const short = { 'x-svc-signature': hex(secret).slice(2) };
    await expect(verifyWebhook({ ...alone, signature: 'body', headers: short })).rejects.toEqual(
      refused('wrong_signature'),
    );
  });

  test('refuses another body, id, time or signature', async () => {
    const changes: Partial<WebhookDelivery>[] = [
      { body: body.replace('Test', 'Fest') },
      { headers: { ...delivery().headers, 'webhook-id': 'test:2' } as Record<string, string> },
      { headers: { ...delivery().headers, 'webhook-timestamp': String(now - 1) } as Record<string, string> },
      { headers: { ...delivery().headers, 'webhook-signature': 'v1,' } as Record<string, string> },
      { headers: { ...delivery().headers, 'webhook-signature': 'v1,!!!!' } as Record<string, string> },
      {
        headers: { ...delivery().headers, 'webhook-signature': standard('another') } as Record<
          string,
          string
        >,
      },
    ];
    for (const change of changes) {
      await expect(verifyWebhook({ ...delivery(), ...change })).rejects.toEqual(refused('wrong_signature'));
    }
  });

  test('refuses an attempt that was made too long ago, or too far ahead', async () => {
    for (const [seconds, accepted] of [
      [-301, false],
      [-300, true],
      [300, true],
      [301, false],
    ] as const) {
      const timestamp = now + seconds;
      const headers = {
        'webhook-timestamp': String(timestamp),
        'webhook-signature': standard(key, { timestamp }),
      };
      const verified = verifyWebhook(delivery(headers));
      if (accepted) await expect(verified).resolves.toEqual(event);
      else await expect(verified).rejects.toEqual(refused('outside_tolerance'));
    }
    const odd = verifyWebhook(delivery({ 'webhook-timestamp': 'NaN' }));
    await expect(odd).rejects.toEqual(refused('outside_tolerance'));
  });

  test('takes no secret for a mistake of its caller, and never for a match', async () => {
    for (const none of ['', [], ['', secret]]) {
      await expect(verifyWebhook({ ...delivery(), secret: none })).rejects.toThrow(TypeError);
    }
  });
});
