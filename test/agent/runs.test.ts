import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { beforeEach, describe, expect, test } from 'vitest';
import { runSteps } from '../../lib/agent/shapes.ts';
import {
  asInternal,
  executorKey,
  readSteps,
  shop,
  startTestAgent,
  type TestAgent,
} from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { asAdmin } from '../support/keys.ts';
import { coinType } from '../support/wallet-packages.ts';
import { agent, readRefusal, readRun, spend, useAgent, wallet, world } from './set-up.ts';

/** The service's clock. */
let now: Date;

useAgent(() => ({ dailyLimits: { [coinType]: 100n }, now: () => now }));
beforeEach(() => {
  now = new Date('2026-03-14T23:59:50Z');
});

/** A freeze of a network, or of everything. With `walletId`, only of the wallet of the tests. */
type FreezeScope = { network?: string; walletId?: boolean };

const reserved = async (walletId = wallet.walletId) =>
  (
    await world.db.pool.query(
      `select reserved::int, spent::int, day::text from agent_limits
        where subject = 'wallet:' || $1 and measure like '%::%' order by day`,
      [walletId],
    )
  ).rows;
const admin = (method: string, path: string, body?: unknown) =>
  agent.ask(`/api/agent/${path}`, buildRequest(body, asAdmin, method));

describe('a run', () => {
  test('streams each of its steps, the digest as soon as it is known, and pays to the unit', async () => {
    const key = await executorKey(agent, wallet.walletId);
    const answer = await agent.post(spend(), key);
    expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
    const lines = await readSteps(answer);
    expect(lines.map(({ step, status }) => `${step} ${status}`)).toEqual(
      runSteps.flatMap((step) => [`${step} active`, `${step} done`]),
    );
    const { digest } = await readRun();
    const from = lines.findIndex((line) => line.digest !== undefined);
    expect(lines[from]).toEqual({ step: 'sign', status: 'done', digest });
    expect(lines.slice(from).every((line) => line.digest === digest)).toBe(true);
    expect(await world.balance(wallet.walletId)).toBe(990n);
    const paid = await world.network.client.getBalance({ owner: shop, coinType });
    expect(BigInt(paid.balance.balance)).toBeGreaterThanOrEqual(10n);
    expect(world.tools.headers()).toMatchObject(asInternal);
  });

  test('goes on when its caller goes away, and its events are replayed to anyone who sends it again', async () => {
    let drafted = Promise.withResolvers<void>();
    const asked = Promise.withResolvers<void>();
    world.tools.draft = async (request) => {
      asked.resolve();
      await drafted.promise;
      return await world.honest(request);
    };
    const leaving = new AbortController();
    const post = buildRequest(spend({ requestId: 'once' }), asInternal);
    const gone = agent.ask('/api/agent/run', { ...post, signal: leaving.signal });
    await asked.promise;
    await gone;
    leaving.abort();
    drafted.resolve();
    drafted = asked;
    const again = await readSteps(await agent.post(spend({ requestId: 'once' })));
    expect(again.at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
    expect(await readSteps(await agent.post(spend({ requestId: 'once' })))).toEqual(again);
    expect(await world.balance(wallet.walletId)).toBe(990n);
    const other = await agent.post(spend({ requestId: 'once', amount: '11' }));
    expect(await readRefusal(other)).toEqual([422, 'request_id_reused']);
  });

  test('goes on to its end at whatever step its caller goes away', async () => {
    for (const step of runSteps) {
      const leaving = new AbortController();
      const post = buildRequest(spend({ amount: '1', requestId: step }), asInternal);
      const answer = await agent.ask('/api/agent/run', { ...post, signal: leaving.signal });
      const decoder = new TextDecoder();
      let seen = '';
      for await (const chunk of answer.body!) {
        seen += decoder.decode(chunk, { stream: true });
        if (seen.includes(`{"step":"${step}","status":"active"`)) break;
      }
      leaving.abort();
      const again = await readSteps(await agent.post(spend({ amount: '1', requestId: step })));
      expect({ step, last: again.at(-1) }).toMatchObject({ last: { step: 'confirm', status: 'done' } });
    }
    expect(await reserved()).toEqual([{ reserved: 0, spent: runSteps.length, day: '2026-03-14' }]);
    expect(await world.balance(wallet.walletId)).toBe(1000n - BigInt(runSteps.length));
  });

  test('is shown to the callers of its wallet, with what it set aside', async () => {
    const key = await executorKey(agent, wallet.walletId);
    await readSteps(await agent.post(spend({ requestId: 'shown' }), key));
    const path = `/api/agent/runs?network=testnet&walletId=${wallet.walletId}`;
    const { runs } = await (await agent.ask(path, { headers: key })).json();
    expect(runs).toEqual([
      expect.objectContaining({
        action: 'spend',
        requestId: 'shown',
        state: 'done',
        code: null,
        reserved: [{ coinType, amount: '10' }],
      }),
    ]);
    expect(runs[0].steps).toHaveLength(18);
    expect((await agent.ask(path)).status).toBe(401);
    const stranger = await executorKey(agent, (await world.wallet()).walletId);
    expect(await readRefusal(await agent.ask(path, { headers: stranger }))).toEqual([403, 'wrong_wallet']);
  });
});

describe('callers that may not run it are refused before anything is drafted', () => {
  test('nobody, wrong and revoked keys, keys of other wallets, the admin', async () => {
    const { id, key } = await (
      await admin('POST', 'keys', { network: 'testnet', walletId: wallet.walletId })
    ).json();
    const bearer = { authorization: `Bearer ${key}` };
    expect((await admin('DELETE', `keys/${id}`)).status).toBe(204);
    const other = await executorKey(agent, (await world.wallet()).walletId);
    for (const [headers, expected] of [
      [{}, [401, 'unauthorized']],
      [{ authorization: `Bearer ek_${'0'.repeat(43)}` }, [401, 'invalid_key']],
      [bearer, [401, 'invalid_key']],
      [{ 'x-svc-internal-agent': 'guessed' }, [401, 'invalid_credentials']],
      [{ authorization: 'Bearer something-else' }, [401, 'invalid_credentials']],
      [other, [403, 'wrong_wallet']],
      [asAdmin, [403, 'forbidden']],
    ] as [Record<string, string>, unknown][]) {
      expect(await readRefusal(await agent.post(spend(), headers))).toEqual(expected);
    }
    expect(await readRun()).toBeUndefined();
  });

  test('requests that cannot be meant, wallets that are not known or not the owner’s', async () => {
    expect(await readRefusal(await agent.post(spend({ amount: '1.5' })))).toEqual([400, 'invalid_body']);
    expect(await readRefusal(await agent.post(spend({ action: 'rob' })))).toEqual([400, 'invalid_body']);
    expect(await readRefusal(await agent.post(spend({ extra: 1 })))).toEqual([400, 'invalid_body']);
    expect(await readRefusal(await agent.post(spend({ walletId: '0x7' })))).toEqual([
      404,
      'wallet_not_found',
    ]);
    expect(await readRefusal(await agent.post(spend({ owner: '0x7' })))).toEqual([403, 'wrong_owner']);
    expect(await readRefusal(await agent.post(spend({ network: 'mainnet' })))).toEqual([
      400,
      'network_not_configured',
    ]);
  });

  test('owners without an active plan where there is a paywall', async () => {
    const paywallUrl = 'https://example.com/plans';
    const paid = await startTestAgent(world, { paywallUrl, now: () => now });
    const owner = world.network.owner.address;
    const refused = await paid.post(spend());
    expect(refused.status).toBe(402);
    expect(await refused.json()).toMatchObject({
      code: 'plan_required',
      detail: expect.stringContaining(paywallUrl),
    });
    expect((await admin('POST', 'plans', { owner, plan: 'pro', endsMs: now.getTime() + 1 })).status).toBe(
      200,
    );
    expect((await readSteps(await paid.post(spend()))).at(-1)?.status).toBe('done');
    now = new Date(now.getTime() + 1);
    expect((await paid.post(spend())).status).toBe(402);
    await admin('POST', 'plans', { owner, plan: 'pro' });
    expect((await (await admin('GET', 'plans')).json()).plans).toMatchObject([{ owner, plan: 'pro' }]);
    expect((await admin('DELETE', `plans/${owner}`)).status).toBe(204);
    expect((await paid.post(spend())).status).toBe(402);
    await paid.close();
  });

  test('a freeze of one wallet or of all stops what is not signed yet', async () => {
    const { walletId } = wallet;
    expect((await admin('POST', 'freezes', { walletId, reason: 'looks odd' })).status).toBe(200);
    const refused = await agent.post(spend());
    expect(refused.status).toBe(403);
    expect(await refused.json()).toMatchObject({
      code: 'frozen',
      detail: expect.stringContaining('looks odd'),
    });
    expect((await admin('DELETE', `freezes?walletId=${walletId}`)).status).toBe(204);
    world.tools.draft = async (request) => {
      await admin('POST', 'freezes', { reason: 'all stop' });
      return await world.honest(request);
    };
    const lines = await readSteps(await agent.post(spend()));
    expect(lines.at(-1)).toMatchObject({ step: 'sign', status: 'error' });
    expect(await readRun()).toMatchObject({ state: 'failed', code: 'frozen', digest: null });
    expect(await reserved()).toMatchObject([{ reserved: 0, spent: 0 }]);
    expect(await readRefusal(await agent.post(spend()))).toEqual([403, 'frozen']);
    // If the service read this as the freeze of everything, it would lift more than was requested.
    expect(await readRefusal(await admin('DELETE', 'freezes', { walletId }))).toEqual([
      400,
      'unexpected_body',
    ]);
    expect((await admin('DELETE', 'freezes')).status).toBe(204);
    expect(await world.balance(walletId)).toBe(1000n);
  });

  test.each([
    ['all wallets', {}],
    ['all wallets of testnet', { network: 'testnet' }],
    ['this wallet', { network: 'testnet', walletId: true }],
    ['this wallet', { walletId: true }],
  ] as const)(
    'a refused run says that the operator has frozen %s: %j',
    async (wallets, scope: FreezeScope) => {
      const { walletId, ...network } = scope;
      const frozen = { ...network, ...(walletId && { walletId: wallet.walletId }) };
      await admin('POST', 'freezes', { ...frozen, reason: 'looks odd' });
      const refused = await agent.post(spend());
      expect(await refused.json()).toMatchObject({
        detail: `The operator has frozen ${wallets}: looks odd`,
      });
      expect((await admin('DELETE', `freezes?${new URLSearchParams(frozen)}`)).status).toBe(204);
    },
  );

  test('a plan and a freeze end by their times, and later ones that the operator did not see stay', async () => {
    const owner = world.network.owner.address;
    const decide = async (path: string, body: object) => {
      now = new Date(now.getTime() + 1);
      return await (await admin('POST', path, body)).json();
    };
    const end = async (path: string) => {
      const answer = await admin('DELETE', path);
      return answer.status === 204 ? 204 : await readRefusal(answer);
    };
    const trial = await decide('plans', { owner, plan: 'trial' });
    const pro = await decide('plans', { owner, plan: 'pro' });
    expect(await end(`plans/${owner}?grantedMs=${trial.grantedMs}`)).toEqual([409, 'plan_changed']);
    expect((await (await admin('GET', 'plans')).json()).plans).toEqual([pro]);
    // If the service read no time here, it would end any plan.
    expect(await readRefusal(await admin('DELETE', `plans/${owner}`, { grantedMs: 1 }))).toEqual([
      400,
      'unexpected_body',
    ]);
    expect(await end(`plans/${owner}?granted=1`)).toEqual([400, 'invalid_query']);
    expect(await end(`plans/${owner}?grantedMs=${pro.grantedMs}`)).toBe(204);
    expect(await end(`plans/${owner}?grantedMs=${pro.grantedMs}`)).toEqual([404, 'plan_not_found']);

    const test = await decide('freezes', { reason: 'a test' });
    const theft = await decide('freezes', { reason: 'a theft' });
    expect(await end(`freezes?frozenMs=${test.frozenMs}`)).toEqual([409, 'freeze_changed']);
    expect((await (await admin('GET', 'freezes')).json()).freezes).toEqual([theft]);
    expect(await end(`freezes?frozenMs=${theft.frozenMs}`)).toBe(204);
    expect(await end(`freezes?frozenMs=${theft.frozenMs}`)).toEqual([404, 'freeze_not_found']);
  });

  test('only the admin issues keys, grants plans and freezes', async () => {
    for (const path of ['keys', 'plans', 'freezes']) {
      expect((await agent.ask(`/api/agent/${path}`)).status).toBe(401);
      expect((await agent.ask(`/api/agent/${path}`, { headers: asInternal })).status).toBe(401);
    }
    for (const path of ['plans', 'freezes', 'adaptors']) {
      const wrong = { headers: { authorization: 'Bearer a-wrong-secret-of-the-host' } };
      for (const [init, code] of [
        [{}, 'unauthorized'],
        [wrong, 'invalid_credentials'],
      ] as const) {
        const answer = await agent.ask(`/api/agent/${path}`, init);
        expect(answer.status).toBe(401);
        expect(await answer.json()).toMatchObject({ code, detail: expect.stringContaining('admin secret') });
      }
    }
  });
});

describe('the daily limit', () => {
  test('is not exceeded by one unit, and starts again with the UTC day', async () => {
    await readSteps(await agent.post(spend({ amount: '95' })));
    const over = await agent.post(spend({ amount: '6' }));
    expect([over.status, over.headers.get('retry-after')]).toEqual([429, '10']);
    expect((await over.json()).code).toBe('daily_limit');
    await readSteps(await agent.post(spend({ amount: '5' })));
    expect(await readRefusal(await agent.post(spend({ amount: '1' })))).toEqual([429, 'daily_limit']);
    now = new Date('2026-03-15T00:00:00Z');
    await readSteps(await agent.post(spend({ amount: '1' })));
    expect(await reserved()).toEqual([
      { reserved: 0, spent: 100, day: '2026-03-14' },
      { reserved: 0, spent: 1, day: '2026-03-15' },
    ]);
  });

  test('is given back by what failed', async () => {
    world.tools.draft = async () => ({ status: 500, body: {} });
    const lines = await readSteps(await agent.post(spend()));
    expect(lines.at(-1)).toMatchObject({ step: 'draft', status: 'error' });
    expect(await reserved()).toMatchObject([{ reserved: 0, spent: 0 }]);
    expect((await readRun()).code).toBe('tools_unavailable');
  });

  test('holds for a hundred requests at once over two processes, which execute one at a time', async () => {
    const second = await startTestAgent(world, { dailyLimits: { [coinType]: 100n }, now: () => now });
    const open = () =>
      world.db.pool.query(`select from agent_runs where state in ('running', 'signed') and wallet_id = $1`, [
        wallet.walletId,
      ]);
    let most = 0;
    world.tools.draft = async (request) => {
      most = Math.max(most, (await open()).rowCount ?? 0);
      return await world.honest(request);
    };
    let turn = Promise.withResolvers<void>();
    const send = async (nth: number): Promise<string> => {
      for (;;) {
        const { promise: nextTurn } = turn;
        const answer = await (nth % 2 ? agent : second).post(spend({ amount: '24', requestId: `r${nth}` }));
        const end =
          answer.status === 200 ? (await readSteps(answer)).at(-1)!.status : (await answer.json()).code;
        // More requests than connections: one that waits too long for a connection is refused, and can be repeated.
        if (end === 'database_unavailable') continue;
        if (end !== 'already_running') {
          turn.resolve();
          turn = Promise.withResolvers();
          return end;
        }
        await nextTurn;
      }
    };
    const ends = await Promise.all(Array.from({ length: 100 }, (_, nth) => send(nth)));
    expect(ends.filter((end) => end === 'done')).toHaveLength(4);
    expect(ends.filter((end) => end === 'daily_limit')).toHaveLength(96);
    expect(most).toBe(1);
    expect(await reserved()).toEqual([{ reserved: 0, spent: 96, day: '2026-03-14' }]);
    expect(await world.balance(wallet.walletId)).toBe(904n);
    await second.close();
  });
});

describe('the managed key', () => {
  test('pays the gas of many runs at a time, of whatever wallets and processes', async () => {
    const second = await startTestAgent(world);
    const others = [wallet, await world.wallet(), await world.wallet(), await world.wallet()];
    const runs = others.map((other, nth) => (nth % 2 ? agent : second).post(spend({}, other)));
    const ends = await Promise.all(runs.map(async (run) => (await readSteps(await run)).at(-1)));
    expect(ends.map((end) => end?.status)).toEqual(Array(4).fill('done'));
    expect(new Set(ends.map((end) => end?.digest)).size).toBe(4);
    await second.close();
  });
});

test('what the documentation removes is what ended long ago, and nothing else', async () => {
  const recent = await world.wallet();
  for (const of of [wallet, recent]) await readSteps(await agent.post(spend({ requestId: 'kept' }, of)));
  const past = `interval '401 days'`;
  await world.db.pool.query(`update agent_runs set ended_at = now() - ${past} where wallet_id = $1`, [
    wallet.walletId,
  ]);
  await world.db.pool.query(`update agent_runs set ended_at = now() where wallet_id = $1`, [recent.walletId]);
  const { id } = await readRun();
  const docs = await readFile(new URL('../../docs/operate-the-agent.md', import.meta.url), 'utf8');
  await world.db.pool.query(/```sql\n(.+?)```/s.exec(docs)![1]!);
  expect(await readRun()).toBeUndefined();
  const { rows } = await world.db.pool.query(
    `select (select count(*)::int from agent_run_steps where run = $1) as steps,
      (select count(*)::int from agent_reservations where run = $1) as reservations`,
    [id],
  );
  expect(rows).toEqual([{ steps: 0, reservations: 0 }]);
  const again = await readSteps(await agent.post(spend({ requestId: 'kept' }, recent)));
  expect([again.length, await world.balance(recent.walletId)]).toEqual([18, 990n]);
});

test('is ready while the tool service is, and alive all the same', async () => {
  const alone = await startTestAgent(world, { toolsUrl: 'http://127.0.0.1:1' });
  const status = async ({ ask }: TestAgent, path: string) => (await ask(path)).status;
  expect([await status(agent, '/healthz'), await status(agent, '/readyz')]).toEqual([200, 200]);
  expect(await status(alone, '/healthz')).toBe(200);
  expect(await readRefusal(await alone.ask('/readyz'))).toEqual([503, 'not_ready']);
  await alone.close();
});

describe('a session', () => {
  const signIn = async (keypair: Ed25519Keypair, signWith = keypair) => {
    const address = keypair.toSuiAddress();
    const { nonce, message } = await (
      await agent.ask('/api/agent/session/nonce', buildRequest({ address }))
    ).json();
    const { signature } = await signWith.signPersonalMessage(new TextEncoder().encode(message));
    return () => agent.ask('/api/agent/session', buildRequest({ address, nonce, signature }));
  };

  test('runs what its address owns, by bearer or cookie, until it ends; its nonce is good for once', async () => {
    const use = await signIn(world.network.owner.keypair);
    const opened = await use();
    const { token } = await opened.json();
    const cookie = opened.headers.get('set-cookie')!;
    expect(cookie).toMatch(/; HttpOnly; Secure; SameSite=Strict$/);
    expect(await readRefusal(await use())).toEqual([401, 'nonce_used']);
    const bearer = { authorization: `Bearer ${token}` };
    expect((await readSteps(await agent.post(spend(), bearer))).at(-1)?.status).toBe('done');
    const byCookie = { cookie: cookie.split(';')[0]! };
    expect((await readSteps(await agent.post(spend(), byCookie))).at(-1)?.status).toBe('done');
    const stored = await world.db.pool.query('select digest from agent_sessions');
    expect(JSON.stringify(stored.rows)).not.toContain(token);
    expect((await agent.ask('/api/agent/session', { method: 'DELETE', headers: bearer })).status).toBe(204);
    expect(await readRefusal(await agent.post(spend(), bearer))).toEqual([401, 'invalid_session']);
  });

  test('is opened at the host that the signed message names, and nowhere else', async () => {
    const { address, keypair } = world.network.owner;
    const relay = await startTestAgent(world, { publicUrl: 'http://relay.example:8080', now: () => now });
    const asked = await agent.ask('/api/agent/session/nonce', buildRequest({ address }));
    const { nonce, message, expiresMs } = await asked.json();
    expect(message.split('\n')).toEqual([
      'market.example wants you to sign in with your Sui account:',
      address,
      '',
      expect.stringContaining('This is not a transaction and moves no funds.'),
      '',
      'URI: https://market.example',
      'Version: 1',
      `Nonce: ${nonce}`,
      `Issued At: ${now.toISOString()}`,
      `Expiration Time: ${new Date(expiresMs).toISOString()}`,
    ]);
    const signMessage = async (signed: string) =>
      (await keypair.signPersonalMessage(new TextEncoder().encode(signed))).signature;
    // A signature for another site does not sign the owner in here, and the reverse.
    const relayed = message.replaceAll('https://market.example', 'http://relay.example:8080');
    const forRelay = relayed.replace('market.example', 'relay.example:8080');
    for (const [service, signed] of [
      [agent, forRelay],
      [agent, relayed],
      [relay, message],
    ] as const) {
      const body = buildRequest({ address, nonce, signature: await signMessage(signed) });
      expect(await readRefusal(await service.ask('/api/agent/session', body))).toEqual([
        401,
        'invalid_signature',
      ]);
    }
    const [own, there] = [await signMessage(message), await signMessage(forRelay)];
    expect(
      (await agent.ask('/api/agent/session', buildRequest({ address, nonce, signature: own }))).status,
    ).toBe(200);
    const other = buildRequest({ address, nonce, signature: there });
    expect(await readRefusal(await relay.ask('/api/agent/session', other))).toEqual([401, 'nonce_used']);
    await relay.close();
  });

  test('names the host of its settings, whatever host a request names', async () => {
    const body = JSON.stringify({ address: world.network.owner.address });
    const headers = {
      host: 'relay.example',
      'x-forwarded-host': 'relay.example',
      origin: 'https://relay.example',
      'content-type': 'application/json',
    };
    const outgoing = request(`${agent.url}/api/agent/session/nonce`, { method: 'POST', headers }).end(body);
    const [answer] = (await once(outgoing, 'response')) as [IncomingMessage];
    const { message } = JSON.parse(await text(answer));
    expect(message).toMatch(/^market\.example wants/);
    expect(message).not.toContain('relay.example');
  });

  test('ends by itself, and is not opened by a signature of another key or with a nonce that is over', async () => {
    const { token } = await (await (await signIn(world.network.owner.keypair))()).json();
    const stranger = new Ed25519Keypair();
    const forged = await signIn(world.network.owner.keypair, stranger);
    expect(await readRefusal(await forged())).toEqual([401, 'invalid_signature']);
    const late = await signIn(world.network.owner.keypair);
    const others = await (await (await signIn(stranger))()).json();
    const bearer = { authorization: `Bearer ${others.token}` };
    expect(await readRefusal(await agent.post(spend(), bearer))).toEqual([403, 'not_your_wallet']);
    now = new Date(now.getTime() + 12 * 3_600_000);
    expect(await readRefusal(await late())).toEqual([401, 'invalid_nonce']);
    expect(await readRefusal(await agent.post(spend(), { authorization: `Bearer ${token}` }))).toEqual([
      401,
      'invalid_session',
    ]);
  });
});
