import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../../db/client.ts';
import { migrateDatabase } from '../../../db/migrate.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { offlineGateway } from '../../../test/support/offline-gateway.ts';
import { startReplicatedServer } from '../../../test/support/replicated-server.ts';
import { startGateway } from '../start.ts';

test('a gateway reads from its replica, and from the primary once the replica has gone', async () => {
  const servers = await startReplicatedServer(1);
  onTestFinished(() => servers.close());
  const db = openDatabase(servers.primary.url, { max: 4, pipeline: true });
  onTestFinished(() => db.close());
  await migrateDatabase(db);
  const gateway = await startGateway({
    db,
    readReplicas: { urls: [servers.replicas[0]!.url], lagMsMax: 5_000 },
    ...offlineGateway(),
  });
  onTestFinished(() => gateway.close());
  const fetchOk = async (path: string, init?: RequestInit) => {
    const response = await fetch(`${gateway.url}${path}`, init);
    expect(response.status, path).toBe(200);
    return response;
  };
  const askAll = async () => {
    await fetchOk('/api/adaptors?limit=1');
    await fetchOk('/api/adaptors?sinceRevision=0');
    await fetchOk('/api/adaptors/events');
    const query = JSON.stringify({ query: '{ adaptors(first: 1) { edges { node { serviceType } } } }' });
    const asked = await fetchOk('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: query,
    });
    expect(await asked.json()).not.toHaveProperty('errors');
  };
  const readStatus = async () => (await (await fetchOk('/status')).json()).reads;

  await eventually(async () => {
    await askAll();
    const { replicas } = await readStatus();
    expect(replicas).toMatchObject([{ replica: 1, state: 'ready' }]);
    expect(replicas[0].share).toBeGreaterThan(0.5);
  });
  const metrics = await (await fetchOk('/metrics')).text();
  expect(metrics).toMatch(/database_reads\{server="1"\} [1-9]/);
  expect(metrics).toMatch(/read_replica_lag_seconds\{server="1"\} \d/);

  const page = await (await fetchOk('/status', { headers: { accept: 'text/html' } })).text();
  expect(page).toMatch(/Replica 1<[\s\S]*ready/);

  await servers.replicas[0]!.stop();
  await askAll();
  await eventually(async () => expect((await readStatus()).replicas).toMatchObject([{ state: 'failing' }]));
  await askAll();
});
