import { setTimeout as delay } from 'node:timers/promises';
import { request } from 'undici';
import { afterAll, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import { type Database, openDatabase } from '../../../db/client.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { useTestGateway } from '../../../test/support/gateway.ts';
import { registryEvents } from '../../../test/support/registry-events.ts';
import { startTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.ts';

/** Proxy between the gateway and its database. The test itself connects without it. */
let proxy: TcpProxy;
let proxied: Database;
let addEvents: ReturnType<typeof registryEvents>['addEvents'];

const gateway = useTestGateway(
  (seed) => seed.source(),
  async ({ directUrl: url }) => {
    proxy = await startTcpProxy(url);
    proxied = openDatabase(proxy.url, { max: 4 });
    return { db: proxied };
  },
);
beforeAll(() => {
  ({ addEvents } = registryEvents(gateway.db));
});
afterAll(async () => {
  await gateway.stop();
  await proxied.close();
  await proxy.cut();
});
beforeEach(() => {
  vi.restoreAllMocks();
});

/** Follows a subscription as an EventSource does: if its stream is cut, it resumes after the last id that it has. */
function follow(query: string) {
  const values: unknown[] = [];
  const stop = new AbortController();
  let streams = 0;
  let last: string | undefined;

  async function readStream(): Promise<void> {
    const { statusCode, body } = await request(`${gateway.url}/graphql?query=${encodeURIComponent(query)}`, {
      headers: { accept: 'text/event-stream', ...(last !== undefined && { 'last-event-id': last }) },
      signal: stop.signal,
    });
    if (statusCode !== 200) return await body.dump();
    let text = '';
    for await (const chunk of body) {
      text += chunk;
      const parts = text.split('\n\n');
      text = parts.pop()!;
      for (const part of parts) {
        const [, id] = /^id: (.+)$/m.exec(part) ?? [];
        last = id ?? last;
        const [, data] = /^event: next\ndata: (.+)$/m.exec(part) ?? [];
        if (data !== undefined) values.push(JSON.parse(data).data);
        // Each stream begins like this.
        else if (part.startsWith('retry: ')) streams += 1;
      }
    }
  }

  const ended = (async () => {
    while (!stop.signal.aborted) {
      await readStream().catch(() => undefined);
      await delay(20);
    }
  })();
  return {
    values,
    /** Number of streams that have begun. */
    streams: () => streams,
    async stop() {
      stop.abort();
      await ended;
    },
  };
}

interface EventValue {
  eventAdded: { event: { eventId: string } };
}

test('events that come while the database is away reach a subscriber when it is back, each once and in order', async () => {
  const subscriber = follow('subscription { eventAdded { event { eventId } } }');
  const ids = () => (subscriber.values as EventValue[]).map(({ eventAdded }) => eventAdded.event.eventId);
  try {
    await eventually(() => expect(subscriber.streams()).toBe(1));
    const added = await addEvents(5);
    await eventually(() => expect(ids()).toEqual(added));
    for (let outage = 0; outage < 2; outage++) {
      await proxy.cut();
      added.push(...(await addEvents(120)));
      await proxy.restore();
      added.push(...(await addEvents(3)));
      await eventually(() => expect(ids()).toEqual(added));
    }
  } finally {
    await subscriber.stop();
  }
});

test('a value whose entry cannot be read is not sent without it: its reader resumes before it, and gets it whole', async () => {
  const subscriber = follow('subscription { adaptorChanged { serviceType adaptor { manifest { name } } } }');
  try {
    await eventually(() => expect(subscriber.streams()).toBe(1));
    const { query } = proxied.pool;
    let isCut = false;
    vi.spyOn(proxied.pool, 'query').mockImplementation(async (...args: unknown[]) => {
      const [{ name }] = args as [{ name?: string }];
      if (name?.startsWith('find-listed-entries') && !isCut) {
        isCut = true;
        await proxy.cut();
      }
      return await Reflect.apply(query, proxied.pool, args);
    });
    const added = await gateway.seed.listing({ manifest: { name: 'Added' } });
    await eventually(() => expect(isCut).toBe(true));
    await proxy.restore();
    await eventually(() => expect(subscriber.values.length).toBeGreaterThan(0));
    expect(subscriber.values).toEqual([
      { adaptorChanged: { serviceType: added.serviceType, adaptor: { manifest: { name: 'Added' } } } },
    ]);
    expect(subscriber.streams()).toBeGreaterThan(1);
  } finally {
    await subscriber.stop();
  }
});
