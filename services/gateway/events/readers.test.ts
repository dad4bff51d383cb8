import { request } from 'undici';
import { expect, test } from 'vitest';
import { createMemoryKv } from '../../../lib/kv/memory.ts';
import { startTestGateway } from '../../../test/support/gateway.ts';

/** Opens streams from addresses, of events or of the graph, until the test ends. Resolves to the status of each. */
const openFrom =
  (url: string, closing: AsyncDisposableStack) =>
  async (from: string, ofGraph = false): Promise<number> => {
    const subscription = encodeURIComponent('subscription { eventAdded { cursor } }');
    const path = ofGraph ? `/graphql?query=${subscription}` : '/api/adaptors/events/stream';
    const headers = { 'x-forwarded-for': from, accept: 'text/event-stream' };
    const { statusCode, body } = await request(`${url}${path}`, { headers });
    closing.defer(() => void body.on('error', () => undefined).destroy());
    return statusCode;
  };

test('without a key-value store too, one address holds a hundred streams at most', async () => {
  await using closing = new AsyncDisposableStack();
  const gateway = await startTestGateway((seed) => seed.source(), { trustProxy: 1 });
  closing.defer(() => gateway.close());
  const open = openFrom(gateway.url, closing);
  // Addresses of one /64 are one caller, and streams of events count with those of the graph.
  const streams = Array.from({ length: 110 }, (_, n) => open(`2001:db8:0:1::${n}`, n % 2 === 0));
  const statuses = await Promise.all(streams);
  expect(statuses.filter((status) => status === 200)).toHaveLength(100);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  expect(await open('2001:db8:0:2::1')).toBe(200);
});

test('one address holds a hundred streams at most, which takes none from others', async () => {
  await using closing = new AsyncDisposableStack();
  const access = { kv: createMemoryKv(), anonymousPerMinute: 10_000, trustProxy: 1 };
  const gateway = await startTestGateway((seed) => seed.source(), { access });
  closing.defer(() => gateway.close());
  const open = openFrom(gateway.url, closing);
  const statuses = await Promise.all(Array.from({ length: 110 }, () => open('192.0.2.1')));
  expect(statuses.filter((status) => status === 200)).toHaveLength(100);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
  expect(await open('192.0.2.2')).toBe(200);
});
