import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { createDatabase } from '../support/database.ts';
import { createDemoDir } from '../support/demo-dir.ts';
import { eventually } from '../support/eventually.ts';
import { createDataDir, ready, startService, stopService } from '../support/service.ts';
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

function start(roles: string[], env: Record<string, string> = {}) {
  const service = startService(dataDir.dir, roles, {
    DATABASE_URL: proxy.url,
    METRICS_PORT: '0',
    // No node listens there. The role starts all the same.
    SUI_TESTNET_RPC_URL: 'http://127.0.0.1:1',
    TESTNET_REGISTRY_PACKAGE_ID: '0x1',
    TESTNET_REGISTRY_OBJECT_ID: '0x2',
    ...env,
  });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  return service;
}

const agentSettings = {
  AGENT_SECRET_KEY: Ed25519Keypair.generate().getSecretKey(),
  INTERNAL_AGENT_SECRET: 'x'.repeat(32),
  TOOLS_URL: 'http://127.0.0.1:1',
};

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
  expect(await stopService(service)).toBe(0);
});

test.each([
  ['gateway', 'gateway', /Catalog\s+\S+/],
  ['agent', 'agent worker', /the agent service runs/],
])(
  'the role %s waits if the database goes away between its migrations and its first read',
  async (role, connection, runs) => {
    const cut = proxy.cutAt(`application_name\0${connection}\0`);
    const service = start([role], agentSettings);
    await cut;
    await eventually(() => expect(service.output()).toContain('waiting for the database'));
    await proxy.restore();
    await eventually(() => expect(service.output()).toMatch(runs));
    expect(await stopService(service)).toBe(0);
  },
);

/** Adds a migration that this version does not know, until the running test ends. */
async function migrateFurther(): Promise<void> {
  const db = openDatabase(created.url, { max: 1 });
  onTestFinished(async () => {
    await db.pool.query("delete from drizzle.__drizzle_migrations where hash = 'newer'");
    await db.close();
  });
  await migrateDatabase(db);
  await db.pool.query(
    "insert into drizzle.__drizzle_migrations (hash, created_at) values ('newer', 9000000000000)",
  );
}

test.each([
  ['gateway', 'gateway'],
  ['agent', 'agent worker'],
])(
  'the role %s refuses a database that a newer version has migrated while it waited',
  async (role, connection) => {
    const cut = proxy.cutAt(`application_name\0${connection}\0`);
    const service = start([role], agentSettings);
    await cut;
    await eventually(() => expect(service.output()).toContain('waiting for the database'));
    await migrateFurther();
    await proxy.restore();
    expect(await service.exited).toBe(1);
    expect(service.output()).toContain('database_newer');
  },
);

test('the key of the demo is added once the database is back', async () => {
  const demo = await createDemoDir();
  onTestFinished(() => demo.remove());
  const cut = proxy.cutAt('application_name\0agent\0');
  const service = startService(demo.dir, [], { DATABASE_URL: proxy.url });
  onTestFinished(() => void service.process.kill('SIGKILL'));
  await cut;
  const waiting = await eventually(() => {
    const line = service.output().match(/.*waiting for the database.*/)?.[0];
    return JSON.parse(line ?? '');
  });
  expect((await fetch(`${waiting.url}/healthz`)).status).toBe(200);
  await proxy.restore();
  const { network, owner, agent, baseUrl } = await ready(service, demo.dir);
  const path = `/api/agent/runs?${new URLSearchParams({ network, walletId: owner.walletId })}`;
  const headers = { authorization: `Bearer ${agent.executorKey}` };
  expect((await fetch(baseUrl + path, { headers })).status).toBe(200);
  expect(await stopService(service)).toBe(0);
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
  expect(await stopService(service)).toBe(0);
});

test('a role that waits for the database ends when it is asked to', async () => {
  await proxy.cut();
  const service = start(['indexer']);
  await eventually(() => expect(service.output()).toContain('waiting for the database'));
  expect(await stopService(service)).toBe(0);
  await proxy.restore();
});
