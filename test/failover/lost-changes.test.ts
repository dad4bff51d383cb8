import { pino } from 'pino';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { startGateway } from '../../services/gateway/start.ts';
import { eventually } from '../support/eventually.ts';
import { offlineGateway } from '../support/offline-gateway.ts';
import { startPatroniCluster } from '../support/patroni/cluster.ts';
import { readModelBuilder } from '../support/read-model.ts';

test('readers of catalog revisions that a failover lost start again, and no later change has their numbers', async () => {
  const cluster = await startPatroniCluster({ members: 2, isSynchronous: false });
  onTestFinished(() => cluster.close());
  const db = openDatabase(cluster.url, { max: 4 });
  onTestFinished(() => db.close());
  await migrateDatabase(db);
  const seed = readModelBuilder(db);
  const logged: { msg: string; from?: number; to?: number }[] = [];
  const log = pino({}, { write: (line: string) => logged.push(JSON.parse(line)) });
  const gateway = await startGateway({ db, ...offlineGateway(), log });
  onTestFinished(() => gateway.close());
  const read = async (query: string) => (await fetch(`${gateway.url}/api/adaptors${query}`)).json();
  const readTypes = async (query: string): Promise<Set<string>> => {
    const { adaptors, changed } = await read(query);
    return new Set((adaptors ?? changed).map(({ serviceType }: { serviceType: string }) => serviceType));
  };

  const { serviceType: kept } = await seed.listing();
  const primary = await cluster.settle();
  await primary.holdBackChanges();
  const { serviceType: lost } = await seed.listing();
  await eventually(async () => expect(await readTypes('')).toEqual(new Set([kept, lost])));
  const { nextRevision: seen } = await read('?sinceRevision=0');

  await primary.kill();
  const { serviceType: later } = await eventually(() => seed.listing());
  await eventually(async () => expect(await readTypes('')).toEqual(new Set([kept, later])));
  expect(await read(`?sinceRevision=${seen}`)).toMatchObject({ code: 'bad_cursor' });
  expect(await readTypes('?sinceRevision=0')).toEqual(new Set([kept, later]));
  const { nextRevision } = await read('?sinceRevision=0');
  expect(nextRevision).toBeGreaterThan(seen);
  expect(await read(`?sinceRevision=${nextRevision}`)).toMatchObject({ changed: [], removed: [] });
  await eventually(() => expect(logged).toContainEqual(expect.objectContaining({ level: 50, to: seen })));
});
