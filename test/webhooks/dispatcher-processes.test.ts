import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeAll, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { adminSecret } from '../support/keys.ts';
import { startReceiver } from '../support/receiver.ts';
import { createDataDir, startService } from '../support/service.ts';
import { useForFile } from '../support/use-for-file.ts';
import { openDispatching } from '../support/webhooks.ts';

const command = join(import.meta.dirname, '../../services/dispatcher/command.ts');

const world = useForFile(openDispatching);
let env: Record<string, string>;
beforeAll(() => {
  env = {
    DATABASE_URL: world.db.directUrl,
    REDIS_URL: world.redisUrl,
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    LOG_LEVEL: 'error',
  };
});
afterEach(() => world.clear());

const { PATH, NODE_COMPILE_CACHE } = process.env;
const dispatch = (...args: string[]) =>
  promisify(execFile)(process.execPath, [command, ...args], { env: { PATH, NODE_COMPILE_CACHE, ...env } });

test('npm run dispatch sends what is due, prints what it did, and ends', async () => {
  await using receiver = await closing(startReceiver());
  await world.subscribe(receiver.url, { secret: 'a-secret-of-the-test' });
  const expected = await world.addEvents(3);
  const { stdout } = await dispatch('--network', 'testnet', '--seconds', '600');
  const counts = { events: 3, delivered: 3, failed: 0, pending: 0, missing: 0 };
  expect(JSON.parse(stdout)).toEqual({ network: 'testnet', cursor: expect.any(String), ...counts });
  expect(receiver.ids()).toEqual(expected);
  expect(receiver.received[0]!.headers['x-svc-signature']).toMatch(/^[0-9a-f]{64}$/);
});

test('npm run dispatch waits for subscriptions that the store has lost, until their loss is accepted', async () => {
  await using receiver = await closing(startReceiver());
  const { id } = await world.subscribe(receiver.url);
  await world.addEvents(1);
  await dispatch('--network', 'testnet', '--seconds', '600');
  expect(receiver.ids()).toHaveLength(1);
  await world.kv.delete(`wh:${id}`);
  await world.addEvents(1);
  const reports = (stdout: string) =>
    stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  const { stdout: waiting } = await dispatch('--network', 'testnet', '--seconds', '600');
  expect(reports(waiting)).toMatchObject([{ delivered: 0, pending: 1, missing: 1 }]);
  const { stdout } = await dispatch('--network', 'testnet', '--seconds', '600', '--forget-missing');
  expect(reports(stdout)).toMatchObject([{ forgotten: 1 }, { missing: 0 }]);
});

test('npm run dispatch without a store that others share says what to set', async () => {
  env = { ...env, REDIS_URL: 'memory:' };
  await expect(dispatch()).rejects.toThrow(/set REDIS_URL to a Redis/);
  env = { ...env, REDIS_URL: world.redisUrl };
});

test('a process with the dispatcher alone sends by itself, and exposes its metrics', async () => {
  await using receiver = await closing(startReceiver());
  await world.subscribe(receiver.url);
  const dataDir = await createDataDir();
  const service = startService(dataDir.dir, ['dispatcher'], {
    ...env,
    LOG_LEVEL: 'info',
    METRICS_PORT: '0',
    // No node listens there, and a dispatcher does not call one.
    SUI_TESTNET_RPC_URL: 'http://127.0.0.1:1',
    TESTNET_REGISTRY_PACKAGE_ID: '0x1',
    TESTNET_REGISTRY_OBJECT_ID: '0x2',
  });
  const expected = await world.addEvents(2);
  await eventually(async () => expect(receiver.ids()).toEqual(expected));
  const url = service.output().match(/http:[^"\s]+\/metrics/)![0];
  await eventually(async () =>
    expect(await (await fetch(url)).text()).toMatch(/webhook_attempts_total\{outcome="delivered"\} 2\n/),
  );
  const other = await fetch(url.replace('/metrics', '/other?x=1'));
  expect(await other.json()).toMatchObject({ status: 404, detail: expect.stringContaining('GET /other.') });
  service.process.kill();
  expect(await service.exited).toBe(0);
  await dataDir.remove();
});

async function closing<T extends { close(): Promise<void> }>(opening: Promise<T>) {
  const opened = await opening;
  return Object.assign(opened, { [Symbol.asyncDispose]: () => opened.close() });
}
