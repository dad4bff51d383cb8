import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunStepName, runSteps } from '../../lib/agent/shapes.ts';
import { parseGasPayment } from '../../services/agent/chain/signed-transaction.ts';
import { asInternal, internalSecret, readSteps, shop } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { endChild } from '../support/end-child.ts';
import { eventually } from '../support/eventually.ts';
import { coinType } from '../support/wallet-packages.ts';
import { useAgentWorld, world } from './set-up.ts';

const children = new Set<ChildProcess>();

useAgentWorld();
beforeAll(async () => {
  // Storing the line of a step waits for the advisory lock of that step.
  await world.db.pool.query(`
    create function wait_at_step() returns trigger language plpgsql as $$
    declare step bigint := hashtext('step ' || new.step);
    begin
      if new.status = 'active' then
        perform pg_advisory_lock_shared(step);
        perform pg_advisory_unlock_shared(step);
      end if;
      return new;
    end $$;
    create trigger wait_at_step before insert on agent_run_steps for each row execute function wait_at_step()`);
});
afterAll(async () => {
  for (const child of children) await kill(child);
});

const script = fileURLToPath(new URL('../support/agent-process.ts', import.meta.url));

async function startProcess(): Promise<{ child: ChildProcess; url: string }> {
  const { networks, toolsUrl } = world.options;
  const secretKey = world.agent.keypair.getSecretKey();
  const database = new URL(world.db.directUrl);
  // The statements of a killed process must commit, not be cancelled. Otherwise the time of the kill decides the
  // outcome.
  database.searchParams.set('options', '-c client_connection_check_interval=0');
  const options = { networks, toolsUrl, internalSecret, secretKey, databaseUrl: database.href };
  const stdio: ['ignore', 'pipe', 'inherit'] = ['ignore', 'pipe', 'inherit'];
  const child = spawn(process.execPath, [script, JSON.stringify(options)], { stdio });
  children.add(child);
  const [url] = (await once(createInterface(child.stdout!), 'line')) as [string];
  return { child, url };
}

async function kill(child: ChildProcess): Promise<void> {
  children.delete(child);
  await endChild(child, 'SIGKILL');
}

/** A point at which a run is blocked, so that the test can kill its process there. */
interface Hold {
  /** Resolves when the run has reached this point. */
  reached(): Promise<void>;
  letGo(): Promise<void>;
}

/** Blocks every run that is about to begin the step. */
async function holdStep(step: RunStepName): Promise<Hold> {
  const client = new pg.Client({ connectionString: world.db.directUrl });
  await client.connect();
  await client.query(`select pg_advisory_lock(hashtext('step ' || $1))`, [step]);
  const waiting = `select from pg_locks l where l.locktype = 'advisory' and not l.granted
    and l.database = (select oid from pg_database where datname = current_database())
    and (l.classid::bigint << 32 | l.objid::bigint) = hashtext('step ' || $1)`;
  return {
    reached: () => eventually(async () => expect((await client.query(waiting, [step])).rowCount).toBe(1)),
    letGo: () => client.end(),
  };
}

/** Blocks the answer of the tool service. */
async function holdDraft(): Promise<Hold> {
  const asked = Promise.withResolvers<void>();
  world.tools.draft = () => {
    asked.resolve();
    return new Promise(() => undefined);
  };
  return {
    reached: () => asked.promise,
    async letGo() {
      world.tools.draft = world.honest;
    },
  };
}

const request = (walletId: string, requestId: string) =>
  JSON.stringify({
    owner: world.network.owner.address,
    walletId,
    network: 'testnet',
    coinType,
    amount: '10',
    recipient: shop,
    requestId,
  });
const post = (url: string, body: string) => fetch(`${url}/api/agent/run`, buildRequest(body, asInternal));

/**
 * A moment at which a process is killed, and the state in which the next process leaves the run before the request is
 * sent again.
 */
interface Moment {
  moment: string;
  hold(): Promise<Hold>;
  outcome: 'paid' | 'interrupted';
}

/** The runs of the wallet after the same request was sent again, and the attempt whose lines the answer has. */
const outcomes = {
  paid: { attempt: '1', runs: [{ attempt: 1, state: 'done', code: null }] },
  interrupted: {
    attempt: '2',
    runs: [
      { attempt: 1, state: 'failed', code: 'interrupted' },
      { attempt: 2, state: 'done', code: null },
    ],
  },
};
const begins = (outcome: Moment['outcome'], ...steps: RunStepName[]): Moment[] =>
  steps.map((step) => ({ moment: `${step} begins`, hold: () => holdStep(step), outcome }));

const taken = async (walletId: string) =>
  (
    await world.db.pool.query(
      `select reserved::int, spent::int from agent_limits
        where subject = 'wallet:' || $1 and measure like '%::%'`,
      [walletId],
    )
  ).rows;

/**
 * Each group is killed in one process: one wallet's run is blocked at each moment. Later moments come first, because a
 * blocked run would stop the next run from getting past the same point. One statement opens a run and locks the limits
 * that all runs share, so only one run can be blocked in it.
 */
const kills: Moment[][] = [
  [
    // A signed transaction is never given up.
    ...begins('paid', 'confirm', 'execute'),
    // A transaction that was not signed is never run without the caller's request.
    ...begins('interrupted', 'sign', 'simulate', 'check'),
    { moment: 'the tool service drafts', hold: holdDraft, outcome: 'interrupted' },
    ...begins('interrupted', 'draft'),
  ],
  begins('interrupted', 'guard'),
  begins('interrupted', 'authorize'),
  begins('interrupted', 'validate'),
];

/**
 * Coin versions in the gas payments of all signed transactions. A version in two of them could lock the coin or fail a
 * run.
 */
async function payments(): Promise<string[]> {
  const { rows } = await world.db.pool.query<{ transaction: Buffer }>(
    'select transaction from agent_runs where transaction is not null',
  );
  const paid = rows.flatMap(({ transaction }) => parseGasPayment(transaction));
  return paid.map(({ coinId, version }) => `${coinId} ${version}`);
}

test('covers every step', () => {
  const names = kills.flat().map(({ moment }) => moment);
  expect(names).toEqual(expect.arrayContaining(runSteps.map((step) => `${step} begins`)));
});

test.each(kills.map((moments) => ({ last: moments.at(-1)!.moment, count: moments.length, moments })))(
  'killed with $count runs that stand still, the last as $last, each is settled by the next process: paid once or not at all, nothing left reserved',
  async ({ moments }) => {
    let running = await startProcess();
    // The first run makes the gas coins.
    const { walletId: first } = await world.wallet();
    await readSteps(await post(running.url, request(first, 'first')));
    const runs: { moment: Moment; walletId: string; held: Hold; stream: Promise<string> }[] = [];
    for (const moment of moments) {
      const { walletId } = await world.wallet();
      const held = await moment.hold();
      const stream = post(running.url, request(walletId, 'killed'))
        .then((answer) => answer.text())
        .then(
          () => 'whole',
          () => 'aborted',
        );
      await held.reached();
      runs.push({ moment, walletId, held, stream });
    }
    await kill(running.child);
    for (const { stream } of runs) expect(await stream).toBe('aborted');
    // The database may still execute statements of the killed process when the next one takes over.
    const starting = startProcess();
    for (const { held } of runs) await held.letGo();
    running = await starting;
    for (const { moment, walletId } of runs) {
      if (moment.outcome === 'interrupted') {
        expect({ ...moment, balance: await world.balance(walletId) }).toEqual({ ...moment, balance: 1000n });
        // The database may open a run of the killed process after the next one has looked. The next process looks
        // again.
        await eventually(async () => expect(await taken(walletId)).toEqual([{ reserved: 0, spent: 0 }]));
      }
      const answer = await post(running.url, request(walletId, 'killed'));
      const attempt = answer.headers.get('x-run-attempt');
      const steps = await readSteps(answer);
      const last = steps.at(-1);
      const { rows: runs } = await world.db.pool.query(
        'select attempt, state, code from agent_runs where wallet_id = $1 order by id',
        [walletId],
      );
      expect({ ...moment, attempt, runs }).toEqual({ ...moment, ...outcomes[moment.outcome] });
      expect({ moment, last }).toMatchObject({ last: { step: 'confirm', status: 'done' } });
      // A client takes this line for the end of the run.
      expect(steps.filter(({ step, status }) => step === 'confirm' && status === 'done')).toEqual([last]);
      expect(await world.balance(walletId)).toBe(990n);
      expect(await taken(walletId)).toEqual([{ reserved: 0, spent: 10 }]);
      // The wallet accepts the next run.
      const next = (await readSteps(await post(running.url, request(walletId, 'next')))).at(-1);
      expect({ moment, next }).toMatchObject({ next: { step: 'confirm', status: 'done' } });
    }
    const paid = await payments();
    expect(paid.length).toBe(new Set(paid).size);
    const { rows: coins } = await world.db.pool.query('select run, stale from agent_gas_coins');
    expect(coins).toEqual(Array(16).fill({ run: null, stale: false }));
  },
);
