import { request } from 'undici';
import { expect, test } from 'vitest';
import { memoryKv } from '../../../lib/kv/memory.ts';
import { silentLogger } from '../../../lib/log/index.ts';
import { startTestGateway } from '../../../test/support/gateway.ts';

test('one address holds a hundred streams at most, which takes none from others', async () => {
  await using closing = new AsyncDisposableStack();
  const access = { kv: memoryKv(), anonymousPerMinute: 10_000, trustProxy: 1 };
  const gateway = await startTestGateway((seed) => seed.source(), silentLogger, {}, access);
  closing.defer(() => gateway.close());
  const open = async (from: string) => {
    const headers = { 'x-forwarded-for': from };
    const { statusCode, body } = await request(`${gateway.url}/api/adaptors/events/stream`, { headers });
    closing.defer(() => void body.on('error', () => undefined).destroy());
    return statusCode;
  };
  const statuses = await Promise.all(Array.from({ length: 110 }, () => open('192.0.2.1')));
  expect(statuses.filter((status) => status === 200)).toHaveLength(100);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  expect(await open('192.0.2.2')).toBe(200);
});
