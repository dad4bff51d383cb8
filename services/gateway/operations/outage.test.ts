import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../../db/client.ts';
import { migrateDatabase } from '../../../db/migrate.ts';
import { createDatabase } from '../../../test/support/database.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { offlineGateway } from '../../../test/support/offline-gateway.ts';
import { readModelBuilder } from '../../../test/support/read-model.ts';
import { startTcpProxy, type TcpProxy } from '../../../test/support/tcp-proxy.ts';
import { startGateway } from '../start.ts';

let created: Awaited<ReturnType<typeof createDatabase>>;
let direct: Database;
let proxied: Database;
let proxy: TcpProxy;
let gateway: Awaited<ReturnType<typeof startGateway>>;

beforeAll(async () => {
  created = await createDatabase();
  direct = openDatabase(created.url, { max: 2 });
  await migrateDatabase(direct);
  proxy = await startTcpProxy(created.url);
  proxied = openDatabase(proxy.url, { max: 4 });
  gateway = await startGateway({
    db: proxied,
    ...offlineGateway(),
  });
});
afterAll(async () => {
  await gateway.close();
  await proxied.close();
  await proxy.cut();
  await direct.close();
  await created.drop();
});

const get = async (path: string) => {
  const answer = await fetch(gateway.url + path);
  return { status: answer.status, body: await answer.json() };
};

test('while the database is away the catalog is served as it was, and what needs it says 503', async () => {
  await proxy.cut();
  expect(await get('/api/adaptors')).toMatchObject({ status: 200, body: { count: 0 } });
  expect((await get('/healthz')).status).toBe(200);
  for (const path of ['/api/adaptors?q=x', '/readyz', '/status']) {
    expect([path, await get(path)]).toMatchObject([
      path,
      { status: 503, body: { code: 'database_unavailable' } },
    ]);
  }
  const query = encodeURIComponent('{ adaptors { totalCount } }');
  const { body } = await get(`/graphql?query=${query}`);
  expect(body.errors[0].extensions.code).toBe('database_unavailable');
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text();
  expect(metrics).toContain('\ndatabase_up 0\n');
  expect(metrics).not.toContain('source_ready{');
});

test('when it is back, what changed meanwhile is found', async () => {
  const seed = readModelBuilder(direct);
  await seed.listing({ manifest: { name: 'Meanwhile' } });
  await seed.changed();
  await proxy.restore();
  await eventually(async () => expect((await get('/api/adaptors')).body.count).toBe(1));
  expect((await get('/api/adaptors?q=meanwhile')).status).toBe(200);
  expect(await (await fetch(`${gateway.url}/metrics`)).text()).toContain('\ndatabase_up 1\n');
});
