import { NodeRefusedError, startNodeDouble } from '@adaptor-marketplace/adaptor/testing/node-double';
import { execute } from '@adaptor-marketplace/localnet/account';
import type { MisbehaviourPatch } from '@adaptor-marketplace/localnet/misbehaviour/schema';
import type { GrpcTypes } from '@mysten/sui/grpc';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { RunStep } from '../../lib/agent/shapes.ts';
import { listNamedVersions } from '../../services/agent/chain/signed-transaction.ts';
import { asInternal, readSteps, shop, startTestAgent, type TestAgent } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { eventually } from '../support/eventually.ts';
import { asAdmin } from '../support/keys.ts';
import { losing } from '../support/losing-pool.ts';
import { coinType } from '../support/wallet-packages.ts';
import { behave, readRefusal, readRun, spend, useAgentWorld, wallet, world } from './set-up.ts';

let agent: TestAgent;

useAgentWorld();
beforeEach(async () => {
  agent = await startTestAgent(world);
  // Before its first run a process makes the gas coins, and looks up what used those that it knows: tests use them without a
  // run. An unresponsive node would prevent both later.
  const last = (await readSteps(await agent.post(spend({}, await world.wallet())))).at(-1);
  expect(last).toMatchObject({ step: 'confirm', status: 'done' });
});
afterEach(async () => {
  behave();
  await agent.close();
});

const misbehave = (patch: MisbehaviourPatch) => world.network.localnet.misbehaviour.set(patch);
const ledger = () => world.network.localnet.ledger;
const lookups: ('GetTransaction' | 'BatchGetTransactions')[] = ['GetTransaction', 'BatchGetTransactions'];
const limits = async ({ walletId } = wallet) =>
  (
    await world.db.pool.query(
      `select reserved::int, spent::int from agent_limits where subject = 'wallet:' || $1 and measure = $2`,
      [walletId, coinType],
    )
  ).rows[0];

/** Follows the advice of an error line as a client does: sends the action again with another requestId. */
async function followAdvice(last: RunStep): Promise<void> {
  if (last.status === 'error' && /another requestId/.test(last.detail ?? '')) {
    await readSteps(await agent.post(spend({ requestId: 'as advised' })));
  }
}

interface SignedRow {
  id: number;
  digest: string;
  transaction: Buffer;
}

/** Resolves when the wallet's run is signed and its submission has got no answer. */
async function troubled(): Promise<SignedRow> {
  return await eventually(async () => {
    const row = await readRun();
    expect(row?.state).toBe('signed');
    const { rows } = await world.db.pool.query(
      `select from agent_run_steps where run = $1 and step = 'execute' and detail is not null`,
      [row.id],
    );
    expect(rows).toHaveLength(1);
    return row;
  });
}

const findGasCoin = ({ transaction }: SignedRow) => listNamedVersions(transaction).keys().next().value!;

/** Executes another transaction of the key that uses the run's gas coin. The answer to it may be lost as well. */
async function useGasCoin(row: SignedRow): Promise<void> {
  const objectId = findGasCoin(row);
  const { version, digest } = ledger().getObject(objectId)!;
  await execute(world.agent, (tx) => {
    tx.setGasPayment([{ objectId, version: String(version), digest }]);
    tx.transferObjects([tx.splitCoins(tx.gas, [1n])], shop);
  }).catch(() => undefined);
  expect(ledger().getObject(objectId)?.previousTransaction).not.toBe(row.digest);
}

/** Resolves when the agent has read the run's gas coin `count` more times, or has given the run up. */
async function roundsPass(row: SignedRow, count: number): Promise<void> {
  const coin = findGasCoin(row);
  const reads = vi.spyOn(ledger(), 'getObject');
  const seen = () => reads.mock.calls.filter(([id, version]) => id === coin && version === undefined).length;
  await eventually(async () => {
    const { state } = await readRun();
    expect(state !== 'signed' || seen() >= count).toBe(true);
  });
  reads.mockRestore();
}

/** Prunes all but the newest checkpoint. If the transaction executed, its checkpoint is an earlier one. */
async function pruneBeyond({ digest }: Pick<SignedRow, 'digest'>): Promise<void> {
  const from = ledger().highestCheckpoint;
  await eventually(() => expect(ledger().highestCheckpoint).toBeGreaterThan(from + 1n));
  misbehave({ prune: { below: Number(ledger().highestCheckpoint) } });
  expect(ledger().getTransaction(digest)).toBeUndefined();
}

describe('a transaction that executed is never declared overtaken', () => {
  test('executing and looking up both fail while its gas coin moves on: it is paid once', async () => {
    misbehave({
      loseAnswers: { answer: 'DEADLINE_EXCEEDED', share: 1, seed: 1 },
      failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1, methods: lookups },
    });
    const streaming = agent.post(spend());
    const row = await troubled();
    await useGasCoin(row);
    await roundsPass(row, 5);
    expect((await readRun()).state).toBe('signed');
    behave();
    const last = (await readSteps(await streaming)).at(-1)!;
    await followAdvice(last);
    expect(last).toMatchObject({ step: 'confirm', status: 'done', digest: row.digest });
    expect(await world.balance(wallet.walletId)).toBe(990n);
  });

  test('the database loses an answer when the next process resumes it: nothing but the chain ends it', async () => {
    misbehave({
      loseAnswers: { answer: 'DEADLINE_EXCEEDED', share: 1, seed: 1 },
      failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1, methods: lookups },
    });
    void agent.post(spend()).then((answer) => answer.text());
    const { id, digest } = await troubled();
    await agent.close();
    behave();
    const db = { ...world.db, pool: losing(world.db.pool, 'update agent_runs set state') };
    agent = await startTestAgent(world, { db });
    await eventually(async () => expect((await readRun()).state).not.toBe('signed'));
    const last = (await fetchSteps(id)).at(-1)!;
    await followAdvice(last);
    expect(last).toMatchObject({ step: 'confirm', status: 'done', digest });
    expect(await world.balance(wallet.walletId)).toBe(990n);
  });

  test('a node that answers one look-up in five: the same', async () => {
    misbehave({ loseAnswers: { answer: 'DEADLINE_EXCEEDED', share: 1, seed: 1 } });
    misbehave({ failCalls: { code: 'INTERNAL', share: 1, seed: 1, methods: lookups } });
    const streaming = agent.post(spend());
    const row = await troubled();
    await useGasCoin(row);
    // With this seed the first four calls fail, and two of the next ones succeed.
    misbehave({ failCalls: { code: 'INTERNAL', share: 0.8, seed: 17, methods: lookups } });
    const last = (await readSteps(await streaming)).at(-1)!;
    await followAdvice(last);
    expect(last).toMatchObject({ step: 'confirm', status: 'done', digest: row.digest });
    expect(await world.balance(wallet.walletId)).toBe(990n);
  });

  test('a node that answers all and has pruned it: nobody knows, and nothing is paid again', async () => {
    misbehave({
      loseAnswers: { answer: 'DEADLINE_EXCEEDED', share: 1, seed: 1 },
      failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1, methods: lookups },
    });
    const streaming = agent.post(spend({ requestId: 'pruned' }));
    const row = await troubled();
    await useGasCoin(row);
    await pruneBeyond(row);
    behave();
    const last = (await readSteps(await streaming)).at(-1)!;
    await followAdvice(last);
    expect(last).toMatchObject({ step: 'execute', status: 'error', code: 'unknown', digest: row.digest });
    expect(await world.balance(wallet.walletId)).toBe(990n);
    expect(await readRun()).toMatchObject({ state: 'unknown', code: 'unknown', ended_at: null });
  });

  test('an object that shows that it executed is enough to say so, where nobody shows how it went', async () => {
    misbehave({
      loseAnswers: { answer: 'DEADLINE_EXCEEDED', share: 1, seed: 1 },
      failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1, methods: lookups },
    });
    const streaming = agent.post(spend());
    const row = await troubled();
    expect(ledger().getObject(findGasCoin(row))?.previousTransaction).toBe(row.digest);
    await pruneBeyond(row);
    behave();
    const last = (await readSteps(await streaming)).at(-1)!;
    expect(last).toMatchObject({
      code: 'unknown',
      detail: expect.stringMatching(/^The transaction executed/),
    });
  });
});

test('a transaction that executed is done though no node shows it', async () => {
  misbehave({ failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1, methods: lookups } });
  const last = (await readSteps(await agent.post(spend()))).at(-1)!;
  expect(last).toMatchObject({
    step: 'confirm',
    status: 'done',
    digest: expect.any(String),
    detail: 'The transaction executed, but the node does not return it yet.',
  });
  expect(await readRun()).toMatchObject({ state: 'done', digest: last.digest });
  expect((await readRun()).gas_charged).toMatch(/^[1-9]/);
  expect(await limits()).toEqual({ reserved: 0, spent: 10 });
  expect(await world.balance(wallet.walletId)).toBe(990n);
});

describe('an archive', () => {
  /** A node that still has everything: it answers with the network's data at this moment. */
  async function startArchive(...digests: string[]) {
    const { ledgerService } = world.network.client;
    const { response: info } = await ledgerService.getServiceInfo({});
    const { response } = await ledgerService.batchGetTransactions({ digests, readMask: { paths: ['*'] } });
    const results = new Map(digests.map((digest, place) => [digest, response.transactions[place]!]));
    const of = (digest = '') => results.get(digest) ?? results.get(digests[0]!)!;
    return await startNodeDouble({
      // The answers have no headers with the node's position, so the agent calls this method.
      getServiceInfo: () => ({ ...info, lowestAvailableCheckpoint: 0n }),
      batchGetTransactions: ({ digests: asked }: GrpcTypes.BatchGetTransactionsRequest) => ({
        transactions: asked.map(of),
      }),
      getTransaction({ digest }: GrpcTypes.GetTransactionRequest) {
        const { result } = of(digest);
        if (result.oneofKind === 'transaction') return { transaction: result.transaction };
        throw new NodeRefusedError(5, 'not found');
      },
    });
  }

  /** Restarts the agent service with the archive. */
  async function restartWith(archive: { url: string }): Promise<void> {
    await agent.close();
    const networks = world.options.networks.map((network) => ({ ...network, archiveUrl: archive.url }));
    agent = await startTestAgent(world, { networks });
  }

  test('has what the node pruned: the run is done', async () => {
    misbehave({
      loseAnswers: { answer: 'DEADLINE_EXCEEDED', share: 1, seed: 1 },
      failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1, methods: lookups },
    });
    const body = spend({ requestId: 'archived' });
    void agent.post(body).then((answer) => answer.text());
    const row = await troubled();
    await useGasCoin(row);
    await agent.close();
    behave();
    await eventually(() => expect(ledger().getTransaction(row.digest)?.checkpoint).toBeDefined());
    const archive = await startArchive(row.digest);
    await pruneBeyond(row);
    await restartWith(archive);
    const last = (await readSteps(await agent.post(body))).at(-1)!;
    expect(last).toMatchObject({ step: 'confirm', status: 'done', digest: row.digest });
    archive.close();
  });

  test('has what used the coin and not the transaction: it never executed', async () => {
    misbehave({
      failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1, methods: ['ExecuteTransaction', ...lookups] },
    });
    const body = spend({ requestId: 'never' });
    void agent.post(body).then((answer) => answer.text());
    const row = await troubled();
    await agent.close();
    behave();
    await useGasCoin(row);
    const mover = ledger().getObject(findGasCoin(row))!.previousTransaction;
    await eventually(() => expect(ledger().getTransaction(mover)?.checkpoint).toBeDefined());
    const archive = await startArchive(row.digest, mover);
    await pruneBeyond(row);
    await restartWith(archive);
    const last = (await readSteps(await agent.post(body))).at(-1)!;
    expect(last).toMatchObject({ step: 'execute', status: 'error', code: 'overtaken' });
    expect(await world.balance(wallet.walletId)).toBe(1000n);
    archive.close();
  });

  test('that does not answer leaves the run signed', async () => {
    misbehave({
      failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1, methods: ['ExecuteTransaction', ...lookups] },
    });
    void agent.post(spend()).then((answer) => answer.text());
    const row = await troubled();
    await agent.close();
    behave();
    await useGasCoin(row);
    await pruneBeyond(row);
    await restartWith({ url: 'http://127.0.0.1:1' });
    await roundsPass(row, 5);
    expect((await readRun()).state).toBe('signed');
    // Without the archive, the outcome cannot be known.
    await agent.close();
    agent = await startTestAgent(world);
    await eventually(async () => expect((await readRun()).state).toBe('unknown'));
  });
});

const settle = (id: number | string, body: unknown, headers: Record<string, string> = asAdmin) =>
  agent.ask(`/api/agent/runs/${id}/settle`, buildRequest(body, headers));
const fetchSteps = async (id: number) =>
  readSteps(await agent.ask(`/api/agent/runs/${id}/stream`, { headers: asAdmin }));

const tables = [
  ...['agent_runs', 'agent_run_steps', 'agent_reservations', 'agent_limits'],
  ...['agent_gas_coins', 'agent_gas_splits'],
];

/** Saves the state of the agent. Returns a function that restores it. */
async function backUp(): Promise<() => Promise<void>> {
  const { pool } = world.db;
  const rows = new Map<string, string>();
  for (const table of tables) {
    const { rows: kept } = await pool.query(`select json_agg(t)::text as kept from ${table} t`);
    rows.set(table, kept[0].kept ?? '[]');
  }
  return async () => {
    for (const [table, kept] of rows) {
      await pool.query(`delete from ${table}`);
      await pool.query(
        `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, $1)`,
        [kept],
      );
    }
  };
}

/** Restores a backup with a signed run, long after that run was done and its transaction pruned. */
async function restoreBackup(): Promise<SignedRow> {
  const methods = ['ExecuteTransaction' as const, ...lookups];
  misbehave({ failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1, methods } });
  const streaming = agent.post(spend({ requestId: 'backed up' }));
  const row = await troubled();
  const restore = await backUp();
  behave();
  expect((await readSteps(await streaming)).at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
  const later = await world.wallet();
  expect((await readSteps(await agent.post(spend({}, later)))).at(-1)?.status).toBe('done');
  await pruneBeyond(row);
  await agent.close();
  await restore();
  agent = await startTestAgent(world);
  await eventually(async () => expect((await readRun()).state).toBe('unknown'));
  return row;
}

describe('a restored backup with a signed run', () => {
  test('is unknown: the wallet and its limits stay, the key is free, and an operator ends it as executed', async () => {
    const { id, digest } = await restoreBackup();
    expect(await limits()).toEqual({ reserved: 10, spent: 0 });
    expect(await readRefusal(await agent.post(spend({ requestId: 'next' })))).toEqual([
      409,
      'awaiting_settlement',
    ]);
    const other = await world.wallet();
    expect((await readSteps(await agent.post(spend({}, other)))).at(-1)?.status).toBe('done');
    // The request is sent again: its lines are shown, and the run stays as it is.
    const lines = await readSteps(await agent.post(spend({ requestId: 'backed up' })));
    expect(lines.at(-1)).toMatchObject({ status: 'error', code: 'unknown' });

    const note = 'An explorer shows the digest.';
    const spent = [{ coinType, amount: '8' }];
    const answer = await settle(id, { outcome: 'executed', note, spent });
    expect([answer.status, answer.headers.get('x-run-id')]).toEqual([200, String(id)]);
    expect(await answer.json()).toMatchObject({ state: 'done', code: null, settledNote: note, digest });
    expect(await limits()).toEqual({ reserved: 0, spent: 8 });
    expect(await fetchSteps(id)).toEqual([
      ...lines,
      {
        step: 'confirm',
        status: 'done',
        digest,
        detail: `The operator settled this run as executed: ${note}`,
      },
    ]);
    expect((await readSteps(await agent.post(spend({ requestId: 'next' })))).at(-1)?.status).toBe('done');
  });

  test('ended as not executed gives back what was set aside, and its lines have their codes', async () => {
    const { id } = await restoreBackup();
    const answer = await settle(id, { outcome: 'not_executed', note: 'No archive has it.' });
    expect(await answer.json()).toMatchObject({ state: 'failed', code: 'not_executed' });
    expect(await limits()).toEqual({ reserved: 0, spent: 0 });
    const errors = (await fetchSteps(id)).filter(({ status }) => status === 'error');
    expect(errors.map(({ code }) => code)).toEqual(['unknown', 'not_executed']);
    expect(errors.at(-1)?.detail).toContain('No archive has it.');
    const { steps } = await (await agent.ask(`/api/agent/runs/${id}`, { headers: asAdmin })).json();
    expect(steps.slice(-2).map(({ code }: RunStep) => code)).toEqual(['unknown', 'not_executed']);
    // The run was signed: the same request shows its lines, and there is no second attempt.
    const again = await agent.post(spend({ requestId: 'backed up' }));
    expect([again.headers.get('x-run-id'), again.headers.get('x-run-attempt')]).toEqual([String(id), '1']);
    await again.text();
    expect((await readSteps(await agent.post(spend({ requestId: 'next' })))).at(-1)?.status).toBe('done');
  });

  test('without the checkpoint of its signature is unknown even on a node that has pruned nothing', async () => {
    const methods = ['ExecuteTransaction' as const, ...lookups];
    misbehave({ failCalls: { code: 'UNAVAILABLE', share: 1, seed: 1, methods } });
    void agent.post(spend()).then((answer) => answer.text());
    const row = await troubled();
    await agent.close();
    behave();
    await useGasCoin(row);
    await world.db.pool.query(
      'update agent_runs set signed_checkpoint = null, signed_at = null where id = $1',
      [row.id],
    );
    agent = await startTestAgent(world);
    await eventually(async () => expect((await readRun()).state).toBe('unknown'));
  });
});

describe('settling', () => {
  const outcome = { outcome: 'not_executed', note: 'n' };

  test('is for the admin, and for runs that are unknown', async () => {
    await readSteps(await agent.post(spend()));
    const { id } = await readRun();
    for (const headers of [{}, asInternal] as Record<string, string>[]) {
      expect((await settle(id, outcome, headers)).status).toBe(401);
    }
    expect(await readRefusal(await settle(id, outcome))).toEqual([409, 'run_not_unknown']);
    expect(await readRefusal(await settle(987_654, outcome))).toEqual([404, 'run_not_found']);
    expect(await readRefusal(await settle('none', outcome))).toEqual([404, 'run_not_found']);
    expect((await readRun()).state).toBe('done');
  });

  test('takes what it says and nothing beside: no more than was set aside, each coin once', async () => {
    await readSteps(await agent.post(spend()));
    const { id } = await readRun();
    await world.db.pool.query(`update agent_runs set state = 'unknown', code = 'unknown' where id = $1`, [
      id,
    ]);
    const executed = { outcome: 'executed', note: 'n' };
    const coin = (amount: string, type = coinType) => ({ coinType: type, amount });
    for (const [body, path] of [
      [{ ...outcome, extra: 1 }, 'body.extra'],
      [{ outcome: 'executed' }, 'body.note'],
      [{ ...executed, note: 'x'.repeat(501) }, 'body.note'],
      [{ ...outcome, outcome: 'perhaps' }, 'body.outcome'],
      [{ ...outcome, spent: [coin('1')] }, 'body.spent'],
      [{ ...executed, spent: [coin('11')] }, 'body.spent.0.amount'],
      [{ ...executed, spent: [coin('1'), coin('1', '0x7::a::A')] }, 'body.spent.1.amount'],
      [{ ...executed, spent: [coin('1'), coin('1')] }, 'body.spent.1.coinType'],
      [{ ...executed, spent: [{ ...coin('1'), wallet: '0x1' }] }, 'body.spent.0.wallet'],
    ] as const) {
      const answer = await settle(id, body);
      expect([answer.status, (await answer.json()).errors]).toMatchObject([400, [{ path }]]);
    }
    expect((await readRun()).state).toBe('unknown');
    expect((await settle(id, { ...executed, spent: [] })).status).toBe(200);
    expect(await readRefusal(await settle(id, executed))).toEqual([409, 'run_not_unknown']);
  });
});
