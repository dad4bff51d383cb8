import { policy, scopedCap, wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import { execute } from '@adaptor-marketplace/localnet/account';
import { describe, expect, test } from 'vitest';
import { examples } from '../../lib/actions/examples.ts';
import { answerBytesMax } from '../../lib/http/bounded-page.ts';
import type { AgentSigner } from '../../services/agent/key/signer.ts';
import {
  type AgentWallet,
  asInternal,
  executorKey,
  readSteps,
  shop,
  startTestAgent,
} from '../support/agent-world.ts';
import { eventually } from '../support/eventually.ts';
import { asAdmin } from '../support/keys.ts';
import { losing } from '../support/losing-pool.ts';
import { buildDraft } from '../support/tool-double.ts';
import { coinType } from '../support/wallet-packages.ts';
import { agent, readRefusal, spend, useAgent, wallet, world } from './set-up.ts';

useAgent();

/** A request that may be sent again: it has an id. */
const spendOnce = (more: Record<string, unknown> = {}, from?: AgentWallet) =>
  spend({ requestId: 'r', ...more }, from);
const about = ({ headers }: Response) => [headers.get('x-run-id'), headers.get('x-run-attempt')];
const outOfOrder = async () => ({ status: 500, body: {} });
const readRuns = async ({ walletId } = wallet) =>
  (
    await world.db.pool.query(
      'select id, attempt, state, code from agent_runs where wallet_id = $1 order by id',
      [walletId],
    )
  ).rows;
/** The wallet's one run, which failed before anything was signed. */
async function failOnce(): Promise<void> {
  world.tools.draft = outOfOrder;
  const last = (await readSteps(await agent.post(spendOnce()))).at(-1)!;
  expect(last).toMatchObject({ step: 'draft', status: 'error', code: 'tools_unavailable' });
  world.tools.draft = world.honest;
}

describe('the same request again', () => {
  test('begins another attempt where nothing was signed, and replays the latest one else', async () => {
    await failOnce();
    const second = await agent.post(spendOnce());
    const lines = await readSteps(second);
    expect(lines.at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
    const runs = await readRuns();
    expect(runs).toMatchObject([
      { attempt: 1, state: 'failed', code: 'tools_unavailable' },
      { attempt: 2, state: 'done', code: null },
    ]);
    expect(about(second)).toEqual([String(runs[1].id), '2']);
    const third = await agent.post(spendOnce());
    expect([about(third), await readSteps(third)]).toEqual([about(second), lines]);
    for (const [requestId, ids] of [
      ['r', [runs[1].id, runs[0].id]],
      ['other', []],
    ]) {
      const path = `/api/agent/runs?walletId=${wallet.walletId}&requestId=${requestId}`;
      const { runs: found } = (await (await agent.ask(path, { headers: asInternal })).json()) as {
        runs: { id: string }[];
      };
      expect(found.map(({ id }) => Number(id))).toEqual(ids);
    }
    expect(await world.balance(wallet.walletId)).toBe(990n);
  });

  test('must be the same, also where its run failed', async () => {
    await failOnce();
    const other = await agent.post(spendOnce({ amount: '11' }));
    expect(await readRefusal(other)).toEqual([422, 'request_id_reused']);
    expect(await readRuns()).toHaveLength(1);
  });

  test('waits its turn behind another run of the wallet, and is not lost', async () => {
    await failOnce();
    const drafting = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    world.tools.draft = async (request) => {
      asked.resolve();
      await drafting.promise;
      return await world.honest(request);
    };
    const other = agent.post(spendOnce({ requestId: 'other' }));
    await asked.promise;
    expect(await readRefusal(await agent.post(spendOnce()))).toEqual([409, 'already_running']);
    drafting.resolve();
    await readSteps(await other);
    const again = await agent.post(spendOnce());
    expect([again.headers.get('x-run-attempt'), (await readSteps(again)).at(-1)?.status]).toEqual([
      '2',
      'done',
    ]);
  });

  test('sent many times at once to two processes is one more attempt, which all of them follow', async () => {
    const other = await startTestAgent(world);
    await failOnce();
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, nth) => (nth % 2 ? agent : other).post(spendOnce())),
    );
    const seen = await Promise.all(
      answers.map(async (answer) => ({ about: about(answer), lines: await readSteps(answer) })),
    );
    const runs = await readRuns();
    expect(runs.map(({ attempt }) => attempt)).toEqual([1, 2]);
    for (const one of seen) expect(one).toEqual({ about: [String(runs[1].id), '2'], lines: seen[0]!.lines });
    expect(await world.balance(wallet.walletId)).toBe(990n);
    await other.close();
  });

  test('replays a run that failed once it was signed: it may not be paid again by itself', async () => {
    const { signer } = world.options;
    const packageId = world.network.packages.wallet;
    const target = { packageId, wallet: wallet.walletId };
    const pausing: AgentSigner = {
      ...signer,
      async sign(bytes) {
        await execute(world.network.owner, (tx) => wallets.setPaused(tx, target, true));
        return await signer.sign(bytes);
      },
    };
    const late = await startTestAgent(world, { signer: pausing });
    const lines = await readSteps(await late.post(spendOnce()));
    expect(lines.at(-1)).toMatchObject({ step: 'execute', status: 'error', code: 'move_abort' });
    const again = await agent.post(spendOnce());
    expect([again.headers.get('x-run-attempt'), await readSteps(again)]).toEqual(['1', lines]);
    await late.close();
  });
});

test('a run whose opening the database does not confirm ends by itself, and is tried again', async () => {
  const db = { ...world.db, pool: losing(world.db.pool, 'insert into agent_runs') };
  const unlucky = await startTestAgent(world, { db });
  expect((await unlucky.post(spendOnce())).status).toBe(503);
  // The run is stored and its worker is alive, but no code drives it.
  await eventually(async () =>
    expect(await readRuns()).toMatchObject([{ state: 'failed', code: 'interrupted' }]),
  );
  const last = (await readSteps(await unlucky.post(spendOnce()))).at(-1)!;
  expect(last).toMatchObject({ step: 'confirm', status: 'done' });
  expect(await readRuns()).toMatchObject([{ state: 'failed' }, { state: 'done', attempt: 2 }]);
  await unlucky.close();
});

test('a run whose signature the database does not confirm is paid once, whatever became of the answer', async () => {
  const db = { ...world.db, pool: losing(world.db.pool, "set state = 'signed'") };
  const unlucky = await startTestAgent(world, { db });
  const ending = unlucky.post(spendOnce({ requestId: 'unconfirmed' }));
  expect((await readSteps(await ending)).at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
  expect(await world.balance(wallet.walletId)).toBe(990n);
  await unlucky.close();
});

describe('reads of a run', () => {
  const get = (path: string, headers: Record<string, string>) =>
    agent.ask(`/api/agent/runs/${path}`, { headers });

  test('are for the callers of its wallet; to others it does not exist', async () => {
    const key = await executorKey(agent, wallet.walletId);
    const lines = await readSteps(await agent.post(spendOnce(), key));
    const [{ id }] = await readRuns();
    for (const headers of [key, asInternal, asAdmin]) {
      const shown = await get(String(id), headers);
      expect(about(shown)).toEqual([String(id), '1']);
      const { steps, ...run } = await shown.json();
      expect(run).toMatchObject({
        id: String(id),
        attempt: 1,
        state: 'done',
        code: null,
        settledNote: null,
        reserved: [{ coinType, amount: '10' }],
      });
      expect(steps.map(({ atMs: _, ...step }: { atMs: number }) => step)).toEqual(lines);
      const streamed = await get(`${id}/stream`, headers);
      expect([streamed.headers.get('content-type'), about(streamed)]).toEqual([
        'application/x-ndjson',
        [String(id), '1'],
      ]);
      expect(await readSteps(streamed)).toEqual(lines);
    }
    const stranger = await executorKey(agent, (await world.wallet()).walletId);
    for (const path of [String(id), `${id}/stream`]) {
      expect(await readRefusal(await get(path, stranger))).toEqual([404, 'run_not_found']);
      expect((await get(path, {})).status).toBe(401);
      expect((await get(path, { authorization: 'Bearer ek_wrong' })).status).toBe(401);
    }
    // The answer for another caller's run is the same as for a missing one.
    const [other, absent] = [await get(String(id), stranger), await get('987654', stranger)];
    const { requestId: _one, ...first } = await other.json();
    const { requestId: _two, ...second } = await absent.json();
    expect(second).toEqual(first);
    for (const path of ['0', 'one', '1e3', '9'.repeat(30), '0/stream']) {
      expect(await readRefusal(await get(path, asAdmin))).toEqual([404, 'run_not_found']);
    }
  });

  test('follow a run from any line to its end, and begin nothing', async () => {
    const drafting = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    world.tools.draft = async (request) => {
      asked.resolve();
      await drafting.promise;
      return await world.honest(request);
    };
    const posted = agent.post(spendOnce());
    await asked.promise;
    const [{ id }] = await readRuns();
    // The response headers arrive before there is a line to show.
    const streams = await Promise.all([0, 3, 7, 30].map((from) => get(`${id}/stream?from=${from}`, asAdmin)));
    drafting.resolve();
    const lines = await readSteps(await posted);
    const texts = await Promise.all(streams.map((stream) => stream.text()));
    const whole = lines.map((line) => `${JSON.stringify(line)}\n`);
    expect(texts).toEqual([0, 3, 7, -1].map((from) => whole.slice(from).join('')));
    expect(await readRuns()).toHaveLength(1);
    expect((await get(`${id}/stream?requestId=r`, asAdmin)).status).toBe(200);
    const other = await get(`${id}/stream?requestId=another`, asAdmin);
    expect(await readRefusal(other)).toEqual([404, 'run_not_found']);
    for (const query of ['from=-1', 'from=1.5', 'from=', 'from=1&from=2', 'to=1']) {
      expect(await readRefusal(await get(`${id}/stream?${query}`, asAdmin))).toEqual([400, 'invalid_query']);
    }
  });

  test('show the error line of a failed run with its code', async () => {
    await failOnce();
    const [{ id }] = await readRuns();
    const last = (await readSteps(await get(`${id}/stream`, asAdmin))).at(-1)!;
    expect(last).toMatchObject({ status: 'error', code: 'tools_unavailable' });
    const { steps } = await (await get(String(id), asAdmin)).json();
    expect(steps.at(-1)).toMatchObject(last);
  });
});

test('a list of runs ends where its answer would be full, and goes on from there', async () => {
  await failOnce();
  const { pool } = world.db;
  // These runs have the largest possible requests, and their number fits into one page.
  const request = { ...spend(), padding: 'x'.repeat(60_000) };
  await pool.query(
    `insert into agent_runs (network, wallet_id, owner, action, request, request_hash, caller, agent, state, worker,
        code, started_at, ended_at)
      select network, wallet_id, owner, action, $2, request_hash, caller, agent, state, worker, code, started_at,
        ended_at
      from agent_runs, generate_series(1, 99) where wallet_id = $1`,
    [wallet.walletId, request],
  );
  const path = `/api/agent/runs?walletId=${wallet.walletId}&limit=100`;
  const ids: string[] = [];
  const pages: number[] = [];
  for (let cursor = ''; ; ) {
    const text = await (await agent.ask(`${path}${cursor}`, { headers: asInternal })).text();
    expect(text.length).toBeLessThan(answerBytesMax + 1_000);
    const { runs, count, nextCursor } = JSON.parse(text);
    expect(count).toBe(runs.length);
    ids.push(...runs.map(({ id }: { id: string }) => id));
    pages.push(count);
    if (nextCursor === undefined) break;
    cursor = `&cursor=${encodeURIComponent(nextCursor)}`;
  }
  expect(pages.length).toBe(2);
  const stored = (await readRuns()).map(({ id }) => String(id)).reverse();
  expect([ids, ids.length]).toEqual([stored, 100]);
});

describe('a request without a network', () => {
  test('is for the default one, and the same as one that names it', async () => {
    const { network: _, ...unnamed } = spendOnce();
    const first = await agent.post(unnamed);
    const lines = await readSteps(first);
    const again = await agent.post(spendOnce());
    expect([about(again), await readSteps(again)]).toEqual([about(first), lines]);
    const list = await agent.ask(`/api/agent/runs?walletId=${wallet.walletId}`, { headers: asInternal });
    expect((await list.json()).runs).toMatchObject([{ network: 'testnet', request: { network: 'testnet' } }]);
  });

  test('goes where the host says', async () => {
    const elsewhere = await startTestAgent(world, { defaultNetwork: 'mainnet' });
    const { network: _, ...unnamed } = spendOnce();
    const detail = 'The agent service does not serve mainnet. It serves testnet.';
    const answer = await elsewhere.post(unnamed);
    expect([answer.status, await answer.json()]).toEqual([
      400,
      expect.objectContaining({ code: 'network_not_configured', detail }),
    ]);
    const path = `/api/agent/runs?walletId=${wallet.walletId}`;
    expect(await readRefusal(await elsewhere.ask(path, { headers: asInternal }))).toEqual([
      400,
      'network_not_configured',
    ]);
    await elsewhere.close();
  });
});

describe('a composition', () => {
  const step = { action: 'liquidStakeStake', amount: '1' };
  const composed = (...steps: unknown[]) => ({ ...examples.compose, steps });

  test.each<[string, unknown[], string[]]>([
    ['a wrong value', [step, { ...step, minOut: 'x' }], ['body.steps.1.minOut']],
    ['a wrong action', [step, { action: 'rob' }], ['body.steps.1.action']],
    ['a composition in it', [{ action: 'compose', steps: [] }, step], ['body.steps.0.action']],
    ['a wrong operation', [step, { action: 'clmmLiquidity', operation: 'zap' }], ['body.steps.1.operation']],
    ['no operation', [step, { action: 'clmmLiquidity' }], ['body.steps.1.operation']],
    ['unknown fields', [step, { ...step, foo: 1, bar: 2 }], ['body.steps.1.foo', 'body.steps.1.bar']],
    ['a wallet of a step', [{ ...step, walletId: '0x1' }, step], ['body.steps.0.walletId']],
    ['a missing field', [step, { action: step.action }], ['body.steps.1.amount']],
    [
      'several steps',
      [{ action: step.action }, { action: 'swap', coinIn: 'x', coinOut: coinType, amountIn: '1' }],
      ['body.steps.0.amount', 'body.steps.1.coinIn', 'body.steps.1.minOut'],
    ],
    ['a step that is none', [step, 7], ['body.steps.1']],
    ['too few steps', [step], ['body.steps']],
    ['too many steps', Array(9).fill(step), ['body.steps']],
  ])('%s is named by step and field', async (_what, steps, paths) => {
    const answer = await agent.post(composed(...steps));
    const { code, errors } = await answer.json();
    expect([answer.status, code]).toEqual([400, 'invalid_body']);
    expect(errors.map(({ path }: { path: string }) => path)).toEqual(paths);
  });

  test('what is wrong with a drafted step names the step', async () => {
    const payment = { action: 'spend', coinType, amount: '10', recipient: shop };
    const { coinType: _c, amount: _a, recipient: _r, ...rest } = spendOnce();
    const body = { ...rest, action: 'compose', steps: [payment, { ...payment, amount: '11' }] };
    world.tools.draft = async ({ request, sender }) => {
      // Both parts pay the first amount.
      const one = { ...request, ...payment } as never;
      const draft = await world.honest({ request: one, sender });
      if ('status' in draft) return draft;
      const [part] = draft.steps;
      return {
        ...draft,
        steps: [
          { ...part!, targets: part!.targets.slice(0, 3) },
          { ...part!, targets: [] },
        ],
      };
    };
    const last = (await readSteps(await agent.post(body))).at(-1)!;
    expect(last).toMatchObject({ step: 'check', status: 'error', code: 'unexpected_transaction' });
    expect(last.detail).toMatch(/^Step 2 \(spend\): /);
  });

  test('what the chain refuses of a step names the step', async () => {
    const payment = { action: 'spend', coinType, amount: '600', recipient: shop };
    const { coinType: _c, amount: _a, recipient: _r, ...rest } = spendOnce();
    world.tools.draft = (asked) => {
      const both = buildDraft(asked, world.network.client, (tx, request) => {
        const target = { packageId: world.network.packages.wallet, wallet: request.walletId };
        for (const amount of [600n, 600n]) {
          const terms = policy.beginSpend(tx, target, { coinType, amount, recipient: shop });
          scopedCap.spend(tx, target.packageId, { capId: wallet.capId, request: terms });
          policy.confirmSpend(tx, target, { coinType, request: terms });
        }
      });
      return both.then(({ steps: [part], ...draft }) => {
        const targets = part!.targets.slice(0, 3);
        return { ...draft, steps: [0, 1].map(() => ({ ...part!, targets })) };
      });
    };
    const last = (
      await readSteps(await agent.post({ ...rest, action: 'compose', steps: [payment, payment] }))
    ).at(-1)!;
    expect(last).toMatchObject({ step: 'simulate', status: 'error', code: 'move_abort' });
    expect(last.detail).toMatch(/^Step 2 \(spend\): .*EInsufficientBudget/);
  });
});
