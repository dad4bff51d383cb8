import { Registry } from '@prometheus-io/client';
import { expect, onTestFinished, test, vi } from 'vitest';
import { addTestDelivery, resendSince } from '../../db/queries/webhooks/deliveries.ts';
import { listStreams } from '../../db/queries/webhooks/streams.ts';
import { markRemoved } from '../../db/queries/webhooks/subscriptions.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { deriveSigningKeys, signBody, signStandard } from '../../lib/webhooks/signing.ts';
import { webhookEvents } from '../../lib/webhooks/subscriptions.ts';
import { eventually } from '../../test/support/eventually.ts';
import { type Answer, startReceiver } from '../../test/support/receiver.ts';
import { quickRules, useDispatching } from '../../test/support/webhooks.ts';
import { createDisabler, createDispatcherMetrics } from './receivers.ts';

const { world, receiver, dispatcher } = useDispatching();

const deliveries = (subscription: string) => world.readSubscriptionDeliveries(subscription);
const attempts = async (subscription: string) =>
  (await deliveries(subscription)).flatMap(({ attempts }) => attempts);

test('a subscription gets the events after its creation, once each, in order', async () => {
  await world.addEvents(3);
  const { url, ids, received } = await receiver();
  const { id } = await world.subscribe(url);
  const expected = await world.addEvents(250);
  const one = dispatcher();
  expect(await one.dispatch('testnet')).toMatchObject({ events: 250, delivered: 250, failed: 0, pending: 0 });
  expect(ids()).toEqual(expected);
  expect(await one.dispatch('testnet')).toMatchObject({ events: 0, delivered: 0, failed: 0, pending: 0 });
  expect(received[0]!.headers).toMatchObject({
    'x-svc-event': 'Registered',
    'content-type': 'application/json',
  });
  expect(received[0]!.headers).not.toHaveProperty('x-svc-signature');
  expect(new Set((await deliveries(id)).map(({ state }) => state))).toEqual(new Set(['delivered']));
});

test('the body has the five fields, the same bytes at every attempt, under both signatures', async () => {
  let calls = 0;
  const { url, received } = await receiver((response) => response.writeHead(++calls < 3 ? 500 : 200).end());
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
  await world.subscribe(url, { secret });
  const [id] = await world.addEvents(1);
  dispatcher().start();
  await eventually(async () => expect(received).toHaveLength(3));
  const [first] = received;
  const body = JSON.parse(String(first!.body));
  expect(Object.keys(body)).toEqual(['network', 'event', 'data', 'timestampMs', 'id']);
  expect(body).toMatchObject({
    network: 'testnet',
    event: 'Registered',
    id,
    timestampMs: expect.any(Number),
  });
  expect(body.data).toEqual({ serviceType: expect.any(String), version: expect.any(Number) });
  const keys = deriveSigningKeys(secret);
  for (const { headers, body } of received) {
    expect(body.equals(first!.body)).toBe(true);
    expect(headers['x-svc-signature']).toBe(signBody(keys, body));
    expect(headers['webhook-id']).toBe(id);
    const timestamp = Number(headers['webhook-timestamp']);
    expect(headers['webhook-signature']).toBe(signStandard(keys, id!, timestamp, body));
  }
});

test('only the events that were asked for are sent', async () => {
  const { url, ids } = await receiver();
  await world.subscribe(url, { events: ['Attested'] });
  await world.addEvents(5);
  const attested = await world.addEvents(5, 'Attested');
  await dispatcher().dispatch('testnet');
  expect(ids()).toEqual(attested);
});

test.each<[string, Answer, string, number | null]>([
  ['hangs', () => undefined, 'timeout', null],
  [
    'drips',
    (response) => {
      response.writeHead(200);
      const drip = setInterval(() => response.write('x'), 20);
      response.on('close', () => clearInterval(drip));
    },
    'timeout',
    null,
  ],
  ['closes early', (_response, _received, request) => request.socket.destroy(), 'network', null],
  [
    'closes within its answer',
    (response) => response.writeHead(200, { 'content-length': 100 }).write('short', () => response.destroy()),
    'network',
    null,
  ],
  [
    'redirects',
    (response) => response.writeHead(307, { location: 'http://127.0.0.1:1/' }).end(),
    'redirect',
    307,
  ],
  ['answers 500', (response) => response.writeHead(500).end('no'), 'http_status', 500],
  ['answers 404', (response) => response.writeHead(404).end(), 'http_status', 404],
  [
    'answers nonsense',
    (_response, _received, request) => request.socket.end('HTTP/9 yes\r\n\r\n'),
    'network',
    null,
  ],
])(
  'a receiver that %s has a failed attempt, and is tried until the schedule ends',
  async (_, answer, outcome, status) => {
    const { url, received } = await receiver(answer);
    const { id } = await world.subscribe(url);
    await world.addEvents(1);
    dispatcher(outcome === 'timeout' ? { timeoutMs: 100 } : {}).start();
    await eventually(async () =>
      expect(await deliveries(id)).toMatchObject([{ state: 'failed', dueMs: null }]),
    );
    const all = await attempts(id);
    expect(all).toHaveLength(1 + quickRules.scheduleMs.length);
    for (const attempt of all) expect(attempt).toMatchObject({ outcome, status, error: expect.any(String) });
    // A time can be up before a slow machine has sent anything.
    if (outcome !== 'timeout') expect(received).toHaveLength(all.length);
  },
);

test('an answer of gigabytes counts by its status, and only its beginning is read', async () => {
  const closed = Promise.withResolvers<void>();
  const { url } = await receiver((response) => {
    const push = () => {
      while (response.write('x'.repeat(100_000)));
      response.once('drain', push);
    };
    response.on('close', closed.resolve);
    push();
  });
  const { id } = await world.subscribe(url);
  await world.addEvents(1);
  expect(await dispatcher().dispatch('testnet')).toMatchObject({ delivered: 1 });
  await closed.promise;
  const [attempt] = await attempts(id);
  expect(attempt).toMatchObject({ outcome: 'delivered', status: 200 });
  expect(attempt?.response).toBe('x'.repeat(1_000));
});

test('three hundred receivers that hang delay no other, not even one on the same host', async () => {
  const shared = await startReceiver(
    (response, { path }) => path === '/quick' && response.writeHead(204).end(),
  );
  for (let n = 0; n < 300; n++) await world.subscribe(`${shared.url}/hanging`);
  const quick = await world.subscribe(`${shared.url}/quick`);
  await world.addEvents(1);
  const one = dispatcher();
  one.start();
  await eventually(async () => expect(shared.ids('/hanging')).toHaveLength(300));
  const later = await world.addEvents(20);
  await eventually(async () => expect(shared.ids('/quick').slice(1)).toEqual(later));
  await eventually(async () => {
    expect(await deliveries(quick.id)).toEqual(
      Array(21).fill(expect.objectContaining({ state: 'delivered' })),
    );
  });
  expect(shared.ids('/hanging')).toHaveLength(300);
  // Ends the hanging exchanges, so that the dispatcher need not wait for them.
  const closed = one.close();
  await shared.close();
  await closed;
});

test('410 ends the subscription: nothing more is sent', async () => {
  const { url, received } = await receiver((response) => response.writeHead(410).end());
  const { id } = await world.subscribe(url);
  await world.addEvents(10);
  const one = dispatcher();
  await one.dispatch('testnet');
  await world.addEvents(10);
  await one.dispatch('testnet');
  expect(received).toHaveLength(1);
  expect(await world.subscriptions.find(id)).toMatchObject({ state: 'disabled', disabledReason: 'gone' });
});

test('410 of a url that its owner has replaced meanwhile does not end the subscription', async () => {
  const { url: next, received } = await receiver();
  const { url } = await receiver(async (response) => {
    await world.subscriptions.change(id, (record) => ({ ...record, url: next }));
    response.writeHead(410).end();
  });
  const { id } = await world.subscribe(url);
  const expected = await world.addEvents(1);
  await dispatcher().dispatch('testnet');
  expect(await world.subscriptions.find(id)).toMatchObject({ state: 'active' });
  expected.push(...(await world.addEvents(1)));
  // The event that got the 410 is sent to the new url, as those that wait.
  await eventually(async () => {
    await dispatcher().dispatch('testnet');
    expect(received.map(({ headers }) => headers['webhook-id']).toSorted()).toEqual(expected.toSorted());
  });
});

test('a deleted subscription that an older copy of the store brings back is deleted from it', async () => {
  const { url, received } = await receiver();
  const { id } = await world.subscribe(url);
  await world.addEvents(1);
  await markRemoved(world.db.pool, id);
  await dispatcher().dispatch('testnet');
  expect(await world.subscriptions.find(id)).toBeUndefined();
  expect(received).toEqual([]);
});

test('failures that its owner has resumed a subscription after do not disable it', async () => {
  const { id } = await world.subscribe('https://unused.example/');
  const { db, subscriptions } = world;
  const metrics = createDispatcherMetrics(new Registry());
  const options = { db, subscriptions, log: silentLogger, failingMs: 1_000 };
  const disable = createDisabler(options, metrics, () => undefined);
  await disable(id, { reason: 'failing' });
  expect(await subscriptions.find(id)).toMatchObject({ state: 'active' });
  await db.pool.query(
    `update webhook_subscriptions set failing_since = now() - interval '2 s' where subscription = $1`,
    [id],
  );
  await disable(id, { reason: 'failing' });
  expect(await subscriptions.find(id)).toMatchObject({ state: 'disabled', disabledReason: 'failing' });
});

test.each(['', 'not json', '[]', '{"id":"wh_1"}'])(
  'what another program put in the place of a subscription (%j) ends the delivery of no other',
  async (foreign) => {
    const { id: broken } = await world.subscribe('https://unused.example/');
    await world.kv.set(`wh:${broken}`, foreign);
    const { url, ids } = await receiver();
    await world.subscribe(url);
    const expected = await world.addEvents(2);
    await dispatcher().dispatch('testnet');
    expect(ids()).toEqual(expected);
    expect(await world.subscriptions.find(broken)).toBeUndefined();
    await world.subscriptions.remove(broken);
  },
);

test('subscriptions are read again once one has changed, and not otherwise', async () => {
  const { url, ids } = await receiver();
  const { id } = await world.subscribe(url);
  const expected = await world.addEvents(1);
  const survey = vi.spyOn(world.subscriptions, 'survey');
  const one = dispatcher();
  await one.dispatch('testnet');
  const surveys = survey.mock.calls.length;
  expected.push(...(await world.addEvents(1)));
  await one.dispatch('testnet');
  expect(survey).toHaveBeenCalledTimes(surveys);
  await world.subscriptions.change(id, (record) => ({ ...record, url: `${url}/moved` }));
  expected.push(...(await world.addEvents(1)));
  await one.dispatch('testnet');
  expect(survey).toHaveBeenCalledTimes(surveys + 1);
  await world.subscribe(url);
  await one.dispatch('testnet');
  expect(survey).toHaveBeenCalledTimes(surveys + 2);
  await markRemoved(world.db.pool, id);
  await world.subscriptions.remove(id);
  await one.dispatch('testnet');
  expect(survey).toHaveBeenCalledTimes(surveys + 3);
  expect(ids()).toEqual(expected);
  survey.mockRestore();
});

test('nothing but failure for too long disables the subscription', async () => {
  const { url } = await receiver((response) => response.writeHead(500).end());
  const { id } = await world.subscribe(url);
  await world.addEvents(1);
  dispatcher({ rules: { ...quickRules, disableAfterMs: 20 } }).start();
  await eventually(async () =>
    expect(await world.subscriptions.find(id)).toMatchObject({
      state: 'disabled',
      disabledReason: 'failing',
    }),
  );
});

test('a host whose clock is days wrong disables no subscription early', async () => {
  const { url } = await receiver((response) => response.writeHead(500).end());
  const { id } = await world.subscribe(url);
  await world.addEvents(1);
  const days = 24 * 3_600_000;
  vi.setSystemTime(Date.now() - 10 * days);
  onTestFinished(() => void vi.useRealTimers());
  dispatcher({ rules: { ...quickRules, disableAfterMs: 5 * days } }).start();
  await eventually(async () => {
    expect(await deliveries(id)).toMatchObject([{ state: 'failed' }]);
  });
  expect(await world.subscriptions.find(id)).toMatchObject({ state: 'active' });
});

test('the time of failing ends with a success', async () => {
  let fail = true;
  const { url } = await receiver((response) => response.writeHead(fail ? 500 : 200).end());
  const { id } = await world.subscribe(url);
  const failingSince = async () => {
    const { rows } = await world.db.pool.query(
      'select failing_since from webhook_subscriptions where subscription = $1',
      [id],
    );
    return rows[0].failing_since;
  };
  await world.addEvents(20);
  const one = dispatcher();
  expect(await one.dispatch('testnet')).toMatchObject({ failed: expect.any(Number), delivered: 0 });
  const since = await failingSince();
  expect(since).toBeInstanceOf(Date);
  fail = false;
  await world.addEvents(1);
  one.start();
  await eventually(async () => expect(await failingSince()).toBeNull());
});

test('first attempts keep the order of the events while earlier ones are tried again', async () => {
  const failedOnce = new Set<string>();
  const { url, ids } = await receiver((response, { body }) => {
    const { id } = JSON.parse(String(body));
    const fail = !failedOnce.has(id) && id.endsWith(':1');
    failedOnce.add(id);
    response.writeHead(fail ? 503 : 200).end();
  });
  await world.subscribe(url);
  const expected = await world.addEvents(60);
  dispatcher().start();
  await eventually(async () => expect(ids()).toHaveLength(90));
  expect([...new Set(ids())]).toEqual(expected);
});

test('after a 429 the subscription is left alone for a while', async () => {
  let calls = 0;
  const { url, received } = await receiver((response) => response.writeHead(++calls === 1 ? 429 : 200).end());
  await world.subscribe(url);
  await world.addEvents(5);
  dispatcher({ rules: { ...quickRules, overloadMs: 300 } }).start();
  await eventually(async () => expect(received).toHaveLength(6));
  expect(received[1]!.atMs - received[0]!.atMs).toBeGreaterThan(250);
});

test('after a 429 a test event that the owner asks for is sent, and the events before it still wait', async () => {
  let calls = 0;
  const { url, ids } = await receiver((response) => response.writeHead(++calls === 1 ? 429 : 200).end());
  const { id } = await world.subscribe(url);
  const [first] = await world.addEvents(3);
  const one = dispatcher({ rules: { ...quickRules, overloadMs: 3_600_000 } });
  await one.dispatch('testnet');
  const delivery = await addTestDelivery(world.db.pool, id, 'testnet', {});
  await one.dispatch('testnet');
  expect(ids()).toEqual([first, `test:${delivery}`]);
});

test('what is paused waits, and what happens meanwhile is not queued', async () => {
  const { url, ids } = await receiver();
  const { id } = await world.subscribe(url);
  await world.change(id, { state: 'paused' });
  await world.addEvents(3);
  const one = dispatcher();
  await one.dispatch('testnet');
  await world.change(id, { state: 'active' });
  const expected = await world.addEvents(3);
  await one.dispatch('testnet');
  expect(ids()).toEqual(expected);
});

test('what was not sent during a pause, or before it was asked for, is sent again on request, each once', async () => {
  const { url, ids } = await receiver();
  const { id } = await world.subscribe(url);
  const one = dispatcher();
  const sent = await world.addEvents(1);
  await one.dispatch('testnet');
  await world.change(id, { state: 'paused' });
  const paused = await world.addEvents(3);
  await one.dispatch('testnet');
  await world.change(id, { state: 'active' });
  await one.dispatch('testnet');
  const later = await world.addEvents(1);
  expect(ids()).toEqual(sent);

  const [stream] = listStreams('testnet');
  const { rows } = await world.db.pool.query('select timestamp as since from events where tx_digest = $1', [
    sent[0]!.split(':')[0],
  ]);
  const resending = {
    subscription: id,
    events: webhookEvents,
    stream: stream!,
    since: rows[0].since,
    limit: 100,
  };
  await resendSince(world.db.pool, resending);
  await one.dispatch('testnet');
  // An event of an earlier test can have the same time.
  const own = [...sent, ...paused, ...later];
  const got = ids().filter((event) => own.includes(event));
  expect(got.toSorted()).toEqual([...sent, ...own].toSorted());
});

test('a subscription that was paused has passed the pause when it is active again', async () => {
  const { url } = await receiver();
  const { id } = await world.subscribe(url);
  const one = dispatcher();
  for (let times = 0; times < 3; times += 1) {
    await world.change(id, { state: 'paused' });
    await world.addEvents(2);
    await one.dispatch('testnet');
    await world.change(id, { state: 'active' });
    await one.dispatch('testnet');
  }
  const { rows } = await world.db.pool.query(
    `select jsonb_array_length(segments) as segments from webhook_positions where subscription = $1 and stream = 'testnet'`,
    [id],
  );
  expect(rows).toEqual([{ segments: 1 }]);
});

test('a subscription whose secret cannot be opened gets nothing, and others get theirs', async () => {
  const [unsigned, other] = [await receiver(), await receiver()];
  await world.subscribe(unsigned.url, { sealedSecret: 'A'.repeat(80) });
  await world.subscribe(other.url, { secret: 'a secret of its own'.replaceAll(' ', '-') });
  await world.addEvents(2);
  expect(await dispatcher().dispatch('testnet')).toMatchObject({ delivered: 2, pending: 2 });
  expect([unsigned.received.length, other.received.length]).toEqual([0, 2]);
});

test('a name that resolves to a private address later is not connected to', async () => {
  const { url, received } = await receiver();
  const { port } = new URL(url);
  const { id } = await world.subscribe(`http://rebind.example:${port}/`);
  await world.addEvents(1);
  const lookup = (_name: string, _options: unknown, callback: (error: null, found: object[]) => void) =>
    callback(null, [{ address: '127.0.0.1', family: 4 }]);
  const guarded = dispatcher({ outboundOptions: { allowCidrs: [], lookup: lookup as never } });
  expect(await guarded.dispatch('testnet')).toMatchObject({ delivered: 0 });
  expect((await attempts(id))[0]).toMatchObject({ outcome: 'forbidden_address', status: null });
  expect(received).toHaveLength(0);
});

test('two dispatchers and the scheduled dispatch at once send each event once', async () => {
  const receivers = await Promise.all(Array.from({ length: 5 }, () => receiver()));
  for (const { url } of receivers) for (let n = 0; n < 2; n++) await world.subscribe(url);
  const [a, b] = [dispatcher(), dispatcher()];
  a.start();
  b.start();
  const events: string[] = [];
  for (let n = 0; n < 10; n++) {
    events.push(...(await world.addEvents(20)));
    await b.dispatch('testnet');
  }
  await eventually(async () => {
    for (const { received } of receivers) expect(received.length).toBeGreaterThanOrEqual(400);
  });
  for (const { ids } of receivers) expect(ids().toSorted()).toEqual([...events, ...events].toSorted());
});

test('what a dead dispatcher held waits until its lease is over, and then another sends it', async () => {
  const { url, ids } = await receiver();
  const { id } = await world.subscribe(url);
  const expected = await world.addEvents(3);
  const lease = (until: string) =>
    world.db.pool.query(
      `insert into webhook_subscriptions (subscription, lease, leased_until) values ($1, 'dead', ${until})
        on conflict (subscription) do update set leased_until = excluded.leased_until`,
      [id],
    );
  await lease(`now() + interval '1 hour'`);
  const one = dispatcher();
  expect(await one.dispatch('testnet')).toMatchObject({ delivered: 0, pending: 3 });
  await lease(`now() - interval '1 second'`);
  expect(await one.dispatch('testnet')).toMatchObject({ delivered: 3, pending: 0 });
  expect(ids()).toEqual(expected);
});

test('a lease is renewed while there is more to send, and a dispatcher that lost it stops sending', async () => {
  const gate = Promise.withResolvers<void>();
  const { url, ids } = await receiver(async (response) => {
    await gate.promise;
    response.writeHead(204).end();
  });
  const { id } = await world.subscribe(url);
  const expected = await world.addEvents(5);
  // The lease is never long enough for one more exchange, so it is renewed before each.
  const one = dispatcher({ timeoutMs: 600_000, leaseMs: 600_000 });
  const dispatched = one.dispatch('testnet');
  await eventually(async () => expect(ids()).toHaveLength(1));
  await world.db.pool.query(`update webhook_subscriptions set lease = 'another' where subscription = $1`, [
    id,
  ]);
  gate.resolve();
  expect(await dispatched).toMatchObject({ delivered: 1, pending: 4 });
  await world.db.pool.query(`update webhook_subscriptions set leased_until = null where subscription = $1`, [
    id,
  ]);
  expect(await one.dispatch('testnet')).toMatchObject({ delivered: 4, pending: 0 });
  expect(ids()).toEqual(expected);
});

test('a delivery whose event is gone fails with the reason, holds up no other, and does not count against the receiver', async () => {
  let status = 500;
  const { url, ids } = await receiver((response) => response.writeHead(status).end());
  const { id } = await world.subscribe(url);
  const [gone, kept] = await world.addEvents(2);
  await dispatcher({ rules: { ...quickRules, scheduleMs: [3_600_000] } }).dispatch('testnet');
  await world.db.pool.query(
    `delete from events where (checkpoint, tx_index, event_index) in (
      select checkpoint, tx_index, event_index from webhook_retries order by 1, 2, 3 limit 1)`,
  );
  await world.db.pool.query('update webhook_retries set due_at = now()');
  status = 204;
  const report = await dispatcher().dispatch('testnet');
  expect(report).toMatchObject({ delivered: 1, failed: 1, pending: 0 });
  expect(ids()).toEqual([gone, kept, kept]);
  expect((await deliveries(id)).map(({ state, attempts }) => [state, attempts.at(-1)?.outcome])).toEqual([
    ['failed', 'missing_event'],
    ['delivered', 'delivered'],
  ]);

  await world.db.pool.query(
    `insert into webhook_retries (subscription, stream, checkpoint, tx_index, event_index, event, due_at)
    values ($1, 'testnet', 1e9, 0, 0, 'Registered', now())`,
    [id],
  );
  expect(await dispatcher().dispatch('testnet')).toMatchObject({ failed: 1, pending: 0 });
  const { rows } = await world.db.pool.query('select failing_since from webhook_subscriptions');
  expect(rows).toEqual([{ failing_since: null }]);
});
