import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { getErrorMessage } from '@adaptor-marketplace/adaptor';
import { verifyWebhook } from '@adaptor-marketplace/sdk';
import { expect, onTestFailed, test } from 'vitest';
import { readSteps } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { createDatabaseOn } from '../support/database-on.ts';
import { openPublisher, readProviderBalance } from '../support/demo-accounts.ts';
import { eventually } from '../support/eventually.ts';
import { openInstallation, type RoleSet } from '../support/installation.ts';
import { adminSecret, asAdmin, issueTestKey } from '../support/keys.ts';
import { startPatroniCluster } from '../support/patroni/cluster.ts';
import { findPrograms } from '../support/patroni/programs.ts';
import { startReceiver } from '../support/receiver.ts';
import { describeSpend } from '../support/spend-request.ts';
import { useForFile } from '../support/use-for-file.ts';

const root = join(import.meta.dirname, '../..');
const world = useForFile(openInstallation);
const cluster = useForFile(() => startPatroniCluster({ members: 1, isSynchronous: false }));

/** The commands of docs/rebuild.md, in its order. */
async function readCommands(): Promise<string[]> {
  const text = await readFile(join(root, 'docs/rebuild.md'), 'utf8');
  return [...text.matchAll(/^ *```sh\n(.*?)^ *```$/gms)].map(([, commands]) => commands!);
}

async function runCommands(commands: string, variables: Record<string, string>): Promise<string> {
  const programs = await findPrograms();
  const PATH = `${programs.postgres}:${join(root, 'node_modules/.bin')}:${process.env.PATH}`;
  const options = { cwd: root, env: { ...programs.env, ...variables, PATH } };
  const run = promisify(execFile)('bash', ['-euo', 'pipefail', '-c', commands], options);
  const { stdout } = await run.catch((error) => {
    throw new Error(`${getErrorMessage(error)}\n${error.stdout}`);
  });
  return stdout;
}

async function read(url: string, headers: Record<string, string> = {}) {
  const answer = await fetch(url, { headers });
  return { status: answer.status, body: await answer.json() };
}

test('a read model rebuilt beside a running one is equal, and webhooks, runs and cursors go on after the switch', {
  timeout: 600_000,
}, async () => {
  const { demo, redisUrl } = world;
  await using closing = new AsyncDisposableStack();
  const [old, next] = [await createDatabaseOn(cluster.url), await createDatabaseOn(cluster.url)];
  const receiver = await startReceiver();
  closing.defer(() => receiver.close());
  const sets: RoleSet[] = [];
  onTestFailed(() => console.log(sets.map(({ output }) => output()).join('\n')));
  const start = async (...given: Parameters<typeof world.start>) => {
    const set = await world.start(...given);
    sets.push(set);
    return set;
  };
  const settings = {
    REDIS_URL: redisUrl,
    MARKETPLACE_ADMIN_SECRET: adminSecret,
    INTERNAL_AGENT_SECRET: 'the-internal-secret-of-the-tests',
  };

  const first = await start({ ...settings, DATABASE_URL: old.url });
  const { key } = await issueTestKey(first.baseUrl);
  const asHolder = { 'x-api-key': key };
  const secret = 'the-secret-of-the-webhook';
  const events = ['Registered', 'Unlisted', 'Quarantined', 'QuarantineLifted'];
  const hooks = '/api/adaptors/webhooks';
  const subscription = buildRequest({ url: receiver.url, events, secret }, asHolder);
  const { id } = await (await fetch(first.baseUrl + hooks, subscription)).json();
  const delivered = async () => {
    const names = new Map<string, string>();
    for (const { headers, body } of receiver.received) {
      await verifyWebhook({ body: String(body), headers, secret });
      const { id, event } = JSON.parse(String(body));
      expect([...names.keys()]).not.toContain(id);
      names.set(id, event);
    }
    return [...names.values()];
  };
  const subject = demo.venues.perp.serviceType;
  const decide = async ({ baseUrl }: RoleSet, path: string) => {
    const body = { subject, reason: 'It drains its users.', operator: 'Ada' };
    const answer = await fetch(`${baseUrl}/api/admin/quarantines${path}`, buildRequest(body, asAdmin));
    expect(answer.status).toBe(200);
  };
  async function pay({ baseUrl }: RoleSet, requestId: string) {
    const headers = { authorization: `Bearer ${demo.agent.executorKey}` };
    const request = { ...describeSpend(demo), requestId };
    const steps = await readSteps(await fetch(`${baseUrl}/api/agent/run`, buildRequest(request, headers)));
    expect(steps.at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
  }
  const publisher = await openPublisher(demo, first.baseUrl);
  const before = await readProviderBalance(demo);
  await pay(first, 'before the rebuild');
  await decide(first, '');
  await publisher.unlist();
  await eventually(async () => expect((await delivered()).sort()).toEqual(['Quarantined', 'Unlisted']));
  // A build that is under way is leased, and would be repeated after minutes.
  await eventually(async () => {
    const { adaptors } = (await read(`${first.baseUrl}/api/adaptors`)).body;
    expect(adaptors.map((one: { sourceVerdict: string }) => one.sourceVerdict)).not.toContain(null);
  });
  const cursors = await read(`${first.baseUrl}/api/adaptors/events`);
  const serviceCursors = await read(`${first.baseUrl}/api/adaptors/service-events`);
  const { nextRevision } = (await read(`${first.baseUrl}/api/adaptors?sinceRevision=0`)).body;

  // An update that may do more, and that no owner has confirmed.
  const query = (url: string, text: string) => runCommands(`psql -At "$URL" -c "${text}"`, { URL: url });
  const vault = demo.venues.vault.serviceType;
  await query(
    old.url,
    `update claim_changes set state = 'computed', widens = true, next_check_at = null where service_type = '${vault}'`,
  );
  const readHeld = (url: string) =>
    query(url, 'select service_type, version from claim_changes where widens');
  const held = await readHeld(old.url);
  expect(held).toContain(vault);

  const [fill, compare, copy, ...others] = await readCommands();
  expect(others).toEqual([]);
  const variables = { OLD_URL: old.url, NEW_URL: next.url, OLD_GATEWAY: first.baseUrl };
  await runCommands(fill!, variables);
  const second = await start({ DATABASE_URL: next.url }, { roles: ['indexer', 'gateway'] });
  await publisher.list();
  await eventually(async () => expect(await delivered()).toHaveLength(3));
  const comparison = { ...variables, NEW_GATEWAY: second.baseUrl };
  await eventually(async () => expect(await runCommands(compare!, comparison)).toBe(''), { intervalMs: 500 });
  const catalog = await read(`${second.baseUrl}/api/adaptors`);
  expect(catalog.body.adaptors.map((one: { serviceType: string }) => one.serviceType)).not.toContain(subject);

  const { nextRevision: lastRevision } = (await read(`${first.baseUrl}/api/adaptors?sinceRevision=0`)).body;
  await first.stop();
  await publisher.unlist();
  await runCommands(copy!, variables);
  expect(await read(`${second.baseUrl}/api/adaptors`)).toMatchObject({ status: 200 });
  const third = await start({ ...settings, DATABASE_URL: next.url });
  await second.stop();

  expect(await readHeld(next.url)).toBe(held);
  await eventually(async () => expect(await delivered()).toHaveLength(4));
  await decide(third, '/release');
  await eventually(async () =>
    expect((await delivered()).slice(2)).toEqual(['Registered', 'Unlisted', 'QuarantineLifted']),
  );
  // The log is written after the receiver has answered.
  await eventually(async () => {
    const { deliveries } = (await read(`${third.baseUrl}${hooks}/${id}/deliveries`, asHolder)).body;
    expect(deliveries).toHaveLength(5);
  });
  const names = (body: { events: { event: string }[] }) => body.events.map(({ event }) => event);
  const later = await read(`${third.baseUrl}/api/adaptors/events?after=${cursors.body.cursor}`);
  expect(names(later.body)).toEqual(['Registered', 'Unlisted']);
  const laterOfService = await read(
    `${third.baseUrl}/api/adaptors/service-events?after=${serviceCursors.body.cursor}`,
  );
  expect(names(laterOfService.body)).toEqual(['QuarantineLifted']);
  const changes = `${third.baseUrl}/api/adaptors?sinceRevision=`;
  expect(await read(changes + lastRevision)).toMatchObject({ status: 400, body: { code: 'bad_cursor' } });
  for (const since of [0, nextRevision])
    expect((await read(changes + since)).body.changed).toHaveLength(catalog.body.count);
  // A run of the first database is not run again.
  await pay(third, 'before the rebuild');
  await pay(third, 'after the switch');
  expect((await readProviderBalance(demo)) - before).toBe(2_000_000n);
});
