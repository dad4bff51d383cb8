import { afterAll, describe, expect, test } from 'vitest';
import { openSubscriptions } from '../../../lib/webhooks/subscriptions.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { asAdmin, cronSecret, issueTestKey } from '../../../test/support/keys.ts';
import { address } from '../../../test/support/read-model.ts';
import { openWebhookGateway } from '../../../test/support/webhook-gateway.ts';
import { quickRules } from '../../../test/support/webhooks.ts';
import { statisticsBody } from './attempts.ts';
import { deliveriesBody, deliveryBody, resentBody, sentDeliveryBody } from './deliveries.ts';
import { subscriptionsBody } from './subscription-shapes.ts';

const world = await openWebhookGateway();
const { gateway, kv, dispatcher, receiver, otherKey, addEvents, call, subscribe, refused, run } = world;
afterAll(() => world.close());

test('a subscription is answered with what was asked for, and delivers from then on', async () => {
  const { id, url, events } = await subscribe();
  expect({ id, url, events }).toEqual({
    id: expect.stringMatching(/^wh_/),
    url: receiver.url,
    events: ['Registered'],
  });
  const [first] = await addEvents(1);
  expect(await run()).toEqual({
    network: 'testnet',
    cursor: expect.stringMatching(/^\d+\.\d+\.\d+$/),
    events: 1,
    delivered: 1,
    failed: 0,
    pending: 0,
    missing: 0,
  });
  expect(receiver.ids()).toContain(first);
  const { body } = await call('GET', `/${id}/deliveries`);
  expect(deliveriesBody.parse(body)).toMatchObject({
    count: 1,
    deliveries: [
      { eventId: first, state: 'delivered', attempts: [{ number: 1, outcome: 'delivered', status: 204 }] },
    ],
  });
});

test('a subscription about one listing names it in the long form', async () => {
  const about = { serviceType: '0x1::jar::Jar', publisher: '0xa' };
  const { status, body } = await call('POST', '', { url: receiver.url, events: ['Updated'], ...about });
  expect([status, body.serviceType, body.publisher, body.wallet]).toEqual([
    200,
    `${address(1)}::jar::Jar`,
    address(10),
    null,
  ]);
  await call('DELETE', `/${body.id}`);
});

test('a key has no more than a hundred webhooks, however many are asked for at once', async () => {
  const { key: busy, id: owner } = await issueTestKey(gateway.url, { ratePerMin: 100_000 });
  const fields = { owner, url: receiver.url, events: ['Registered' as const], state: 'paused' as const };
  const { add } = openSubscriptions(kv);
  await Promise.all(
    Array.from({ length: 95 }, (_, n) => add({ ...fields, id: `wh_${owner}${n}`, createdMs: n })),
  );
  const headers = { 'x-api-key': busy };
  const ask = () => call('POST', '', { url: receiver.url, events: ['Registered'] }, headers);
  const answers = await Promise.all(Array.from({ length: 8 }, ask));
  const refusals = answers.flatMap(({ status, body }) => (status === 200 ? [] : [[status, body.code]]));
  expect(refusals).toEqual(Array(3).fill([409, 'too_many_webhooks']));
  await Promise.all(
    answers.flatMap(({ body: { id } }) => (id ? [call('DELETE', `/${id}`, undefined, headers)] : [])),
  );
});

describe('400', () => {
  const events = ['Registered'];
  const url = 'https://outside.example/hook';
  test.each([
    ['a url that is none', { url: 'hook', events }, 'body.url'],
    ['another protocol', { url: 'ftp://outside.example/', events }, 'body.url'],
    ['javascript', { url: 'javascript:alert(1)', events }, 'body.url'],
    ['credentials', { url: 'https://me:secret@outside.example/', events }, 'body.url'],
    ['a name that leads inside', { url: 'https://inside.example/', events }, 'body.url'],
    ['metadata', { url: 'http://169.254.169.254/latest/', events }, 'body.url'],
    ['a mapped address', { url: 'http://[::ffff:10.0.0.1]/', events }, 'body.url'],
    ['loopback by another spelling', { url: 'http://[::1]/', events }, 'body.url'],
    ['a private address as a number', { url: 'http://167772161/', events }, 'body.url'],
    ['a private address in octal', { url: 'http://012.0.0.1/', events }, 'body.url'],
    ['a url without end', { url: `https://outside.example/${'a'.repeat(3000)}`, events }, 'body.url'],
    ['no url', { events }, 'body.url'],
    ['no events', { url }, 'body.events'],
    ['an empty list', { url, events: [] }, 'body.events'],
    ['an unknown event', { url, events: ['Sold'] }, 'body.events.0'],
    ['an event twice', { url, events: ['Updated', 'Updated'] }, 'body.events'],
    ['a service type that is none', { url, events, serviceType: 'Jar' }, 'body.serviceType'],
    ['a publisher that is not an address', { url, events, publisher: 'reef' }, 'body.publisher'],
    ['an empty secret', { url, events, secret: '' }, 'body.secret'],
    ['a secret that is not Unicode', { url, events, secret: '\ud800' }, 'body.secret'],
    ['a secret of a thousand letters', { url, events, secret: 'x'.repeat(1000) }, 'body.secret'],
    ['a secret that is a number', { url, events, secret: 12345678 }, 'body.secret'],
  ])('%s', async (_, body, path) => {
    const refusal = await refused('POST', '', body);
    expect([refusal.status, refusal.paths]).toEqual([400, expect.arrayContaining([path])]);
    expect(refusal.detail).not.toContain('10.0.0.7');
  });

  test('an unknown field, so that a misspelt secret leaves no webhook unsigned', async () => {
    expect(await refused('POST', '', { url, events, header: 'x' })).toMatchObject({ status: 400 });
    expect(await refused('POST', '', { url, events, secert: 'a-secret-of-mine' })).toMatchObject({
      status: 400,
      detail: 'body.secert: unknown field; did you mean secret?',
    });
  });
  test('no JSON', async () => {
    expect(await refused('POST', '', '{')).toMatchObject({ status: 400, code: 'not_json' });
  });
  test.each([[{}], [{ since: 'yesterday' }], [{ since: -1 }], [{ since: 1, network: 'devnet' }]])(
    'resend of %j',
    async (body) => {
      const { id } = await subscribe();
      expect(await refused('POST', `/${id}/resend`, body)).toMatchObject({ status: 400 });
    },
  );
  test.each(['limit=0', 'limit=101', 'state=lost', 'cursor=abc', 'page=2'])(
    'deliveries with %s',
    async (query) => {
      const { id } = await subscribe();
      expect((await refused('GET', `/${id}/deliveries?${query}`)).status).toBe(400);
    },
  );
});

test('413: a body beyond its bound', async () => {
  expect((await refused('POST', '', { url: 'x'.repeat(20_000), events: [] })).status).toBe(413);
});

test('401: subscribing needs a key or the admin secret, dispatching a secret of the host', async () => {
  const body = { url: receiver.url, events: ['Registered'] };
  expect(await refused('POST', '', body, {})).toMatchObject({ status: 401 });
  expect(await refused('POST', '', body, { 'x-api-key': 'mk_wrong' })).toMatchObject({ status: 401 });
  expect(await refused('GET', '/dispatch')).toMatchObject({ status: 401 });
  expect(await refused('GET', '/dispatch', undefined, {})).toMatchObject({ status: 401 });
  expect((await call('GET', '/dispatch', undefined, { authorization: `Bearer ${cronSecret}` })).status).toBe(
    200,
  );
});

test('the dispatch of a scheduler is never kept by a cache', async () => {
  const { headers } = await call('GET', '/dispatch?network=testnet', undefined, asAdmin);
  expect(headers.get('cache-control')).toBe('no-store');
});

test("404: one key's webhooks are not there for another; the admin sees whose they are", async () => {
  const { id } = await subscribe();
  const other = { 'x-api-key': otherKey };
  for (const [method, path, body] of [
    ['PATCH', `/${id}`, { state: 'paused' }],
    ['DELETE', `/${id}`],
    ['POST', `/${id}/test`],
    ['POST', `/${id}/resend`, { since: 0 }],
    ['GET', `/${id}/deliveries`],
    ['GET', `/${id}/deliveries/1`],
    ['GET', `/statistics?id=${id}`],
    ['POST', `/${id}/deliveries/1/resend`],
    ['DELETE', '/wh_nothing'],
  ] as const) {
    expect(await refused(method, path, body, other)).toMatchObject({
      status: 404,
      code: 'webhook_not_found',
    });
  }
  expect(subscriptionsBody.parse((await call('GET', '', undefined, other)).body).count).toBe(0);
  const all = subscriptionsBody.parse((await call('GET', '', undefined, asAdmin)).body);
  expect(all.webhooks.find((one) => one.id === id)?.owner).toMatch(/^key_/);
});

test('a secret of one character is accepted, with a warning; one of sixteen has none', async () => {
  const hook = { url: receiver.url, events: ['Updated'] };
  const short = await call('POST', '', { ...hook, secret: 'é' });
  expect([short.status, short.body.signing]).toEqual([200, 'ready']);
  expect(short.body.warnings).toMatchObject([{ code: 'short_secret' }]);
  const long = { secret: 'a secret of 16 c' };
  expect((await call('POST', '', { ...hook, ...long })).body).not.toHaveProperty('warnings');
  const change = (secret: string) => call('PATCH', `/${short.body.id}`, { secret });
  expect((await change('another')).body.warnings).toMatchObject([{ code: 'short_secret' }]);
  expect((await change(long.secret)).body).not.toHaveProperty('warnings');
});

test('a secret is neither shown nor readable in the store', async () => {
  const secret = 'a-secret-that-nobody-shall-see';
  const answer = await call('POST', '', { url: receiver.url, events: ['Updated'], secret });
  expect(answer.body.signing).toBe('ready');
  const listed = await call('GET', '');
  expect(answer.text + listed.text).not.toContain(secret);
  const stored = await kv.get(`wh:${answer.body.id}`);
  expect(stored).toContain('sealedSecret');
  expect(stored).not.toContain(secret);
  expect(stored).not.toContain(Buffer.from(secret).toString('base64url').slice(0, 30));
});

test('a webhook is paused, resumed and deleted', async () => {
  const { id } = await subscribe({ events: ['Unlisted'] });
  expect((await call('PATCH', `/${id}`, { state: 'paused' })).body.state).toBe('paused');
  expect(await refused('POST', `/${id}/test`)).toMatchObject({ status: 409, code: 'webhook_not_active' });
  expect((await call('PATCH', `/${id}`, { state: 'active' })).body.state).toBe('active');
  expect((await call('PATCH', `/${id}`, { secret: 'another-secret' })).body.signing).toBe('ready');
  expect((await call('PATCH', `/${id}`, { secret: null })).body.signing).toBe('none');
  expect((await refused('PATCH', `/${id}`, {})).status).toBe(400);
  await addEvents(1, 'Unlisted');
  await run();
  expect((await call('DELETE', `/${id}`)).status).toBe(204);
  for (const table of ['webhook_positions', 'webhook_retries', 'webhook_log']) {
    const { rows } = await gateway.db.pool.query(`select from ${table} where subscription = $1`, [id]);
    expect(rows).toEqual([]);
  }
  expect(await refused('DELETE', `/${id}`)).toMatchObject({ status: 404 });
  // The cursor does not wait for it, as it does for one that the store has lost.
  await addEvents(1, 'Unlisted');
  expect((await run()).missing).toBe(0);
});

test('a test event arrives, signed, under its own name', async () => {
  const { id } = await subscribe({ url: `${receiver.url}/test`, secret: 'secret-of-the-test' });
  const delivery = deliveryBody.parse((await call('POST', `/${id}/test`)).body);
  expect(delivery).toMatchObject({ event: 'Test', state: 'pending', eventId: `test:${delivery.id}` });
  await run();
  const got = receiver.received.find(({ path }) => path === '/test');
  expect(got?.headers).toMatchObject({ 'x-svc-event': 'Test', 'x-svc-signature': expect.any(String) });
  expect(JSON.parse(String(got?.body))).toEqual({
    network: 'testnet',
    event: 'Test',
    data: { webhook: id },
    timestampMs: delivery.createdMs,
    id: `test:${delivery.id}`,
  });
});

test('what failed is seen with its attempts, and sent again on request: one, or all since a time', async () => {
  const path = '/again';
  const { id } = await subscribe({ url: receiver.url + path, events: ['Updated'] });
  world.answerWith(500);
  const events = await addEvents(3, 'Updated');
  await eventually(async () => expect((await run()).pending).toBe(0));
  const { deliveries } = deliveriesBody.parse((await call('GET', `/${id}/deliveries?state=failed`)).body);
  expect(deliveries.map(({ eventId }) => eventId)).toEqual(events.toReversed());
  expect(deliveries[0]?.attempts).toHaveLength(1 + quickRules.scheduleMs.length);
  expect(deliveries[0]?.attempts[0]).toMatchObject({
    outcome: 'http_status',
    status: 500,
    response: 'the answer',
  });
  const listed = subscriptionsBody.parse((await call('GET', '')).body);
  expect(listed.webhooks.find((one) => one.id === id)?.failingSinceMs).toBeGreaterThan(0);

  world.answerWith(204);
  receiver.received.length = 0;
  await call('POST', `/${id}/deliveries/${deliveries[0]?.id}/resend`);
  await run();
  expect(receiver.ids(path)).toEqual([events[2]]);

  const resent = resentBody.parse((await call('POST', `/${id}/resend`, { since: 0 })).body);
  expect(resent).toEqual({ count: 3 });
  await run();
  expect(receiver.ids(path).slice(1).toSorted()).toEqual(events.toSorted());
  const none = new Date(Date.now() + 60_000).toISOString();
  expect((await call('POST', `/${id}/resend`, { since: none })).body).toEqual({ count: 0 });
  expect(await refused('POST', `/${id}/deliveries/999999/resend`)).toMatchObject({
    code: 'delivery_not_found',
  });
});

test('a delivery shows the very body that the receiver got, of an event and of a test', async () => {
  const { id } = await subscribe({ url: `${receiver.url}/bodies`, events: ['Updated'] });
  await addEvents(1, 'Updated');
  const tested = deliveryBody.parse((await call('POST', `/${id}/test`)).body);
  const fetchSentDelivery = async (delivery: string) =>
    sentDeliveryBody.parse((await call('GET', `/${id}/deliveries/${delivery}`)).body);
  const before = (await fetchSentDelivery(tested.id)).body;
  await run();
  const got = receiver.received.filter(({ path }) => path === '/bodies').map(({ body }) => String(body));
  expect(got).toContain(before);
  const { deliveries } = deliveriesBody.parse((await call('GET', `/${id}/deliveries`)).body);
  const sent = await Promise.all(deliveries.map((one) => fetchSentDelivery(one.id)));
  expect(sent.map(({ body }) => body).toSorted()).toEqual(got.toSorted());
  expect(sent.map(({ eventId }) => eventId)).toEqual(sent.map(({ body }) => JSON.parse(body).id));
  for (const unknown of ['999999', 'testnet.9.9.9', 'x'])
    expect(await refused('GET', `/${id}/deliveries/${unknown}`)).toMatchObject({
      code: 'delivery_not_found',
    });
});

test('statistics are those of the key, or of the one that is named', async () => {
  const { id } = await subscribe({ url: `${receiver.url}/counted`, events: ['Updated'] });
  const unsent = await subscribe();
  world.answerWith(500);
  await addEvents(1, 'Updated');
  await eventually(async () => expect((await run()).pending).toBe(0));
  world.answerWith(204);
  await call('POST', `/${id}/test`);
  await run();
  const of = async (query: string, headers?: Record<string, string>) =>
    statisticsBody.parse((await call('GET', `/statistics${query}`, undefined, headers)).body).webhooks;
  const own = (await of('')).find((one) => one.id === id);
  expect(own).toMatchObject({ attempts: 2 + quickRules.scheduleMs.length, delivered: 1 });
  expect(own?.lastFailure).toMatchObject({ outcome: 'http_status', status: 500 });
  expect(own?.medianMs).toBe(own?.p95Ms);
  expect(await of(`?id=${id}`)).toEqual([own]);
  expect(await of(`?id=${unsent.id}`)).toMatchObject([{ attempts: 0, medianMs: null, lastFailure: null }]);
  expect(await of('', { 'x-api-key': otherKey })).toEqual([]);
  expect(await of(`?id=${id}`, asAdmin)).toEqual([own]);
  expect(await refused('GET', '/statistics?ids=x')).toMatchObject({ status: 400 });
});

test('deliveries come in pages, the newest first', async () => {
  const { id } = await subscribe({ events: ['Attested'] });
  const events = await addEvents(5, 'Attested');
  await run();
  const pages: string[] = [];
  for (let query = '?limit=2'; query; ) {
    const page = deliveriesBody.parse((await call('GET', `/${id}/deliveries${query}`)).body);
    pages.push(...page.deliveries.map(({ eventId }) => eventId));
    query = page.nextCursor ? `?limit=2&cursor=${page.nextCursor}` : '';
  }
  expect(pages).toEqual(events.toReversed());
});

test('a webhook that the store has lost is listed as missing to its owner and to the admin, until it is deleted', async () => {
  const { id } = await subscribe();
  const missing = async (headers?: Record<string, string>) =>
    subscriptionsBody.parse((await call('GET', '', undefined, headers)).body).missing;
  expect(await missing()).not.toContain(id);
  await kv.delete(`wh:${id}`);
  await kv.hashDelete('webhooks', id);
  expect(await missing()).toContain(id);
  expect(await missing(asAdmin)).toContain(id);
  expect(await missing({ 'x-api-key': otherKey })).not.toContain(id);
  expect((await call('DELETE', `/${id}`)).status).toBe(204);
  expect(await missing(asAdmin)).not.toContain(id);
});

test('a webhook that the store has lost is deleted by its owner, and by no other', async () => {
  const { id } = await subscribe();
  await kv.delete(`wh:${id}`);
  await kv.hashDelete('webhooks', id);
  await kv.delete('webhooks:version');
  expect(await run()).toMatchObject({ missing: 1 });
  const status = await (await fetch(`${gateway.url}/status`)).json();
  expect(status).toMatchObject({ webhooks: { missing: 1 } });
  expect(await refused('DELETE', `/${id}`, undefined, { 'x-api-key': otherKey })).toMatchObject({
    status: 404,
  });
  expect((await call('DELETE', `/${id}`)).status).toBe(204);
  expect(await run()).toMatchObject({ missing: 0 });
});

test('a dispatcher that runs sends without being asked', async () => {
  await subscribe({ url: `${receiver.url}/live`, events: ['Registered'] });
  dispatcher.start();
  const expected = await addEvents(3);
  await eventually(async () => expect(receiver.ids('/live')).toEqual(expected));
});
