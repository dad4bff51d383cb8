import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { expect, onTestFailed, test } from 'vitest';
import { readSteps } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { createDatabase } from '../support/database.ts';
import { openPublisher, readProviderBalance } from '../support/demo-accounts.ts';
import { eventually } from '../support/eventually.ts';
import { openInstallation, type RoleSet } from '../support/installation.ts';
import { adminSecret, issueTestKey } from '../support/keys.ts';
import { makeLaterVersion } from '../support/later-version.ts';
import { startReceiver } from '../support/receiver.ts';
import { startService } from '../support/service.ts';
import { describeSpend } from '../support/spend-request.ts';
import { useForFile } from '../support/use-for-file.ts';

/* The procedure of docs/operations.md#upgrade-and-downgrade. */

const world = useForFile(openInstallation);

test('an upgrade that changes the schema waits for the earlier version to stop, loses nothing, and locks that version out', {
  timeout: 600_000,
}, async () => {
  const { demo, dir, redisUrl } = world;
  await using closing = new AsyncDisposableStack();
  const database = await createDatabase();
  const later = await makeLaterVersion();
  closing.defer(() => later.remove());
  const receiver = await startReceiver();
  closing.defer(() => receiver.close());
  const sets: RoleSet[] = [];
  onTestFailed(() => console.log(sets.map(({ output }) => output()).join('\n')));
  const env = {
    DATABASE_URL: database.url,
    REDIS_URL: redisUrl,
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    INTERNAL_AGENT_SECRET: 'the-internal-secret-of-the-tests',
  };
  const start = async (...options: Parameters<typeof world.start>) => {
    const set = await world.start(...options);
    sets.push(set);
    return set;
  };
  const migrate = async (folder: string) => {
    const command = join(folder, 'services/migrate/command.ts');
    const options = { cwd: dir, env: { DATABASE_URL: database.url, PATH: process.env.PATH } };
    return (await promisify(execFile)(process.execPath, [command], options)).stdout;
  };
  const names = () => {
    const events = receiver.received.map(({ body }) => JSON.parse(String(body)));
    return [...new Map(events.map(({ id, event }) => [id, event])).values()];
  };
  async function pay({ baseUrl }: RoleSet, requestId: string) {
    const headers = { authorization: `Bearer ${demo.agent.executorKey}` };
    const request = { ...describeSpend(demo), requestId };
    const steps = await readSteps(await fetch(`${baseUrl}/api/agent/run`, buildRequest(request, headers)));
    expect(steps.at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
  }

  const workers = await start(env);
  const gateway = await start(env, { roles: ['gateway'] });
  const { key } = await issueTestKey(gateway.baseUrl);
  const hook = buildRequest({ url: receiver.url, events: ['Registered', 'Unlisted'] }, { 'x-api-key': key });
  expect((await fetch(`${gateway.baseUrl}/api/adaptors/webhooks`, hook)).status).toBe(200);
  const publisher = await openPublisher(demo, gateway.baseUrl);
  const before = await readProviderBalance(demo);
  await publisher.unlist();
  await pay(workers, 'before the upgrade');
  await eventually(() => expect(names()).toEqual(['Unlisted']));

  await expect(migrate(later.folder)).rejects.toThrow('roles of the earlier one run: ');
  await workers.stop();
  await publisher.list();
  expect((await fetch(`${gateway.baseUrl}/api/adaptors`)).status).toBe(200);
  await gateway.stop();
  expect(await migrate(later.folder)).toBe('The database has the schema of this version.\n');
  const upgraded = await start(env, { program: join(later.folder, 'services/main.ts') });
  await eventually(() => expect(names()).toEqual(['Unlisted', 'Registered']));
  await pay(upgraded, 'before the upgrade');
  await pay(upgraded, 'after the upgrade');
  expect((await readProviderBalance(demo)) - before).toBe(2_000_000n);
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  expect((await client.query("select to_regclass('later') as later")).rows).toEqual([{ later: 'later' }]);
  await client.end();

  const earlier = startService(dir, ['indexer'], env);
  expect(await earlier.exited).toBe(1);
  await eventually(() => expect(earlier.output()).toContain('A newer version has migrated the database.'));
  expect((await fetch(`${upgraded.baseUrl}/readyz`)).status).toBe(200);
});
