import { expect, onTestFinished, test } from 'vitest';
import { silentLogger } from '../../lib/log/index.ts';
import { eventually } from '../../test/support/eventually.ts';
import { startReplicatedServer } from '../../test/support/replicated-server.ts';
import { useForFile } from '../../test/support/use-for-file.ts';
import { openDatabase } from '../client.ts';
import { migrateDatabase } from '../migrate.ts';
import { openReadPools } from './read-pools.ts';

const servers = useForFile(async () => {
  const servers = await startReplicatedServer(2);
  const db = openDatabase(servers.primary.url, { max: 1 });
  await migrateDatabase(db);
  await db.close();
  return servers;
});

async function openPools(urls = servers.replicas.map(({ url }) => url)) {
  const db = openDatabase(servers.primary.url, { max: 4 });
  const pools = openReadPools({ primary: db.pool, urls, lagMsMax: 5_000, log: silentLogger });
  onTestFinished(async () => {
    await pools.close();
    await db.close();
  });
  await db.pool.query('drop table if exists t; create table t (n int)');
  const announce = async () => pools.require(await pools.readPosition());
  const states = () => pools.conditions().replicas.map(({ state }) => state);
  const untilStates = (...expected: string[]) =>
    eventually(async () => {
      // An idle primary announces its position each second too.
      await announce();
      await eventually(() => expect(states()).not.toContain('behind'), { intervalMs: 5 });
      expect(states()).toEqual(expected);
    });
  const isOnReplica = async (read = pools.begin()) =>
    (await read.query('select pg_is_in_recovery() as standby')).rows[0].standby as boolean;
  return { db, pools, announce, states, untilStates, isOnReplica };
}

test('reads go to replicas that have replayed what was announced, and are shared among them', async () => {
  const { pools, announce, untilStates, isOnReplica } = await openPools();
  expect(await isOnReplica()).toBe(false);
  await announce();
  await untilStates('ready', 'ready');
  for (let nth = 0; nth < 4; nth += 1) expect(await isOnReplica()).toBe(true);
  expect(pools.conditions().replicas.map(({ reads }) => reads)).toEqual([2, 2]);
});

test('a replica never answers with less than what was announced', async () => {
  const { db, pools, announce, untilStates } = await openPools();
  await untilStates('ready', 'ready');
  for (let n = 1; n <= 200; n += 1) {
    await db.pool.query('insert into t values ($1)', [n]);
    await announce();
    const { rows } = await pools.begin().query('select count(*) from t');
    expect(rows[0].count).toBeGreaterThanOrEqual(n);
  }
});

test('after the notification of a change, the primary answers until its position is known and replayed', async () => {
  const { pools, announce, untilStates, isOnReplica } = await openPools();
  await untilStates('ready', 'ready');
  const before = await pools.readPosition();
  pools.expectChange();
  pools.require(before);
  expect(await isOnReplica()).toBe(false);
  await announce();
  await eventually(async () => expect(await isOnReplica()).toBe(true));
});

test('a replica whose replay stops answers nothing new, and comes back by itself', async () => {
  const { db, announce, states, untilStates, isOnReplica } = await openPools();
  await untilStates('ready', 'ready');
  for (const replica of servers.replicas) await replica.query('select pg_wal_replay_pause()');
  await db.pool.query('insert into t values (1)');
  await announce();
  expect(states()).toEqual(['behind', 'behind']);
  expect(await isOnReplica()).toBe(false);
  for (const replica of servers.replicas) await replica.query('select pg_wal_replay_resume()');
  await untilStates('ready', 'ready');
});

test('a read goes on at the primary when its replica ends, and the replica returns by itself', async () => {
  const { pools, states, untilStates, isOnReplica } = await openPools([servers.replicas[0]!.url]);
  await untilStates('ready');
  const read = pools.begin();
  expect(await isOnReplica(read)).toBe(true);
  await servers.replicas[0]!.stop();
  expect(await isOnReplica(read)).toBe(false);
  expect(states()).toEqual(['failing']);
  expect(await isOnReplica()).toBe(false);
  await servers.replicas[0]!.start();
  await untilStates('ready');
  expect(await isOnReplica()).toBe(true);
});

test('an error of the statement itself leaves the replica in the pool', async () => {
  const { pools, states, untilStates } = await openPools();
  await untilStates('ready', 'ready');
  await expect(pools.begin().query('select 1/0')).rejects.toThrow('division by zero');
  expect(states()).not.toContain('failing');
});

test('a server that is not a replica of the primary, or another database of it, answers nothing', async () => {
  const other = new URL(servers.replicas[0]!.url);
  other.pathname = '/template1';
  const right = servers.replicas[1]!.url;
  const { untilStates, pools } = await openPools([servers.primary.url, other.href, right]);
  // Later probes of the others know which cluster is the primary's.
  for (let nth = 0; nth < 5; nth += 1) await untilStates('failing', 'failing', 'ready');
  await pools.begin().query('select');
  expect(pools.conditions().replicas.map(({ reads }) => reads)).toEqual([0, 0, 1]);
});

test('a replica answers where the role may not read the identifier of the cluster', async () => {
  const { primary, replicas } = servers;
  await primary.query(`create role hosted login password 'x'; grant pg_read_all_data to hosted;
    revoke execute on function pg_control_system() from public`);
  const asHosted = ({ url }: { url: string }) =>
    Object.assign(new URL(url), { username: 'hosted', password: 'x' }).href;
  const other = Object.assign(new URL(asHosted(replicas[1]!)), { pathname: '/template1' }).href;
  const db = openDatabase(asHosted(primary), { max: 2 });
  const urls = [asHosted(replicas[0]!), other];
  const pools = openReadPools({ primary: db.pool, urls, lagMsMax: 5_000, log: silentLogger });
  onTestFinished(async () => {
    await pools.close();
    await db.close();
  });
  // Both read at once: the server refuses the identifier to each.
  const [announced] = await Promise.all([pools.readPosition(), pools.readPosition()]);
  pools.require(announced);
  // Reads write to the log too, and an idle primary sends that after up to 15 s. A commit sends all before it.
  await primary.query('create table committed ()');
  await eventually(() => {
    const states = pools.conditions().replicas.map(({ state }) => state);
    expect(states).toEqual(['ready', 'failing']);
  });
  await primary.query('grant execute on function pg_control_system() to public');
});

test('with one database, nothing is asked beside the reads', async () => {
  const { db } = await openPools([]);
  const pools = openReadPools({ primary: db.pool, urls: [], lagMsMax: 5_000, log: silentLogger });
  expect(await pools.readPosition()).toBeUndefined();
  expect(pools.begin()).toBe(pools.begin());
  await pools.close();
});
