import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '../../db/client.ts';
import { migrateDatabase } from '../../db/migrate.ts';
import { eventually } from '../support/eventually.ts';
import { startPatroniCluster } from '../support/patroni/cluster.ts';

test('a commit that a synchronous cluster answered survives the death of its primary', async () => {
  const cluster = await startPatroniCluster({ members: 2, isSynchronous: true });
  onTestFinished(() => cluster.close());
  const db = openDatabase(cluster.url, { max: 1 });
  onTestFinished(() => db.close());
  await migrateDatabase(db);
  await db.pool.query('create table answered (id int)');
  await db.pool.query('insert into answered values (1)');

  const primary = await cluster.settle();
  await primary.kill();
  const found = () => db.pool.query<{ id: number }>('select id from answered');
  expect((await eventually(found)).rows).toEqual([{ id: 1 }]);

  await primary.start();
  expect((await cluster.settle()).name).not.toBe(primary.name);
});
