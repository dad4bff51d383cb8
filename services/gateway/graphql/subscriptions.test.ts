import { once } from 'node:events';
import { createServer } from 'node:http';
import { request } from 'undici';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { quarantine } from '../../../db/queries/catalog/quarantines.ts';
import { createMemoryKv } from '../../../lib/kv/memory.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { startTestGateway, type TestGateway, testPackages } from '../../../test/support/gateway.ts';
import { graphReaders, type StreamedValue } from '../../../test/support/graph-readers.ts';
import { listenLocally } from '../../../test/support/listen-locally.ts';
import { address } from '../../../test/support/read-model.ts';
import { registryEvents } from '../../../test/support/registry-events.ts';
import { walletRows } from '../../../test/support/wallet-rows.ts';

let gateway: TestGateway;
let addEvents: ReturnType<typeof registryEvents>['addEvents'];
const closing: (() => unknown)[] = [];
const readers = graphReaders(() => gateway.url);
const { subscribe, openRaw } = readers;
beforeEach(async () => {
  gateway = await startTestGateway((seed) => seed.source(), { network: testPackages });
  ({ addEvents } = registryEvents(gateway.db));
});
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
  readers.close();
  await gateway.close();
});

const events =
  'subscription ($after: String) { eventAdded(after: $after) { cursor event { eventId name } } }';
const listEventIds = ({ values }: { values: StreamedValue[] }) =>
  values.map(({ event }) => (event as { eventId: string }).eventId);

/** Resolves when this number of streams is open. */
async function streams(count: number): Promise<void> {
  await eventually(async () => {
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
    expect(metrics).toContain(`event_stream_readers ${count}\n`);
  });
}

test('a subscriber gets what comes, and resumes after a cut without loss or doubling', async () => {
  const before = await addEvents(3);
  const first = subscribe(events);
  await streams(1);
  const early = await addEvents(7);
  await eventually(async () => expect(listEventIds(first)).toEqual(early));
  first.stop();
  await streams(0);
  const missed = await addEvents(120);
  const resumed = subscribe(events, { after: first.values[3]!.cursor });
  const late = await addEvents(5);
  await eventually(async () =>
    expect(listEventIds(resumed)).toEqual([...early.slice(4), ...missed, ...late]),
  );
  const all = subscribe(events, { after: '0.0.0' });
  await eventually(async () => expect(listEventIds(all)).toEqual([...before, ...early, ...missed, ...late]));
});

test('a browser resumes with Last-Event-ID', async () => {
  const query = 'subscription { eventAdded { event { eventId } } }';
  const first = await openRaw(query);
  await streams(1);
  const ids = await addEvents(4);
  await eventually(async () => expect(first.ids()).toEqual(ids));
  const resumed = await openRaw(query, { 'last-event-id': first.cursors()[1]! });
  await eventually(async () => expect(resumed.ids()).toEqual(ids.slice(2)));
});

test('subscribers who join while events come miss none and get none twice', async () => {
  const added: string[] = [];
  const readers: ReturnType<typeof subscribe>[] = [];
  for (let n = 0; n < 10; n++) {
    readers.push(subscribe(events, { after: '0.0.0' }));
    added.push(...(await addEvents(30)));
  }
  await eventually(async () => {
    for (const reader of readers) expect(listEventIds(reader)).toEqual(added);
  });
});

test('events are filtered by their names and their service type', async () => {
  const named = subscribe('subscription { eventAdded(names: ["Attested"]) { cursor event { eventId } } }');
  const typed = subscribe(
    'subscription { eventAdded(serviceType: "0x1::a::B1") { cursor event { eventId data } } }',
  );
  await streams(2);
  const registered = await addEvents(3);
  const attested = await addEvents(2, 'Attested');
  await eventually(async () => {
    expect(listEventIds(named)).toEqual(attested);
    expect(listEventIds(typed)).toEqual([registered[1]]);
  });
});

test('an owner follows the listings of all granted services at once: one that is quarantined comes, others do not', async () => {
  const { seed, db } = gateway;
  const [first, second, other] = [await seed.listing(), await seed.listing(), await seed.listing()];
  const services = [first.serviceType, second.serviceType];
  const query = `subscription ($services: [String!], $after: String) { adaptorChanged(serviceTypes: $services, after: $after) {
    cursor serviceType adaptor { version } } }`;
  const follower = subscribe(query, { services });
  await streams(1);
  const decision = { network: 'testnet', reason: 'It drains grants', operator: 'Ada' };
  for (const { serviceType } of [other, second, first])
    await quarantine(db.pool, { ...decision, subject: serviceType });
  const removed = [second, first].map(({ serviceType }) => ({ serviceType, adaptor: null }));
  await eventually(() => expect(follower.values).toMatchObject(removed));
  const resumed = subscribe(query, { services, after: follower.values[0]!.cursor });
  await eventually(() => expect(resumed.values).toMatchObject(removed.slice(1)));
  const tooMany = Array(101).fill(first.serviceType);
  const refused = subscribe(query, { services: tooMany });
  await eventually(() => expect(refused.codes).toEqual(['invalid_argument']));
});

test('a listing that the catalog no longer shows by default comes without its entry, and one that it never showed does not', async () => {
  const { seed, db } = gateway;
  const left = await seed.listing();
  const [shown, all] = ['', '(includeUnverified: true)'].map((args) =>
    subscribe(`subscription { adaptorChanged${args} { cursor publisher adaptor { publisherVerified } } }`),
  );
  await streams(2);
  const stranger = await seed.listing({ row: { publisherCheck: 'unverified' } });
  await db.pool.query(`update listings set publisher_check = 'unverified' where publisher = $1`, [
    left.publisher,
  ]);
  await seed.refresh();
  const last = await seed.listing();
  await eventually(() => {
    for (const { values } of [shown!, all!])
      expect(values.at(-1)).toMatchObject({ publisher: last.publisher });
  });
  const [verified, unverified] = [true, false].map((publisherVerified) => ({
    adaptor: { publisherVerified },
  }));
  expect(all!.values).toMatchObject([
    { ...unverified, publisher: stranger.publisher },
    { ...unverified, publisher: left.publisher },
    { ...verified, publisher: last.publisher },
  ]);
  expect(shown!.values).toMatchObject([
    { adaptor: null, publisher: left.publisher },
    { ...verified, publisher: last.publisher },
  ]);
});

const changes = `subscription ($after: String) { adaptorChanged(after: $after) {
  cursor serviceType adaptor { version manifest { name } } } }`;

test('a change of the catalog comes with the entry, read once for all who subscribed', async () => {
  await gateway.seed.listing({ manifest: { name: 'First' } });
  const subscribers = Array.from({ length: 40 }, () => subscribe(changes));
  const others = Array.from({ length: 5 }, (_, n) =>
    subscribe(`subscription { adaptorChanged { cursor a${n}: publisher adaptor { version } } }`),
  );
  await streams(45);
  const spy = vi.spyOn(gateway.served.pool, 'query');
  const added = await gateway.seed.listing({ manifest: { name: 'Second' } });
  await eventually(async () => {
    for (const { values } of subscribers) {
      expect(values.at(-1)).toMatchObject({
        serviceType: added.serviceType,
        adaptor: { version: 1, manifest: { name: 'Second' } },
      });
    }
    for (const { values } of others) expect(values.at(-1)?.adaptor).toEqual({ version: 1 });
  });
  const reads = spy.mock.calls.map(([statement]) => (statement as { name?: string }).name ?? '');
  spy.mockRestore();
  const values = subscribers[0]!.values.length;
  expect(reads.filter((name) => name.startsWith('find-listed-entries')).length).toBeLessThanOrEqual(values);

  const again = subscribe(changes, { after: subscribers[0]!.values.at(-1)!.cursor });
  await streams(46);
  const third = await gateway.seed.listing({ manifest: { name: 'Third' } });
  await eventually(async () => expect(again.values.at(-1)?.serviceType).toBe(third.serviceType));
  expect(new Set(again.values.map(({ serviceType }) => serviceType))).toEqual(new Set([third.serviceType]));
});

/** Stores an event of a source as the indexer does. */
async function addEvent(source: string, name: string, data: object, checkpoint: number): Promise<void> {
  await gateway.db.pool.query(
    `with added as (
      insert into events (network, checkpoint, tx_index, event_index, source, tx_digest, sender, timestamp, type, name, data,
        contents) values ('testnet', $4::bigint, 0, 0, $1::text, 'd' || $4::bigint, '0x1', now(), '0x1::m::' || $2::text, $2::text, $3, '')
    ) insert into sources (network, name, chain_id, filter, last_checkpoint, last_tx_index, last_event_index)
      values ('testnet', $1::text, 'chain', 'filter', $4::bigint, 0, 0)
      on conflict (network, name) do update set last_checkpoint = excluded.last_checkpoint,
        last_tx_index = 0, last_event_index = 0
      returning pg_notify('indexed', 'testnet')`,
    [source, name, data, checkpoint],
  );
}

test('events of a wallet and of a job come with their state', async () => {
  const rows = walletRows(gateway.db);
  const walletId = await rows.wallet(address(1));
  const jobId = await rows.job(address(2), { walletId });
  const ofWallet = subscribe(
    `subscription { walletChanged(walletId: "${walletId}") { cursor eventName wallet { owner } } }`,
  );
  const ofJob = subscribe(
    `subscription { jobChanged(jobId: "${jobId}") { cursor eventName job { provider } } }`,
  );
  await streams(2);
  await addEvent('wallet', 'WalletPaused', { walletId: address(9) }, 100);
  await addEvent('wallet', 'WalletPaused', { walletId }, 101);
  await addEvent('escrow', 'JobFunded', { jobId }, 102);
  await eventually(async () => {
    expect(ofWallet.values).toEqual([
      { cursor: '101.0.0', eventName: 'WalletPaused', wallet: { owner: address(1) } },
    ]);
    expect(ofJob.values).toEqual([
      { cursor: '102.0.0', eventName: 'JobFunded', job: { provider: address(2) } },
    ]);
  });
});

test('a reader that reads nothing keeps nobody waiting, takes little memory, and misses nothing when it reads', async () => {
  const query = 'subscription { eventAdded { event { eventId data } } }';
  const slow = await openRaw(query);
  const quick = await openRaw(query);
  slow.body.pause();
  await streams(2);
  const added: string[] = [];
  for (let n = 0; n < 30; n++) {
    added.push(...(await addEvents(5, 'Updated', { data: { padding: 'x'.repeat(100_000) } })));
    await eventually(async () => expect(quick.ids()).toEqual(added));
  }
  // The kernel buffers an unknown part of the stream, but less than 15 MB.
  expect(slow.ids().length).toBeLessThan(added.length);
  slow.body.resume();
  await eventually(async () => expect(slow.ended() || slow.ids().length === added.length).toBe(true));
  const held = slow.ids();
  const resumed = await openRaw(query, { 'last-event-id': slow.cursors().at(-1) ?? '0.0.0' });
  await eventually(async () => expect([...held, ...resumed.ids()]).toEqual(added));
});

test('a query may be asked for as a stream of one value', async () => {
  const { values, ended } = subscribe('{ adaptors { totalCount } }');
  await eventually(async () => expect([values, ended()]).toEqual([[{ totalCount: 0 }], true]));
});

test('one address holds a hundred streams at most, of the graph and of REST together', async () => {
  const access = { kv: createMemoryKv(), anonymousPerMinute: 10_000, trustProxy: 1 };
  const limited = await startTestGateway((seed) => seed.source(), { access });
  closing.push(() => limited.close());
  const open = async (path: string) => {
    const { statusCode, body } = await request(`${limited.url}${path}`, {
      headers: { accept: 'text/event-stream' },
    });
    closing.push(() => void body.on('error', () => undefined).destroy());
    return statusCode;
  };
  const graph = `/graphql?query=${encodeURIComponent('subscription { eventAdded { cursor } }')}`;
  const paths = Array.from({ length: 110 }, (_, n) => (n % 2 ? graph : '/api/adaptors/events/stream'));
  const statuses = await Promise.all(paths.map(open));
  expect(statuses.filter((status) => status === 200)).toHaveLength(100);
  expect(statuses.filter((status) => status === 429)).toHaveLength(10);
});

test('streams end when the gateway does', async () => {
  const stream = await openRaw(events);
  const ended = once(stream.body, 'end');
  await gateway.stop();
  await ended;
});

describe('progress of a run', () => {
  // A detail may have the words of a publisher. JSON leaves U+2028 and U+2029 as they are.
  const steps = ['validate', 'draft', 'sign', 'confirm'].map((step) => ({
    step,
    status: 'done',
    detail: `${step}\u2028and\u2029\u0085more`,
  }));
  const query =
    'subscription ($after: String) { runProgress(runId: "7", after: $after) { cursor step status detail } }';

  /** Starts a gateway whose agent service returns the lines of run 7 to callers with its key. */
  async function withAgent(): Promise<void> {
    const server = createServer((req, res) => {
      if (req.headers.authorization !== 'Bearer right') {
        res.writeHead(401, { 'content-type': 'application/problem+json' });
        return res.end(JSON.stringify({ code: 'unauthorized', detail: 'No credential of the wallet.' }));
      }
      const from = Number(new URL(req.url!, 'http://x').searchParams.get('from'));
      res.writeHead(200, { 'content-type': 'application/x-ndjson' });
      return res.end(
        steps
          .slice(from)
          .map((step) => `${JSON.stringify(step)}\n`)
          .join(''),
      );
    });
    const { url: agentUrl, close } = await listenLocally(server);
    closing.push(close);
    await gateway.close();
    gateway = await startTestGateway(undefined, { network: testPackages, agentUrl });
  }

  test('comes to who has the credential of its wallet, from the first step or after a cursor, until it ends', async () => {
    await withAgent();
    const all = subscribe(query, {}, { authorization: 'Bearer right' });
    await eventually(async () => expect(all.ended()).toBe(true));
    expect(all.values).toEqual(steps.map((step, at) => ({ cursor: String(at + 1), ...step })));
    const rest = subscribe(query, { after: '3' }, { authorization: 'Bearer right' });
    await eventually(async () => expect(rest.ended()).toBe(true));
    expect(rest.values).toEqual([{ cursor: '4', ...steps[3] }]);
  });

  test.each([
    ['no credential', {}],
    ['a wrong one', { authorization: 'Bearer wrong' }],
  ])('is refused with %s', async (_, headers: Record<string, string>) => {
    await withAgent();
    const refused = subscribe(query, {}, headers);
    await eventually(async () => expect([refused.ended(), refused.codes]).toEqual([true, ['unauthorized']]));
    expect(refused.paths).toEqual(['runProgress']);
    expect(refused.values).toEqual([]);
  });
});
