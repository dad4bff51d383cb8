import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { Webhook } from 'standardwebhooks';
import { afterEach, expect, test } from 'vitest';
import { resendDelivery } from '../../db/queries/webhooks/deliveries.ts';
import { endChild } from '../support/end-child.ts';
import { eventually } from '../support/eventually.ts';
import { startReceiver } from '../support/receiver.ts';
import { useForFile } from '../support/use-for-file.ts';
import { openDispatching } from '../support/webhooks.ts';

const example = join(import.meta.dirname, '../../docs/examples/webhook-receiver.ts');
const secret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`;

const world = useForFile(openDispatching);
const running: ChildProcess[] = [];
afterEach(async () => {
  await world.clear();
  for (const child of running.splice(0)) await endChild(child);
});

/** The documentation's receiver in a process of its own. `lines` are those that it has printed. */
async function startExample() {
  const env = { ...process.env, WEBHOOK_SECRET: secret, PORT: '0' };
  const child = spawn(process.execPath, [example], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  running.push(child);
  let output = '';
  child.stdout.on('data', (chunk) => {
    output += chunk;
  });
  const lines = () =>
    output
      .split('\n')
      .slice(1, -1)
      .map((line) => JSON.parse(line));
  await eventually(async () => expect(output).toContain('receives at'));
  return { url: output.match(/http:\S+/)![0], lines };
}

test('the receiver of the documentation takes what is signed with its secret, each event once', async () => {
  const receiver = await startExample();
  const { id } = await world.subscribe(receiver.url, { secret });
  const expected = await world.addEvents(5);
  const dispatcher = world.dispatcher();
  expect(await dispatcher.dispatch('testnet')).toMatchObject({ delivered: 5, failed: 0 });
  for (const delivery of await world.readSubscriptionDeliveries(id))
    await resendDelivery(world.db.pool, id, delivery.id);
  expect(await dispatcher.dispatch('testnet')).toMatchObject({ delivered: 5, failed: 0 });
  expect(receiver.lines().map(({ id }) => id)).toEqual(expected);
  await dispatcher.close();
});

test('the receiver of the documentation refuses another secret, none, and what was changed on its way', async () => {
  const receiver = await startExample();
  await world.subscribe(receiver.url, { secret: 'another-secret' });
  await world.subscribe(receiver.url);
  await world.addEvents(1);
  const dispatcher = world.dispatcher({ rules: { scheduleMs: [], overloadMs: 0, disableAfterMs: 60_000 } });
  expect(await dispatcher.dispatch('testnet')).toMatchObject({ delivered: 0, failed: 2 });
  await dispatcher.close();

  const { headers, body } = await signed();
  const send = async (changed: Record<string, string>, bytes: Buffer) =>
    (await fetch(receiver.url, { method: 'POST', headers: { ...changed }, body: new Uint8Array(bytes) }))
      .status;
  const pass = Object.fromEntries(Object.entries(headers).filter(([name]) => /^(x-svc|webhook)-/.test(name)));
  expect(await send(pass, body)).toBe(204);
  expect(await send(pass, Buffer.concat([body, Buffer.from(' ')]))).toBe(401);
  expect(await send({ ...pass, 'webhook-timestamp': '1700000000' }, body)).toBe(401);
  expect(await send({ ...pass, 'webhook-id': 'other:0' }, body)).toBe(401);
});

test('while a secret is rotated, receivers with the previous and with the new one accept every delivery', async () => {
  const receiver = await startExample();
  const hourMs = 3_600_000;
  const rotated = async (current: string, previous: string, untilMs: number) => {
    const { id } = await world.subscribe(receiver.url, { secret: current });
    await world.subscriptions.change(id, (subscription) => ({
      ...subscription,
      previousSecret: { sealed: world.secrets.seal(previous, id), untilMs },
    }));
  };
  await rotated(secret, 'the-previous-secret', Date.now() + hourMs);
  await rotated('the-new-secret', secret, Date.now() + hourMs);
  await rotated('the-new-secret', secret, Date.now() - hourMs);
  await world.addEvents(3);
  const dispatcher = world.dispatcher({ rules: { scheduleMs: [], overloadMs: 0, disableAfterMs: 60_000 } });
  expect(await dispatcher.dispatch('testnet')).toMatchObject({ delivered: 6, failed: 3 });
  await dispatcher.close();
});

test('the library of Standard Webhooks verifies what is sent', async () => {
  const { headers, body } = await signed();
  expect(new Webhook(secret).verify(String(body), headers)).toMatchObject({ event: 'Registered' });
  expect(() => new Webhook(`whsec_${'A'.repeat(32)}`).verify(String(body), headers)).toThrow();
});

/** A delivery as a receiver gets it. */
async function signed() {
  const receiver = await startReceiver();
  await world.subscribe(receiver.url, { secret });
  await world.addEvents(1);
  const dispatcher = world.dispatcher();
  await dispatcher.dispatch('testnet');
  await dispatcher.close();
  await receiver.close();
  return receiver.received[0]!;
}
