import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect, onTestFailed, test } from 'vitest';
import { readDemoFile } from '../../services/demo/file.ts';
import { readSteps } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { createDatabaseOn } from '../support/database-on.ts';
import { openPublisher, readProviderBalance } from '../support/demo-accounts.ts';
import { createDemoDir } from '../support/demo-dir.ts';
import { eventually } from '../support/eventually.ts';
import { freePorts } from '../support/free-ports.ts';
import { adminSecret, asAdmin, issueTestKey } from '../support/keys.ts';
import { startPatroniCluster } from '../support/patroni/cluster.ts';
import { findPrograms } from '../support/patroni/programs.ts';
import { startReceiver } from '../support/receiver.ts';
import { standalone, startRedisServers } from '../support/redis-server.ts';
import { ready, type Service, startService, stopService } from '../support/service.ts';
import { describeSpend } from '../support/spend-request.ts';
import { useForFile } from '../support/use-for-file.ts';

/* The procedure of docs/operations.md#restore-a-backup, with the tools of PostgreSQL. */

const run = promisify(execFile);

const world = useForFile(async () => {
  await using starting = new AsyncDisposableStack();
  const data = await createDemoDir();
  starting.defer(() => data.remove());
  const localnet = startService(data.dir, ['localnet']);
  starting.defer(async () => void (await stopService(localnet)));
  const cluster = await startPatroniCluster({ members: 1, isSynchronous: false });
  starting.defer(() => cluster.close());
  const redis = await startRedisServers(standalone);
  starting.defer(() => redis.stop());
  const [agentPort] = await freePorts(1);
  const demo = await eventually(async () => {
    expect(localnet.output()).toContain('the local network runs');
    return (await readDemoFile(data.dir))!;
  });
  const running = starting.move();
  return { dir: data.dir, demo, cluster, redis, agentPort, close: () => running.disposeAsync() };
});

function startRoles(roles: string[], databaseUrl: string): Service {
  return startService(world.dir, roles, {
    DATABASE_URL: databaseUrl,
    REDIS_URL: world.redis.urls[0]!,
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    INTERNAL_AGENT_SECRET: 'the-internal-secret-of-the-tests',
    OUTBOUND_ALLOW_CIDRS: '127.0.0.0/8',
    ...(roles.includes('agent')
      ? { AGENT_PORT: String(world.agentPort) }
      : { AGENT_URL: `http://127.0.0.1:${world.agentPort}` }),
  });
}

const workers = ['indexer', 'dispatcher', 'tools', 'agent'];

async function sendSpend(baseUrl: string, requestId: string): Promise<unknown> {
  const headers = { authorization: `Bearer ${world.demo.agent.executorKey}` };
  const request = { ...describeSpend(world.demo), requestId };
  const answer = await fetch(`${baseUrl}/api/agent/run`, buildRequest(request, headers));
  return answer.ok ? (await readSteps(answer)).at(-1) : await answer.json();
}

const done = { step: 'confirm', status: 'done' };

test('a backup restored as documented has all that the chain has, sends webhooks on, and pays nothing before the freeze ends', async () => {
  const { demo, cluster, dir, agentPort } = world;
  await using closing = new AsyncDisposableStack();
  const original = await createDatabaseOn(cluster.url);
  const receiver = await startReceiver();
  closing.defer(() => receiver.close());
  let services = [startRoles(workers, original.url), startRoles(['gateway'], original.url)];
  closing.defer(async () => void (await Promise.all(services.map(stopService))));
  onTestFailed(() => console.log(services.map(({ output }) => output()).join('\n')));
  let { baseUrl } = await ready(services[1]!, dir);
  const { key } = await issueTestKey(baseUrl);
  const hook = { url: receiver.url, events: ['Registered', 'Unlisted'] };
  expect(
    (await fetch(`${baseUrl}/api/adaptors/webhooks`, buildRequest(hook, { 'x-api-key': key }))).status,
  ).toBe(200);
  const readDelivered = () =>
    new Map(
      receiver.received.map(({ body }) => JSON.parse(String(body))).map(({ id, event }) => [id, event]),
    );
  const publisher = await openPublisher(demo, baseUrl);
  const before = await readProviderBalance(demo);
  await publisher.unlist();
  expect(await sendSpend(baseUrl, 'before the backup')).toMatchObject(done);
  await eventually(() => expect([...readDelivered().values()]).toEqual(['Unlisted']));

  const programs = await findPrograms();
  const tool = (name: string, ...args: string[]) =>
    run(join(programs.postgres, name), args, { env: programs.env });
  const dump = join(dir, 'marketplace.dump');
  await tool('pg_dump', '-Fc', '-f', dump, original.url);

  await publisher.list();
  expect(await sendSpend(baseUrl, 'after the backup')).toMatchObject(done);
  await eventually(() => expect([...readDelivered().values()]).toEqual(['Unlisted', 'Registered']));
  const readChanges = async (since: number) =>
    (await fetch(`${baseUrl}/api/adaptors?sinceRevision=${since}`)).json();
  const { nextRevision } = await readChanges(0);
  await Promise.all(services.map(stopService));

  const restored = await createDatabaseOn(cluster.url);
  await tool('pg_restore', '-d', restored.url, dump);
  receiver.received.length = 0;
  services = [startRoles(workers, restored.url)];
  const freezes = `http://127.0.0.1:${agentPort}/api/agent/freezes`;
  const freeze = buildRequest({ reason: 'A backup was restored.' }, asAdmin);
  await eventually(async () => expect((await fetch(freezes, freeze)).status).toBe(200));
  services.push(startRoles(['gateway'], restored.url));
  ({ baseUrl } = await ready(services[1]!, dir));

  await eventually(() => expect([...readDelivered().values()]).toEqual(['Registered']));
  await eventually(async () => {
    const answer = await fetch(`${baseUrl}/api/adaptors/${encodeURIComponent(publisher.serviceType)}`);
    expect(answer.status).toBe(200);
  });
  // The backup lacks revisions that its readers have seen.
  expect(await readChanges(nextRevision)).toMatchObject({ code: 'bad_cursor' });
  expect((await readChanges(0)).nextRevision).toBeGreaterThan(nextRevision);
  const client = new pg.Client({ connectionString: restored.url });
  await client.connect();
  const { rows } = await client.query(
    `select name from events where name in ('Registered', 'Unlisted') and data->>'serviceType' = $1 order by checkpoint, tx_index, event_index`,
    [publisher.serviceType],
  );
  await client.end();
  expect(rows.map(({ name }) => name)).toEqual(['Registered', 'Unlisted', 'Registered']);

  expect(await sendSpend(baseUrl, 'while frozen')).toMatchObject({ code: 'frozen' });
  expect((await readProviderBalance(demo)) - before).toBe(2_000_000n);
  expect((await fetch(freezes, { method: 'DELETE', headers: asAdmin })).status).toBe(204);
  // A run of the backup is not run again.
  expect(await sendSpend(baseUrl, 'before the backup')).toMatchObject(done);
  // The restored database has no run of a request that was paid: its wallet is frozen now.
  expect(await sendSpend(baseUrl, 'after the backup')).toMatchObject({ code: 'frozen' });
  expect((await readProviderBalance(demo)) - before).toBe(2_000_000n);
  const { network, owner } = demo;
  const lifted = await fetch(`${freezes}?network=${network}&walletId=${owner.walletId}`, {
    method: 'DELETE',
    headers: asAdmin,
  });
  expect(lifted.status).toBe(204);
  expect(await sendSpend(baseUrl, 'after the freeze')).toMatchObject(done);
  expect((await readProviderBalance(demo)) - before).toBe(3_000_000n);
});
