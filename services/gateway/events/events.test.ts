import { once } from 'node:events';
import { request } from 'undici';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { useTestGateway } from '../../../test/support/gateway.ts';
import { registryEvents } from '../../../test/support/registry-events.ts';
import { eventBody, eventsBody } from './events.ts';

/** Fields of a listing beside service type and version. */
const listing = {
  packageId: '0x1',
  publisher: '0x2',
  manifestUri: 'walrus://listing',
  manifestHash: 'f'.repeat(64),
  timestampMs: 1_750_000_000_000,
};
const review = { attester: '0x3', score: 5, commentUri: '', timestampMs: 1_750_000_000_000 };

let addEvents: (count: number, name?: string, data?: object) => Promise<string[]>;
let first: string[];
const gateway = useTestGateway((seed) => seed.source());
beforeAll(async () => {
  const { addEvents: add } = registryEvents(gateway.db);
  addEvents = (count, name = 'Registered', data = {}) =>
    add(count, name, { data: { ...(name === 'Attested' ? review : listing), ...data } });
  // Between two registry events are events of another source, which readers must not see.
  await gateway.db.pool.query(`insert into events (network, checkpoint, tx_index, event_index, source, tx_digest, sender,
    timestamp, type, name, contents) select 'testnet', n, 0, 9, 'wallet', 'w' || n, '', now(), '', 'CoinDeposited', ''
    from generate_series(0, 50) as n`);
  first = await addEvents(30);
});

const list = async (query = '') => {
  const answer = await fetch(`${gateway.url}/api/adaptors/events${query}`);
  return { answer, body: answer.status === 200 ? eventsBody.parse(await answer.json()) : undefined };
};

test('pages by cursor bring every registry event once, in order, and nothing else', async () => {
  const got: string[] = [];
  let after = '';
  for (let more = true; more; ) {
    const { body } = await list(`?limit=7${after}`);
    got.push(...body!.events.map(({ id }) => id));
    after = `&after=${body!.cursor}`;
    more = body!.hasMore;
  }
  expect(got).toEqual(first);
  const { body } = await list(`?limit=7${after}`);
  expect(body).toMatchObject({ count: 0, hasMore: false, cursor: after.slice('&after='.length) });
});

test('an event reads as a webhook gets it', async () => {
  const [event] = (await list('?limit=1')).body!.events;
  expect(event).toEqual({
    network: 'testnet',
    event: 'Registered',
    data: { ...listing, serviceType: '0x1::a::B0', version: 0 },
    timestampMs: 1_750_000_000_000,
    id: first[0],
    cursor: '10.0.0',
  });
});

test('an unchanged answer costs no body', async () => {
  const { answer } = await list();
  const etag = answer.headers.get('etag')!;
  const again = await fetch(`${gateway.url}/api/adaptors/events`, { headers: { 'if-none-match': etag } });
  expect(again.status).toBe(304);
});

test.each(['?after=1', '?after=x.y.z', '?after=99999999999999999999.1.1', '?limit=0', '?limit=1001'])(
  '400: %s',
  async (query) => expect((await list(query)).answer.status).toBe(400),
);

interface Frame {
  id: string;
  event: string;
  data: unknown;
}

/** Reads a stream as an EventSource does. */
async function open(query = '', headers: Record<string, string> = {}) {
  const { statusCode, body } = await request(`${gateway.url}/api/adaptors/events/stream${query}`, {
    headers,
  });
  const frames: Frame[] = [];
  let ended = false;
  let text = '';
  body.on('data', (chunk) => {
    text += chunk;
    const parts = text.split('\n\n');
    text = parts.pop()!;
    for (const part of parts) {
      const fields = Object.fromEntries(part.split('\n').map((line) => line.split(/: ?(.*)/, 2)));
      if (fields.data) frames.push({ id: fields.id, event: fields.event, data: JSON.parse(fields.data) });
    }
  });
  const finish = () => {
    ended = true;
  };
  body.on('close', finish).on('error', finish);
  const ids = () => frames.map(({ data }) => eventBody.parse(data).id);
  return { statusCode, frames, ids, body, ended: () => ended, close: () => body.destroy() };
}

test('a stream goes on after Last-Event-ID, and then brings what comes', async () => {
  const cursor = (await list('?limit=10')).body!.cursor!;
  const resumed = await open('', { 'last-event-id': cursor });
  await eventually(async () => expect(resumed.ids()).toEqual(first.slice(10)));
  const live = await open();
  const all = await open('?after=0.0.0');
  const late = await addEvents(5, 'Attested');
  await eventually(async () => {
    expect(live.ids()).toEqual(late);
    expect(resumed.ids()).toEqual([...first.slice(10), ...late]);
    expect(all.ids()).toEqual([...first, ...late]);
  });
  expect(live.frames[0]).toMatchObject({
    event: 'Attested',
    id: eventBody.parse(live.frames[0]!.data).cursor,
  });
  for (const one of [resumed, live, all]) one.close();
});

test('a stream that starts now begins with the id by which a reader loses nothing', async () => {
  const cursor = (await list('?limit=500')).body!.events.at(-1)!.cursor;
  const { body } = await request(`${gateway.url}/api/adaptors/events/stream`);
  const [head] = await once(body, 'data');
  body.destroy();
  expect(String(head)).toBe(`retry: 2000\nid: ${cursor}\n\n`);
  const missed = await addEvents(1);
  const resumed = await open('', { 'last-event-id': cursor });
  await eventually(async () => expect(resumed.ids()).toEqual(missed));
  resumed.close();
});

test('readers that join while events come miss none and get none twice', async () => {
  const before = (await list('?limit=500')).body!.events.map(({ id }) => id);
  const added: string[] = [];
  const readers: Awaited<ReturnType<typeof open>>[] = [];
  for (let n = 0; n < 10; n++) {
    const [opened, ids] = await Promise.all([open('?after=0.0.0'), addEvents(20)]);
    readers.push(opened);
    added.push(...ids);
  }
  await eventually(async () => {
    for (const one of readers) expect(one.ids()).toEqual([...before, ...added]);
  });
  for (const one of readers) one.close();
});

test('a reader that reads nothing for a while keeps nobody waiting, and misses nothing', async () => {
  const [slow, quick] = [await open(), await open()];
  slow.body.pause();
  const added: string[] = [];
  for (let n = 0; n < 30; n++) {
    added.push(...(await addEvents(5, 'Updated', { padding: 'x'.repeat(100_000) })));
    await eventually(async () => expect(quick.ids()).toEqual(added));
  }
  slow.body.resume();
  // The stream may have been closed because its reader was too slow. Then the reader resumes.
  await eventually(async () => expect(slow.ended() || slow.ids().length === added.length).toBe(true));
  const held = slow.ids();
  const last = slow.frames.at(-1);
  const resumed = await open(last ? '' : '?after=0.0.0', last && { 'last-event-id': last.id });
  await eventually(async () => expect([...held, ...resumed.ids()]).toEqual(added));
  for (const one of [slow, quick, resumed]) one.close();
});

test('400: an id that no stream gave out', async () => {
  expect((await open('', { 'last-event-id': 'abc' })).statusCode).toBe(400);
});

test('streams end when the gateway does, and are not aborted after it waited for them', async () => {
  const one = await open();
  const ended = new Promise<void>((resolve, reject) => void one.body.on('end', resolve).on('error', reject));
  await gateway.stop();
  await ended;
});
