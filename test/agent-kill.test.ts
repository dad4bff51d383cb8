import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { type RunStepName, runSteps } from '../lib/agent/shapes.ts';
import {
  type AgentWorld,
  asInternal,
  internalSecret,
  linesOf,
  shop,
  startAgentWorld,
} from './support/agent-world.ts';
import { coinType } from './support/wallet-packages.ts';

let world: AgentWorld;
const children = new Set<ChildProcess>();

beforeAll(async () => {
  world = await startAgentWorld();
  // Writing the line of a step waits for whoever holds the lock of that step.
  await world.db.pool.query(`
    create function wait_at_step() returns trigger language plpgsql as $$
    begin
      if new.status = 'active' then perform pg_advisory_xact_lock_shared(hashtext('step ' || new.step)); end if;
      return new;
    end $$;
    create trigger wait_at_step before insert on agent_run_steps for each row execute function wait_at_step()`);
});
afterAll(async () => {
  for (const child of children) await kill(child);
  await world?.close();
});

const script = fileURLToPath(new URL('support/agent-process.ts', import.meta.url));

async function startProcess(): Promise<{ child: ChildProcess; url: string }> {
  const { networks, toolsUrl } = world.options;
  const secretKey = world.agent.keypair.getSecretKey();
  const options = { networks, toolsUrl, internalSecret, secretKey, databaseUrl: world.db.url };
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, [script, JSON.stringify(options)], { stdio });
  children.add(child);
  const [url] = (await once(createInterface(child.stdout!), 'line')) as [string];
  return { child, url };
}

async function kill(child: ChildProcess): Promise<void> {
  children.delete(child);
  child.kill('SIGKILL');
  if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
}

/** Holds whoever would begin the step, until it is let go. */
async function holdStep(
  step: RunStepName,
): Promise<{ isAwaited(): Promise<boolean>; letGo(): Promise<void> }> {
  const client = new pg.Client({ connectionString: world.db.url });
  await client.connect();
  await client.query(`select pg_advisory_lock(hashtext('step ' || $1))`, [step]);
  return {
    async isAwaited() {
      const { rowCount } = await client.query(
        `select from pg_locks l where l.locktype = 'advisory' and not l.granted
          and l.database = (select oid from pg_database where datname = current_database())
          and l.mode = 'ShareLock'`,
      );
      return rowCount! > 0;
    },
    letGo: () => client.end(),
  };
}

const request = (walletId: string, requestId: string) =>
  JSON.stringify({
    ...{ owner: world.network.owner.address, walletId, network: 'testnet' },
    ...{ coinType, amount: '10', recipient: shop, requestId },
  });
const post = (url: string, body: string) =>
  fetch(`${url}/api/agent/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...asInternal },
    body,
  });

test('killed when any step begins, a run is settled by the next process: paid once or not at all, nothing left reserved', async () => {
  let running = await startProcess();
  for (const step of runSteps.slice(runSteps.indexOf('check'))) {
    const { walletId } = await world.wallet();
    const body = request(walletId, 'killed');
    const held = await holdStep(step);
    const stream = post(running.url, body)
      .then((answer) => answer.text())
      .then(
        () => 'whole',
        () => 'broken off',
      );
    await vi.waitFor(async () => expect(await held.isAwaited()).toBe(true));
    await kill(running.child);
    expect(await stream).toBe('broken off');
    await held.letGo();

    running = await startProcess();
    const last = (await linesOf(await post(running.url, body))).at(-1)!;
    const { rows } = await world.db.pool.query(
      `select r.state, r.code, r.digest, l.reserved::int, l.spent::int
        from agent_runs r join agent_limits l using (wallet_id) where r.wallet_id = $1`,
      [walletId],
    );
    // What was signed is never given up, and what was not is never run behind the caller's back.
    const signed = runSteps.indexOf(step) > runSteps.indexOf('sign');
    const { digest = null } = last;
    expect({ step, status: last.status, rows, balance: await world.balance(walletId) }).toEqual(
      signed
        ? {
            step,
            status: 'done',
            rows: [{ state: 'done', code: null, digest, reserved: 0, spent: 10 }],
            balance: 990n,
          }
        : {
            ...{ step, status: 'error', balance: 1000n },
            rows: [{ state: 'failed', code: 'interrupted', digest: null, reserved: 0, spent: 0 }],
          },
    );
    // The wallet and the key are free again.
    const next = (await linesOf(await post(running.url, request(walletId, 'next')))).at(-1);
    expect({ step, next }).toMatchObject({ next: { step: 'confirm', status: 'done' } });
  }
});
