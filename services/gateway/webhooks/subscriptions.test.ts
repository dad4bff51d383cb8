import { afterAll, expect, test } from 'vitest';
import { deriveSigningKeys, signBody, signStandard } from '../../../lib/webhooks/signing.ts';
import { openWebhookGateway } from '../../../test/support/webhook-gateway.ts';
import { problem } from '../openapi/parts.ts';
import { subscriptionBody, subscriptionsBody } from './subscription-shapes.ts';

const world = await openWebhookGateway();
const { call, subscribe, refused, run, addEvents, receiver } = world;
afterAll(() => world.close());

test('while a secret is rotated, deliveries carry a signature by each, and then by the new one alone', async () => {
  const [before, after] = ['the-secret-before', 'the-secret-after'];
  const { id } = await subscribe({ url: `${receiver.url}/rotated`, secret: before });
  const change = async (body: unknown) =>
    subscriptionBody.parse((await call('PATCH', `/${id}`, body)).body).previousSecretUntilMs;
  const signed = async () => {
    await call('POST', `/${id}/test`);
    await run();
    const { headers, body } = receiver.received.findLast(({ path }) => path === '/rotated')!;
    const timestamp = Number(headers['webhook-timestamp']);
    const secrets = new Map([before, after].map((secret) => [secret, deriveSigningKeys(secret)]));
    const by = (secret: string) =>
      signStandard(secrets.get(secret)!, String(headers['webhook-id']), timestamp, body);
    const standard = String(headers['webhook-signature']).split(' ');
    return {
      standard: [before, after].filter((secret) => standard.includes(by(secret))),
      plain: [before, after].find(
        (secret) => headers['x-svc-signature'] === signBody(secrets.get(secret)!, body),
      ),
    };
  };
  expect(await signed()).toEqual({ standard: [before], plain: before });

  const startedMs = Date.now();
  const rotation = { secret: after, keepPreviousSecretMs: 600_000 };
  expect(await change(rotation)).toBeGreaterThanOrEqual(startedMs + 600_000);
  expect(await signed()).toEqual({ standard: [before, after], plain: before });
  // A client that lost the answer sends the same request again.
  expect(await change(rotation)).not.toBeNull();
  expect(await signed()).toEqual({ standard: [before, after], plain: before });

  expect(await change({ keepPreviousSecretMs: 0 })).toBeNull();
  expect(await signed()).toEqual({ standard: [after], plain: after });
  // Without a time, the new secret replaces every other at once.
  await change({ secret: before, keepPreviousSecretMs: 600_000 });
  expect(await change({ secret: after })).toBeNull();
  expect(await signed()).toEqual({ standard: [after], plain: after });
  for (const wrong of [
    { keepPreviousSecretMs: 1 },
    { secret: null, keepPreviousSecretMs: 1 },
    { secret: before, keepPreviousSecretMs: 604_800_001 },
  ]) {
    expect(await refused('PATCH', `/${id}`, wrong)).toMatchObject({
      status: 400,
      paths: ['body.keepPreviousSecretMs'],
    });
  }
});

test('what waits is sent to the new url, and a url that may not be sent to is refused', async () => {
  const { id } = await subscribe({ url: `${receiver.url}/old`, events: ['Updated'] });
  const refusal = await refused('PATCH', `/${id}`, { url: 'http://inside.example/' });
  expect(refusal).toMatchObject({ status: 400, code: 'invalid_url', paths: ['body.url'] });
  await addEvents(1, 'Updated');
  const changed = await call('PATCH', `/${id}`, { url: `${receiver.url}/new` });
  expect(subscriptionBody.parse(changed.body).url).toBe(`${receiver.url}/new`);
  await run();
  const paths = receiver.received.map(({ path }) => path);
  expect(paths).toContain('/new');
  expect(paths).not.toContain('/old');
});

test('a webhook gets the events of before a change by the former list, and no old ones by the new', async () => {
  const path = '/changed';
  const { id } = await subscribe({ url: receiver.url + path, events: ['Updated'] });
  const before = await addEvents(2, 'Updated');
  await addEvents(2, 'Attested');
  expect((await call('PATCH', `/${id}`, { events: ['Attested'] })).body).toMatchObject({
    events: ['Attested'],
    backlog: 2,
  });
  await addEvents(2, 'Updated');
  const after = await addEvents(2, 'Attested');
  await run();
  expect(receiver.ids(path)).toEqual([...before, ...after]);
  const listed = subscriptionsBody.parse((await call('GET', '')).body);
  expect(listed.webhooks.find((one) => one.id === id)?.backlog).toBe(0);
});

test('what happened before a pause is sent after it, and what happened meanwhile is not', async () => {
  const path = '/paused';
  const { id } = await subscribe({ url: receiver.url + path, events: ['Updated'] });
  const before = await addEvents(2, 'Updated');
  await call('PATCH', `/${id}`, { state: 'paused' });
  await addEvents(2, 'Updated');
  await run();
  expect(receiver.ids(path)).toEqual([]);
  await call('PATCH', `/${id}`, { state: 'active' });
  const after = await addEvents(2, 'Updated');
  await run();
  expect(receiver.ids(path)).toEqual([...before, ...after]);
});

test('409: changes beyond what a backlog may hold are refused, and change nothing', async () => {
  const { id } = await subscribe({ url: `${receiver.url}/often`, events: ['Updated'] });
  const lists = [['Attested'], ['Updated']];
  let answer = await call('PATCH', `/${id}`, { events: lists[0] });
  for (let n = 1; answer.status === 200 && n < 20; n++) {
    await addEvents(1, 'Updated');
    answer = await call('PATCH', `/${id}`, { events: lists[n % 2] });
  }
  expect(problem.parse(answer.body)).toMatchObject({ status: 409, code: 'too_many_filter_changes' });
  await run();
  expect((await call('PATCH', `/${id}`, { events: ['Unlisted'] })).status).toBe(200);
});
