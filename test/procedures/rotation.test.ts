import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { delegate, scopedCap } from '@adaptor-marketplace/adaptor/transactions';
import { createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { verifyWebhook } from '@adaptor-marketplace/sdk';
import { SuiGrpcClient } from '@mysten/sui/grpc';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { Redis } from 'ioredis';
import pg from 'pg';
import { expect, onTestFailed, test } from 'vitest';
import { startEmbeddedServer } from '../../db/embedded/server.ts';
import { openSession } from '../support/agent-session.ts';
import { readSteps } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { openPublisher } from '../support/demo-accounts.ts';
import { eventually } from '../support/eventually.ts';
import { openInstallation, type RoleSet } from '../support/installation.ts';
import { startReceiver } from '../support/receiver.ts';
import { describeSpend } from '../support/spend-request.ts';
import { useForFile } from '../support/use-for-file.ts';

/* The procedures of docs/rotate-secrets.md. */

const world = useForFile(openInstallation);
const run = promisify(execFile);
const suffix = randomBytes(6).toString('hex');
const [role, login] = [`marketplace_${suffix}`, `marketplace_${suffix}_2`];
const secrets = (name: string) => ({
  old: `the-old-${name}-of-the-test`,
  next: `the-new-${name}-of-the-test`,
});
const [admin, cron, internal, hook] = ['admin', 'cron', 'internal', 'hook'].map(secrets);

/**
 * A database that a role without other rights owns, with statements of the operator. Its server has all its connections for
 * the two installations.
 */
const database = useForFile(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'marketplace-rotation-'));
  await chmod(dir, 0o755);
  const server = await startEmbeddedServer({ dir, volatile: true });
  const client = new pg.Client({ connectionString: server.url });
  await client.connect();
  await client.query(`create role ${role} login password 'old'`);
  await client.query(`create database ${role} owner ${role}`);
  const buildUrl = (user: string, password: string) => {
    const url = new URL(server.url);
    return Object.assign(url, { username: user, password, pathname: `/${role}` }).href;
  };
  const close = async () => {
    await client.end();
    await server.stop();
    // The server ends once it has noticed that the connections of the installations are closed.
    await eventually(() => rm(dir, { recursive: true, force: true }));
  };
  return { query: (sql: string) => client.query(sql), buildUrl, close };
});

async function query(url: string, sql: string, values: unknown[] = []) {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query(sql, values)).rows;
  } finally {
    await client.end();
  }
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

async function call(url: string, headers: Record<string, string>, body?: unknown, method = 'GET') {
  const answer = await fetch(
    url,
    body === undefined ? { method, headers } : buildRequest(body, headers, method),
  );
  const text = await answer.text();
  return { status: answer.status, body: text === '' ? undefined : JSON.parse(text) };
}

test('every secret of the service is rotated, and no delivery, run or request with a valid credential fails', {
  timeout: 600_000,
}, async () => {
  const { demo, redisUrl } = world;
  await using closing = new AsyncDisposableStack();
  const receiver = await startReceiver();
  closing.defer(() => receiver.close());
  const store = new Redis(redisUrl);
  closing.defer(() => store.disconnect());
  const withPassword = (password: string) => redisUrl.replace('//', `//:${password}@`);
  await store.acl('SETUSER', 'default', 'resetpass', '>old');

  const env = {
    DATABASE_URL: database.buildUrl(role, 'old'),
    REDIS_URL: withPassword('old'),
    MARKETPLACE_ADMIN_SECRET: admin!.old,
    CRON_SECRET: cron!.old,
    INTERNAL_AGENT_SECRET: internal!.old,
  };
  const sets: RoleSet[] = [];
  onTestFailed(() => console.log(sets.map(({ output }) => output()).join('\n')));
  const start = async (changed: Record<string, string>) => {
    const set = await world.start(Object.assign(env, changed));
    sets.push(set);
    return set;
  };

  const first = await start({});
  const issue = (set: RoleSet, secret: string) =>
    call(
      `${set.baseUrl}/api/adaptors/keys`,
      bearer(secret),
      { integrator: 'acme', ratePerMin: 10_000 },
      'POST',
    );
  const { key, id: keyId } = (await issue(first, admin!.old)).body;
  const asHolder = { 'x-api-key': key };
  const hooks = (set: RoleSet) => `${set.baseUrl}/api/adaptors/webhooks`;
  const subscription = {
    url: `${receiver.url}/first`,
    events: ['Registered', 'Unlisted'],
    secret: hook!.old,
  };
  const { id } = (await call(hooks(first), asHolder, subscription, 'POST')).body;
  const owner = { address: demo.owner.address, keypair: Ed25519Keypair.fromSecretKey(demo.owner.secretKey) };
  const session = await openSession({ ask: (path, init) => fetch(first.baseUrl + path, init) }, owner);
  const publisher = await openPublisher(demo, first.baseUrl);

  let [listed, webhookSecret] = [true, hook!.old];
  const expected: string[] = [];
  /** Publishes an event, and waits until it arrives with a valid signature, as every one before it. */
  async function deliver(path = '/first') {
    await (listed ? publisher.unlist() : publisher.list());
    expected.push(listed ? 'Unlisted' : 'Registered');
    listed = !listed;
    await eventually(async () => {
      const names = new Map<string, string>();
      for (const { headers, body } of receiver.received.filter((one) => one.path === path)) {
        const { id, event } = JSON.parse(String(body));
        names.set(id, event);
        await verifyWebhook({ body: String(body), headers, secret: [hook!.old, webhookSecret] });
      }
      expect([...names.values()]).toEqual(expected);
    });
  }
  async function pay({ baseUrl }: RoleSet, requestId: string) {
    const request = { ...describeSpend(demo), requestId };
    const headers = bearer(demo.agent.executorKey);
    const steps = await readSteps(await fetch(`${baseUrl}/api/agent/run`, buildRequest(request, headers)));
    expect(steps.at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
  }
  /** All that must work while two sets run, and after. */
  async function requireService(...running: RoleSet[]) {
    await deliver();
    for (const set of running) {
      expect((await call(`${hooks(set)}`, asHolder)).body.webhooks).toMatchObject([{ id, signing: 'ready' }]);
      expect((await call(`${set.baseUrl}/api/agent/session`, session)).status).toBe(200);
      await pay(set, `${sets.indexOf(set)} of ${running.length} in round ${sets.length}`);
    }
  }
  await requireService(first);

  // The password of the database, that of the store, and first step of the admin secret.
  await database.query(`create role ${login} login password 'new' in role ${role}`);
  await database.query(`alter role ${login} set role = ${role}`);
  await store.acl('SETUSER', 'default', '>new');
  const second = await start({
    DATABASE_URL: database.buildUrl(login, 'new'),
    REDIS_URL: withPassword('new'),
    MARKETPLACE_ADMIN_SECRET_FALLBACK: admin!.next,
  });
  await requireService(first, second);
  await first.stop();
  await database.query(`alter role ${role} nologin`);
  await store.acl('SETUSER', 'default', '<old');
  await expect(query(database.buildUrl(role, 'old'), 'select')).rejects.toThrow();
  await requireService(second);

  // Second step of the admin secret, and the secrets that requests carry.
  const third = await start({
    MARKETPLACE_ADMIN_SECRET: admin!.next,
    MARKETPLACE_ADMIN_SECRET_FALLBACK: admin!.old,
    CRON_SECRET: cron!.next,
    INTERNAL_AGENT_SECRET: internal!.next,
  });
  webhookSecret = hook!.next;
  const rotation = { secret: webhookSecret, keepPreviousSecretMs: 600_000 };
  expect((await call(`${hooks(third)}/${id}`, asHolder, rotation, 'PATCH')).status).toBe(200);
  await requireService(second, third);
  await second.stop();
  const dispatch = `${hooks(third)}/dispatch?network=testnet`;
  expect((await call(dispatch, bearer(cron!.next))).status).toBe(200);
  expect((await call(dispatch, bearer(cron!.old))).status).toBe(401);
  expect((await issue(third, admin!.old)).status).toBe(401);
  const reseal = await run(
    process.execPath,
    [join(import.meta.dirname, '../../services/dispatcher/command.ts'), '--reseal-secrets'],
    { cwd: world.dir, env: { ...third.env, PATH: process.env.PATH, DATA_DIR: world.dir } },
  );
  expect(reseal.stdout.split('\n')[0]).toBe('{"resealed":1,"unreadable":0}');
  await requireService(third);

  // Third step of the admin secret, the secret of the installation, and the managed key.
  await query(
    env.DATABASE_URL,
    'update installation_secret set secret = uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid())',
  );
  const client = new SuiGrpcClient({ network: 'localnet', baseUrl: demo.rpcUrl });
  const payer = await createAccount(client, demo.faucetUrl);
  const fourth = await start({
    MARKETPLACE_ADMIN_SECRET_FALLBACK: '',
    AGENT_SECRET_KEY: payer.keypair.getSecretKey(),
  });
  const used = await query(
    env.DATABASE_URL,
    'select distinct network, wallet_id, owner from agent_runs where agent = $1',
    [demo.host.address],
  );
  const { walletId } = demo.owner;
  expect(used).toEqual([{ network: 'testnet', wallet_id: walletId, owner: owner.address }]);
  const address = `/api/agent/address?walletId=${walletId}`;
  const granted = (await call(third.agentUrl + address, {})).body;
  const next = (await call(fourth.agentUrl + address, {})).body;
  expect([granted.payer, next.payer]).toEqual([demo.host.address, payer.address]);
  expect([granted.address, next.address]).toEqual([
    demo.agent.address,
    expect.not.stringMatching(granted.address),
  ]);
  const target = { packageId: demo.packages.wallet, wallet: walletId };
  const coinType = '0x2::sui::SUI';
  await execute({ ...owner, client }, (tx) => {
    delegate.add(tx, target, next.address);
    scopedCap.mintRoot(tx, target, {
      coinType,
      budget: 1_000_000_000n,
      maxDepth: 0,
      recipient: next.address,
    });
  });
  await requireService(third, fourth);
  await third.stop();
  await execute({ ...owner, client }, (tx) => void delegate.remove(tx, target, granted.address));
  const host = {
    address: demo.host.address,
    keypair: Ed25519Keypair.fromSecretKey(demo.host.secretKey),
    client,
  };
  await execute(host, (tx) => void tx.transferObjects([tx.gas], payer.address));
  expect((await client.core.getBalance({ owner: host.address, coinType })).balance.balance).toBe('0');
  await requireService(fourth);

  // An API key, with its webhook.
  const other = (await issue(fourth, admin!.next)).body;
  const asNext = { 'x-api-key': other.key };
  const again = { ...subscription, url: `${receiver.url}/second`, secret: webhookSecret };
  expect((await call(hooks(fourth), asNext, again, 'POST')).status).toBe(200);
  expect((await call(`${hooks(fourth)}/${id}`, asHolder, undefined, 'DELETE')).status).toBe(204);
  const revoked = await call(
    `${fourth.baseUrl}/api/adaptors/keys/${keyId}`,
    bearer(admin!.next),
    undefined,
    'DELETE',
  );
  expect(revoked.status).toBe(204);
  expect((await call(hooks(fourth), asHolder)).status).toBe(401);
  expected.length = 0;
  await deliver('/second');
});
