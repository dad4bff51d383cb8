import { afterEach, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { AgentOptions } from '../../services/agent/index.ts';
import { readSteps, startTestAgent, type TestAgent } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { eventually } from '../support/eventually.ts';
import { acceptRows, refuseRows } from '../support/full-disk.ts';
import { fastTiming } from '../support/host-limits.ts';
import { asAdmin } from '../support/keys.ts';
import { startNodeProxy } from '../support/node-proxy.ts';
import { readLast, readRefusal, readRun, spend, useAgentWorld, wallet, world } from './set-up.ts';

useAgentWorld();
beforeAll(async () => {
  // The first run makes the gas coins.
  const first = await startTestAgent(world);
  await readSteps(await first.post(spend({}, await world.wallet())));
  await first.close();
});
afterEach(() => world.db.pool.query('delete from agent_freezes'));

async function startAgent(more: Partial<AgentOptions> = {}): Promise<TestAgent> {
  const agent = await startTestAgent(world, more);
  onTestFinished(() => agent.close());
  return agent;
}

/** An agent whose calls to the node go through a proxy. */
async function startBehindProxy(more: Partial<AgentOptions> = {}) {
  const [settings] = world.options.networks;
  const proxy = await startNodeProxy(world.network.localnet.rpcUrl);
  onTestFinished(() => proxy.close());
  const agent = await startAgent({ ...more, networks: [{ ...settings!, rpcUrl: proxy.url }] });
  return { proxy, agent };
}

/** Tables that change while a run goes on. */
const tables = ['agent_runs', 'agent_run_steps', 'agent_reservations', 'agent_limits', 'agent_gas_coins'];

/**
 * Copies what the database has of runs. `restore` loses what was written to all these tables since, as a failover or a
 * backup does, or to some of them.
 */
async function copyRuns(): Promise<{ restore(names?: readonly string[]): Promise<void> }> {
  const { pool } = world.db;
  for (const table of tables)
    await pool.query(
      `drop table if exists copy_of_${table}; create table copy_of_${table} as table ${table}`,
    );
  return {
    async restore(names = tables) {
      for (const table of names)
        await pool.query(
          `delete from ${table}; insert into ${table} overriding system value table copy_of_${table}`,
        );
    },
  };
}

/** Breaks the connection by which the agent holds its runs, as a failover does. */
const breakConnection = () =>
  world.db.pool.query(`select pg_terminate_backend(pid) from pg_stat_activity
    where application_name = 'agent worker' and datname = current_database()`);

const readFreezes = async () =>
  (await world.db.pool.query('select wallet_id, reason, digest from agent_freezes')).rows;
const unfreeze = ({ ask }: TestAgent) =>
  ask(`/api/agent/freezes?network=testnet&walletId=${wallet.walletId}`, {
    method: 'DELETE',
    headers: asAdmin,
  });

test('a payment whose run the database lost is not made again, and the operator gets its transaction', async () => {
  const agent = await startAgent();
  const before = await copyRuns();
  const request = spend({ requestId: 'lost' });
  const { digest } = await readLast(agent.post(request));
  await before.restore();
  await breakConnection();

  const again = await eventually(() => readLast(agent.post(request)));
  expect(again).toMatchObject({ status: 'error', code: 'frozen' });
  expect(await world.balance(wallet.walletId)).toBe(990n);
  expect(await readFreezes()).toEqual([
    { wallet_id: wallet.walletId, digest, reason: expect.stringContaining(digest!) },
  ]);
  await eventually(async () =>
    expect(await readRefusal(await agent.post(spend({ requestId: 'next' })))).toEqual([403, 'frozen']),
  );
  expect(await agent.metrics.getSingleMetricAsString('agent_wallets_frozen_unrecorded_total')).toMatch(
    / 1$/m,
  );

  await unfreeze(agent);
  await breakConnection();
  expect(await eventually(() => readLast(agent.post(spend({ requestId: 'next' }))))).toMatchObject({
    step: 'confirm',
    status: 'done',
  });
  expect(await readFreezes()).toEqual([]);
});

test('a database that cannot freeze a wallet is not reported as a node that is unavailable', async () => {
  const agent = await startAgent();
  const before = await copyRuns();
  const request = spend({ requestId: 'lost' });
  await readLast(agent.post(request));
  await before.restore();
  await refuseRows(world.db.pool, 'agent_freezes');
  onTestFinished(() => acceptRows(world.db.pool, 'agent_freezes'));
  await breakConnection();

  const again = await eventually(() => readLast(agent.post(request)));
  expect(again).toMatchObject({ status: 'error', code: 'internal_error' });
  expect(await world.balance(wallet.walletId)).toBe(990n);
});

test('a run whose signature the database lost is left to the operator, and not called interrupted', async () => {
  const { signer } = world.options;
  let before = await copyRuns();
  const first = await startTestAgent(world, {
    signer: {
      ...signer,
      async sign(transaction) {
        before = await copyRuns();
        return await signer.sign(transaction);
      },
    },
  });
  const request = spend({ requestId: 'lost' });
  const { digest } = await readLast(first.post(request));
  await first.close();
  await before.restore();
  expect(await readRun()).toMatchObject({ state: 'running', digest: null });

  const next = await startAgent();
  expect(await readRun()).toMatchObject({ state: 'unknown', digest });
  expect(await readLast(next.post(request))).toMatchObject({ status: 'error', code: 'unknown', digest });
  expect(await world.balance(wallet.walletId)).toBe(990n);

  const { id } = await readRun();
  const verdict = { outcome: 'executed', note: `${digest} paid 10` };
  const settled = await next.ask(`/api/agent/runs/${id}/settle`, buildRequest(verdict, asAdmin));
  expect(settled.status).toBe(200);
  expect(await readRun()).toMatchObject({ state: 'done' });
});

test('all transactions since a backup are found, on whichever gas coins, and those that have a run freeze nothing', async () => {
  const agent = await startAgent();
  const before = await copyRuns();
  const digests: string[] = [];
  // More than there are gas coins.
  for (let nth = 0; nth < 18; nth += 1)
    digests.push((await readLast(agent.post(spend({ amount: '1' })))).digest!);
  const other = await world.wallet();
  const { digest } = await readLast(agent.post(spend({}, other)));
  await agent.close();
  // Only the coins' versions are lost: each transaction is looked at, and has its run.
  await before.restore(['agent_gas_coins']);
  const looking = await startTestAgent(world);
  const later = await world.wallet();
  await readLast(looking.post(spend({}, later)));
  await looking.close();
  expect(await readFreezes()).toEqual([]);

  await before.restore();
  const next = await startAgent();
  await readLast(next.post(spend({}, await world.wallet())));
  const freezes = await readFreezes();
  expect(new Set(freezes.map((row) => row.wallet_id))).toEqual(
    new Set([wallet, other, later].map(({ walletId }) => walletId)),
  );
  const [several, one] = [wallet, other].map(({ walletId }) =>
    freezes.find((row) => row.wallet_id === walletId),
  );
  expect(digests).toContain(several.digest);
  expect(several.reason).toContain('and 15 more');
  expect(one.digest).toBe(digest);
});

test('a payment of another process freezes nothing, although it executes while a process looks and its run has not ended', async () => {
  const patient = { ...fastTiming.settleTiming, shownMsMax: 300_000 };
  const paying = await startBehindProxy({ settleTiming: patient });
  await readLast(paying.agent.post(spend({}, await world.wallet())));
  const executed = Promise.withResolvers<void>();
  const looked = Promise.withResolvers<void>();
  // A run asks for its transaction after it executed, and before the database has its end and the coin's new version.
  paying.proxy.meddle('GetTransaction', {
    async before() {
      executed.resolve();
      await looked.promise;
    },
  });

  const looking = await startBehindProxy();
  let payment: ReturnType<typeof readLast> | undefined;
  looking.proxy.meddle('ListOwnedObjects', {
    async before() {
      payment ??= readLast(paying.agent.post(spend()));
      await executed.promise;
    },
  });
  const read: string[] = [];
  looking.proxy.meddle('GetObject', {
    async before() {
      read.push((await readRun()).state);
    },
  });
  const other = await readLast(looking.agent.post(spend({}, await world.wallet())));
  expect(other).toMatchObject({ step: 'confirm', status: 'done' });
  expect(read).toContain('signed');
  expect(await readFreezes()).toEqual([]);
  looked.resolve();
  expect(await payment).toMatchObject({ step: 'confirm', status: 'done' });
});

test('a payment that is still sent when its run is lost freezes its wallet at once', async () => {
  const { proxy, agent } = await startBehindProxy();
  await readLast(agent.post(spend({}, await world.wallet())));
  const sent = Promise.withResolvers<void>();
  const passed = Promise.withResolvers<void>();
  proxy.meddle('ExecuteTransaction', {
    async before() {
      sent.resolve();
      await passed.promise;
    },
  });
  const before = await copyRuns();
  const request = spend({ requestId: 'lost' });
  const first = await agent.post(request);
  await sent.promise;
  const { digest } = await readRun();
  await before.restore();
  await breakConnection();

  await eventually(async () =>
    expect(await readFreezes()).toEqual([
      { wallet_id: wallet.walletId, digest, reason: expect.stringContaining(digest) },
    ]),
  );
  expect(await readRefusal(await agent.post(request))).toEqual([403, 'frozen']);
  passed.resolve();
  await eventually(async () => expect(await world.balance(wallet.walletId)).toBe(990n));
  await first.body?.cancel();
});

test('a run that a lost one has overtaken freezes its wallet before it ends', async () => {
  const { proxy, agent } = await startBehindProxy();
  await readLast(agent.post(spend({}, await world.wallet())));
  const sent = Promise.withResolvers<void>();
  proxy.meddle('ExecuteTransaction', {
    before: () => {
      sent.resolve();
      return new Promise(() => undefined);
    },
  });
  const before = await copyRuns();
  const first = await agent.post(spend());
  await sent.promise;
  const { transaction, signatures, digest } = await readRun();
  await agent.close();
  await first.body?.cancel().catch(() => undefined);
  await before.restore();

  const next = await startBehindProxy();
  next.proxy.meddle('ExecuteTransaction', {
    async before() {
      next.proxy.meddle('ExecuteTransaction', undefined);
      await world.network.client.executeTransaction({ transaction, signatures });
    },
  });
  const again = await readLast(next.agent.post(spend({ amount: '20' })));
  expect(again).toMatchObject({ status: 'error', code: 'overtaken' });
  expect(await readFreezes()).toContainEqual(expect.objectContaining({ wallet_id: wallet.walletId, digest }));
  expect(await readRefusal(await next.agent.post(spend()))).toEqual([403, 'frozen']);
  expect(await world.balance(wallet.walletId)).toBe(990n);
});
