import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { createDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createDataDir, startService } from '../support/service.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';

let created: Awaited<ReturnType<typeof createDatabase>>;
let dataDir: Awaited<ReturnType<typeof createDataDir>>;
let proxy: TcpProxy;
beforeAll(async () => {
  created = await createDatabase();
  dataDir = await createDataDir();
  proxy = await startTcpProxy(created.url);
});
afterAll(async () => {
  await proxy.cut();
  await dataDir.remove();
  await created.drop();
});

function start(roles: string[]) {
  const service = startService(dataDir.dir, roles, {
    DATABASE_URL: proxy.url,
    METRICS_PORT: '0',
    // No node listens there. The role starts all the same.
    SUI_TESTNET_RPC_URL: 'http://127.0.0.1:1',
    TESTNET_REGISTRY_PACKAGE_ID: '0x1',
    TESTNET_REGISTRY_OBJECT_ID: '0x2',
  });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  return service;
}

test('a gateway that starts while the database is away is alive and not ready, and serves once it is there', async () => {
  await proxy.cut();
  const service = start(['gateway']);
  const waiting = await eventually(() => {
    const line = service.output().match(/.*waiting for the database.*/)?.[0];
    return JSON.parse(line ?? '');
  });
  expect(waiting).toMatchObject({ reason: expect.stringContaining('ECONNREFUSED') });
  const statuses = await Promise.all(
    ['/healthz', '/readyz', '/api/adaptors'].map(async (path) => (await fetch(waiting.url + path)).status),
  );
  expect(statuses).toEqual([200, 503, 503]);
  const refusal = await (await fetch(`${waiting.url}/readyz`)).json();
  expect(refusal).toMatchObject({ code: 'database_unavailable', status: 503 });

  await proxy.restore();
  const url = await eventually(() => {
    const found = service.output().match(/Catalog\s+(\S+)/)?.[1];
    if (!found) throw new Error(service.output());
    return found;
  });
  expect((await fetch(url)).status).toBe(200);
  service.process.kill('SIGTERM');
  expect(await service.exited).toBe(0);
});

test('a gateway that waits for the local network is alive and not ready, and ends when it is asked to', async () => {
  const service = startService(dataDir.dir, ['gateway'], { DATABASE_URL: created.url });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  const { url } = await eventually(() => {
    const line = service.output().match(/.*waiting for the localnet role.*/)?.[0];
    return JSON.parse(line ?? '');
  });
  const statuses = await Promise.all(
    ['/healthz', '/readyz', '/api/adaptors'].map(async (path) => (await fetch(url + path)).status),
  );
  expect(statuses).toEqual([200, 503, 503]);
  service.process.kill('SIGTERM');
  expect(await service.exited).toBe(0);
});

test('a role that waits for the database ends when it is asked to', async () => {
  await proxy.cut();
  const service = start(['indexer']);
  await eventually(() => expect(service.output()).toContain('waiting for the database'));
  service.process.kill('SIGTERM');
  expect(await service.exited).toBe(0);
  await proxy.restore();
});
