import { request } from 'undici';
import { beforeAll, expect, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { useTestGateway } from '../../../test/support/gateway.ts';
import { addServiceEvents } from '../../../test/support/service-events.ts';
import { serviceEventBody, serviceEventsBody } from './service-events.ts';

let first: string[];
const gateway = useTestGateway((seed) => seed.source());
beforeAll(async () => {
  first = await addServiceEvents(gateway.db, 5);
  await addServiceEvents(gateway.db, 1, 'Quarantined', { network: 'mainnet' });
});

const path = '/api/adaptors/service-events';
const list = async (query = '') =>
  serviceEventsBody.parse(await (await fetch(`${gateway.url}${path}${query}`)).json());

test('pages by cursor bring every event of the service on a network once, in order, as a webhook gets it', async () => {
  const got: unknown[] = [];
  let after = '';
  for (let more = true; more; ) {
    const { events, cursor, hasMore } = await list(`?limit=2${after}`);
    got.push(...events);
    after = `&after=${cursor}`;
    more = hasMore;
  }
  expect(got.map((event) => (event as { id: string }).id)).toEqual(first);
  expect(got[0]).toEqual({
    network: 'testnet',
    event: 'Quarantined',
    data: { serviceType: '0x1::a::A', publisher: null, reason: 'reason 0' },
    timestampMs: expect.any(Number),
    id: first[0],
  });
  expect(await list(`?limit=2${after}`)).toMatchObject({ count: 0, hasMore: false, cursor: first.at(-1) });
});

test.each(['svc_', 'svc_-1', 'svc_01', '17.0.2', `svc_${'9'.repeat(30)}`])('400: after %s', async (after) => {
  expect((await fetch(`${gateway.url}${path}?after=${encodeURIComponent(after)}`)).status).toBe(400);
});

test('a stream resumes after Last-Event-ID, goes on with what is added, and refuses a cursor of another stream', async () => {
  const { body, statusCode } = await request(`${gateway.url}${path}/stream`, {
    headers: { 'last-event-id': first[2]! },
  });
  expect(statusCode).toBe(200);
  let text = '';
  body.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  body.on('error', () => undefined);
  const ids = () => [...text.matchAll(/^id: (.*)\nevent: Quarantined$/gm)].map(([, id]) => id);
  await eventually(async () => expect(ids()).toEqual(first.slice(3)));
  const [next] = await addServiceEvents(gateway.db, 1);
  await eventually(async () => expect(ids()).toEqual([...first.slice(3), next]));
  const [, data] = /^data: (.*)$/m.exec(text)!;
  expect(serviceEventBody.parse(JSON.parse(data!)).id).toBe(first[3]);
  body.destroy();
  const refused = await fetch(`${gateway.url}${path}/stream`, { headers: { 'last-event-id': '17.0.2' } });
  expect(refused.status).toBe(400);
  expect(await refused.json()).toMatchObject({ code: 'bad_cursor' });
});
