import { Ed25519Keypair } from '@mysten/sui/keypairs/ed25519';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openSession } from '../support/agent-session.ts';
import {
  type AgentWallet,
  asInternal,
  executorKey,
  issueExecutorKey,
  startTestAgent,
} from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { eventually } from '../support/eventually.ts';
import { startTestGateway } from '../support/gateway.ts';
import { asAdmin } from '../support/keys.ts';
import { coinType } from '../support/wallet-packages.ts';
import { walletRows } from '../support/wallet-rows.ts';
import { agent, readRefusal, spend, useAgent, wallet, world } from './set-up.ts';

/* The endpoints that a caller uses before a run: POST /api/agent/simulate and GET /api/agent/authority. */

let other: AgentWallet;
let owner: string;
useAgent(() => ({ dailyLimits: { [coinType]: 100n } }));
beforeAll(async () => {
  other = await world.wallet();
  owner = world.network.owner.address;
});

const simulate = (body: unknown, as: Record<string, string> = asInternal, init: RequestInit = {}) =>
  agent.ask('/api/agent/simulate', { ...buildRequest(body, as), ...init });
const authority = (query: Record<string, string>, as: Record<string, string> = {}) =>
  agent.ask(`/api/agent/authority?${new URLSearchParams(query)}`, { headers: as });
const readCode = async (answer: Response) => (await answer.json()).code;
const issue = async (bounds: object) => {
  const { id, key } = await issueExecutorKey(agent, wallet.walletId, bounds);
  return { id, headers: { authorization: `Bearer ${key}` } };
};
/** Counts of the rows that a run would store. */
const stored = async () => {
  const { rows } = await world.db.pool.query(
    `select (select count(*) from agent_runs)::int as runs, (select count(*) from agent_reservations)::int as reserved,
      (select count(*) from agent_limits where measure <> 'simulations')::int as limits`,
  );
  return rows[0];
};

/** Callers that both endpoints refuse, with status and error code. */
async function refusedCallers(): Promise<[headers: Record<string, string>, status: number, code: string][]> {
  const thief = new Ed25519Keypair();
  return [
    [{}, 401, 'unauthorized'],
    [{ authorization: `Bearer ek_${'0'.repeat(43)}` }, 401, 'invalid_key'],
    [{ authorization: `Bearer as_${'0'.repeat(43)}` }, 401, 'invalid_session'],
    [{ authorization: 'Bearer something-else' }, 401, 'invalid_credentials'],
    [{ 'x-svc-internal-agent': 'guessed' }, 401, 'invalid_credentials'],
    [await executorKey(agent, other.walletId), 403, 'wrong_wallet'],
    [await openSession(agent, { address: thief.toSuiAddress(), keypair: thief }), 403, 'not_your_wallet'],
    [asAdmin, 403, 'forbidden'],
  ];
}

/** Adds a wallet of a new owner, who is signed in. Its id is outside the range of this network's ids. */
async function addStranger(digit: string) {
  const keypair = new Ed25519Keypair();
  const address = keypair.toSuiAddress();
  const walletId = `0x${digit.repeat(63)}0`;
  await walletRows(world.db).wallet(address, { walletId, identity: walletId });
  return { owner: address, walletId, session: await openSession(agent, { address, keypair }) };
}
type Stranger = Awaited<ReturnType<typeof addStranger>>;

/** Holds every draft until the test releases them, or ends. */
function holdDrafts() {
  const released = Promise.withResolvers<void>();
  onTestFinished(() => released.resolve());
  let count = 0;
  world.tools.draft = async (request) => {
    count += 1;
    await released.promise;
    return await world.honest(request);
  };
  return { count: () => count, release: () => released.resolve() };
}

describe('a simulation', () => {
  test('says what would move, and leaves no run, no reservation and no coin', async () => {
    const [before, held] = [await stored(), await world.balance(wallet.walletId)];
    const { recipient } = spend() as { recipient: string };
    const payment = {
      target: expect.stringMatching(/::policy::begin_spend$/),
      typeArguments: [coinType],
      arguments: [
        { role: 'wallet', value: wallet.walletId, fixed: false },
        { role: 'amount', value: '10', type: 'u64', fixed: false },
        { role: 'value', value: recipient, type: 'address', name: 'recipient', fixed: false },
      ],
    };
    const answer = await simulate(spend(), await executorKey(agent, wallet.walletId));
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(await answer.json()).toEqual({
      network: 'testnet',
      walletId: wallet.walletId,
      action: 'spend',
      address: expect.stringMatching(/^0x/),
      wouldSucceed: true,
      gasBudget: expect.stringMatching(/^\d+$/),
      takesAtMost: [{ coinType, amount: '10' }],
      bringsAtLeast: [],
      boundsHold: true,
      steps: [
        {
          action: 'spend',
          adaptor: null,
          capId: expect.stringMatching(/^0x[0-9a-f]{64}$/),
          calls: expect.arrayContaining([expect.objectContaining(payment)]),
        },
      ],
      paid: [{ coinType, amount: '10' }],
      received: [],
    });
    expect([await stored(), await world.balance(wallet.walletId)]).toEqual([before, held]);
  });

  test('says at which step and why a run would fail', async () => {
    const poor = await (await simulate(spend({ amount: '1001' }))).json();
    expect(poor).toMatchObject({ wouldSucceed: false, failedAt: 'simulate', code: 'move_abort' });
    expect(poor.detail).toMatch(/\w{4}/);
    world.tools.draft = (asked) =>
      world.honest({ ...asked, request: { ...asked.request, amount: '11' } as never });
    expect(await (await simulate(spend())).json()).toMatchObject({
      wouldSucceed: false,
      failedAt: 'check',
      code: 'unexpected_transaction',
      paid: [],
      received: [],
      gasBudget: null,
    });
    world.tools.draft = async () => ({ status: 500, body: { detail: 'a secret of the tool service' } });
    const away = await (await simulate(spend())).json();
    expect(away).toMatchObject({ failedAt: 'draft', code: 'tools_unavailable' });
    expect(away.detail).not.toContain('secret');
  });

  test('and a run end at bounds that are narrower than what would be signed, and nothing is signed', async () => {
    const narrow = { takesAtMost: [{ coinType, amount: '9' }], bringsAtLeast: [] };
    const answer = await (await simulate(spend({ bounds: narrow }))).json();
    expect(answer).toMatchObject({ wouldSucceed: false, failedAt: 'check', code: 'bounds_exceeded' });
    const held = await world.balance(wallet.walletId);
    const run = (bounds: object) => agent.ask('/api/agent/run', buildRequest(spend({ bounds }), asInternal));
    const lines = (await (await run(narrow)).text())
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines.at(-1)).toMatchObject({ status: 'error', code: 'bounds_exceeded' });
    expect(lines.some(({ digest }) => digest !== undefined)).toBe(false);
    expect(await world.balance(wallet.walletId)).toBe(held);
    const { takesAtMost, bringsAtLeast } = await (await simulate(spend())).json();
    expect(await (await simulate(spend({ bounds: { takesAtMost, bringsAtLeast } }))).json()).toMatchObject({
      wouldSucceed: true,
    });
    expect(await readRefusal(await simulate(spend({ bounds: { spends: [] } })))).toEqual([
      400,
      'invalid_body',
    ]);
  });

  test('is refused to everyone who may not run the action', async () => {
    for (const [headers, status, code] of await refusedCallers()) {
      expect(await readRefusal(await simulate(spend(), headers))).toEqual([status, code]);
    }
    const { headers } = await issue({ maxPerRun: [{ coinType, amount: '9' }] });
    expect(await readRefusal(await simulate(spend(), headers))).toEqual([403, 'out_of_scope']);
    const paywallUrl = 'https://example.com/plans';
    const paid = await startTestAgent(world, { paywallUrl });
    onTestFinished(() => paid.close());
    const answer = await paid.ask('/api/agent/simulate', buildRequest(spend(), asInternal));
    expect(await readRefusal(answer)).toEqual([402, 'plan_required']);
  });

  test('of what cannot be meant is refused as a run is', async () => {
    const bad: [body: unknown, status: number, code: string][] = [
      [spend({ amount: '1.5' }), 400, 'invalid_body'],
      [spend({ action: 'rob' }), 400, 'invalid_body'],
      [spend({ extra: 1 }), 400, 'invalid_body'],
      [spend({ walletId: '0x7' }), 404, 'wallet_not_found'],
      [spend({ owner: '0x7' }), 403, 'wrong_owner'],
      [spend({ network: 'mainnet' }), 400, 'network_not_configured'],
      ['[]', 400, 'not_an_object'],
      ['{"action":', 400, 'not_json'],
      [`${'['.repeat(60_000)}`, 400, 'not_json'],
      [spend({ requestId: 'x'.repeat(70_000) }), 413, 'body_too_large'],
    ];
    for (const [body, status, code] of bad) {
      const answer = await simulate(body);
      expect([answer.status, await readCode(answer)]).toEqual([status, code]);
    }
    expect((await agent.ask('/api/agent/simulate', { headers: asInternal })).status).toBe(405);
  });

  test('is one of four of an owner and of sixteen in all, and gives its place back, also to those who left', async () => {
    const drafts = holdDrafts();
    const { wallet: addWallet } = walletRows(world.db);
    const insertWallet = async (digit: string) => {
      const one = `0x${digit.repeat(64)}`;
      // This id is outside the range of this network's ids.
      const walletId = `0x${digit.repeat(63)}0`;
      await addWallet(one, { walletId, identity: walletId });
      return { owner: one, walletId };
    };
    const owners = await Promise.all(['1', '2', '3', '4'].map(insertWallet));
    const leaving = new AbortController();
    const held: Promise<Response>[] = [];
    for (const [nth, of] of owners.entries()) {
      for (let count = 0; count < 4; count += 1) {
        const init = nth === 0 ? { signal: leaving.signal } : {};
        held.push(simulate(spend(of), asInternal, init));
      }
      await eventually(() => expect(drafts.count()).toBe(4 * (nth + 1)));
      if (nth === 3) break;
      const fifth = await simulate(spend(of));
      expect(fifth.headers.get('retry-after')).toMatch(/^\d+$/);
      expect(await readRefusal(fifth)).toEqual([429, 'too_many_runs']);
    }
    const another = await insertWallet('5');
    expect(await (await simulate(spend(another))).json()).toMatchObject({
      code: 'too_many_runs',
      detail: expect.stringMatching(/^16 simulations are running/),
    });
    leaving.abort();
    drafts.release();
    const ended = await Promise.allSettled(held);
    expect(ended.map(({ status }) => status)).toEqual([
      ...Array(4).fill('rejected'),
      ...Array(12).fill('fulfilled'),
    ]);
    await eventually(async () => {
      const answers = await Promise.all(Array.from({ length: 4 }, () => simulate(spend())));
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    });
  });
});

describe('the simulations of a wallet', () => {
  test('are limited on a UTC day as its runs are, those that fail included, and beside its runs', async () => {
    let now = new Date('2031-05-01T23:59:30Z');
    const limited = await startTestAgent(world, { runsDaily: 2n, now: () => now });
    onTestFinished(() => limited.close());
    const walletId = (await world.wallet()).walletId;
    const ask = (amount: string) =>
      limited.ask('/api/agent/simulate', buildRequest(spend({ walletId, amount }), asInternal));
    expect(await (await ask('10')).json()).toMatchObject({ wouldSucceed: true });
    expect(await (await ask('1001')).json()).toMatchObject({ wouldSucceed: false });
    const third = await ask('10');
    expect(third.headers.get('retry-after')).toBe('30');
    expect(await readRefusal(third)).toEqual([429, 'run_limit']);
    const ran = await limited.post(spend({ walletId }));
    expect(await ran.text()).toContain('"confirm","status":"done"');
    now = new Date('2031-05-02T00:00:00Z');
    expect((await ask('10')).status).toBe(200);
  });

  test('of callers without a plan take none of the slots of planned callers', async () => {
    const drafts = holdDrafts();
    const held: Promise<Response>[] = [];
    const strangers = await Promise.all(['6', '7', '8', '9', 'a'].map(addStranger));
    for (const [nth, { session, ...of }] of strangers.slice(0, 4).entries()) {
      held.push(simulate(spend(of), session), simulate(spend(of), session));
      await eventually(() => expect(drafts.count()).toBe(2 * (nth + 1)));
      if (nth === 3) break;
      const third = await (await simulate(spend(of), session)).json();
      expect(third.detail).toMatch(/^2 simulations of this owner's wallets are running/);
    }
    const { session, ...of } = strangers[4]!;
    const beyond = await (await simulate(spend(of), session)).json();
    expect(beyond).toMatchObject({
      code: 'too_many_runs',
      detail: expect.stringMatching(/^8 simulations of callers without a plan/),
    });
    world.tools.draft = world.honest;
    expect(await (await simulate(spend())).json()).toMatchObject({ wouldSucceed: true });
    drafts.release();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array(8).fill(200));
  });

  test('of one address without a plan leave slots for others, however many owners and addresses of its network they name', async () => {
    const gateway = await startTestGateway(undefined, { agentUrl: agent.url, trustProxy: 1 });
    onTestFinished(() => gateway.close());
    const drafts = holdDrafts();
    const strangers = await Promise.all(['b', 'c', 'd', 'e'].map(addStranger));
    const send = ({ session, ...of }: (typeof strangers)[number], from: string) =>
      fetch(
        `${gateway.url}/api/agent/simulate`,
        // The gateway drops the last header, which a caller could set to anything.
        buildRequest(spend(of), {
          ...session,
          'x-forwarded-for': from,
          'x-svc-caller': `192.0.2.${drafts.count()}`,
        }),
      );
    // The gateway passes the requests of a credential one by one until it has been right once.
    for (const { session } of strangers)
      await fetch(`${gateway.url}/api/agent/session`, { headers: session });
    const [first, second, third, fourth] = strangers as [Stranger, Stranger, Stranger, Stranger];
    const held = [
      send(first, '2001:db8:0:1::1'),
      send(first, '2001:db8:0:1::2'),
      send(second, '2001:db8:0:1::3'),
      send(second, '2001:db8:0:1::4'),
    ];
    await eventually(() => expect(drafts.count()).toBe(4));
    const refused = await send(third, '2001:db8:0:1::5');
    const { headers } = refused;
    expect({ ...(await refused.json()), retryAfter: headers.get('retry-after') }).toMatchObject({
      retryAfter: '2',
      status: 429,
      code: 'too_many_runs',
      detail: expect.stringMatching(/^4 simulations of your API key or address are running/),
    });
    held.push(send(fourth, '2001:db8:0:2::1'));
    await eventually(() => expect(drafts.count()).toBe(5));
    drafts.release();
    expect((await Promise.all(held)).map(({ status }) => status)).toEqual(Array(5).fill(200));
    expect((await send(third, '2001:db8:0:1::5')).status).toBe(200);
  });
});

describe('the authority of a credential', () => {
  const own = () => ({ network: 'testnet', walletId: wallet.walletId });

  test('is the agent address and the bounds of the key; a session of the owner has none', async () => {
    const bounds = {
      actions: ['spend'],
      maxPerRun: [{ coinType, amount: '9' }],
      maxPerDay: [{ coinType, amount: '50' }],
      unattended: false,
    };
    const { id, headers } = await issue(bounds);
    const answer = await authority(own(), headers);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const shown = await answer.json();
    expect(shown).toEqual({
      ...own(),
      owner,
      paused: false,
      address: expect.any(String),
      confirmedOnly: false,
      key: { id, ...bounds },
    });
    const address = await (await agent.ask(`/api/agent/address?${new URLSearchParams(own())}`)).json();
    expect(shown.address).toBe(address.address);
    const { keypair } = world.network.owner;
    const session = await openSession(agent, { address: owner, keypair });
    expect(await (await authority({ walletId: wallet.walletId }, session)).json()).toMatchObject({
      network: 'testnet',
      key: null,
    });
    // No answer contains the key itself.
    expect(JSON.stringify(shown)).not.toContain(headers.authorization.slice('Bearer '.length));
  });

  test('names the wallet and the owner of an executor key to an agent that has only the key', async () => {
    const { id, headers } = await issue({});
    expect(await (await authority({}, headers)).json()).toMatchObject({ ...own(), owner, key: { id } });
    expect(await readRefusal(await authority({}, asInternal))).toEqual([400, 'invalid_query']);
    expect(await readRefusal(await authority({}))).toEqual([401, 'unauthorized']);
  });

  test('is shown to no one else, and to no key after it is revoked', async () => {
    for (const [headers, status, code] of await refusedCallers()) {
      expect(await readRefusal(await authority(own(), headers))).toEqual([status, code]);
    }
    const { id, headers } = await issue({});
    expect((await authority(own(), headers)).status).toBe(200);
    await agent.ask(`/api/agent/keys/${id}`, { method: 'DELETE', headers: asAdmin });
    expect(await readRefusal(await authority(own(), headers))).toEqual([401, 'invalid_key']);
  });

  test('of no wallet, of an unknown one or of an unknown network is refused by the field', async () => {
    const headers = asInternal;
    const bad: [query: Record<string, string>, status: number, code: string][] = [
      [{}, 400, 'invalid_query'],
      [{ walletId: 'x' }, 400, 'invalid_query'],
      [{ walletId: `0x${'1'.repeat(65)}` }, 400, 'invalid_query'],
      [{ walletId: wallet.walletId, network: 'moonnet' }, 400, 'invalid_query'],
      [{ walletId: wallet.walletId, network: 'mainnet' }, 400, 'network_not_configured'],
      [{ walletId: '0x7' }, 404, 'wallet_not_found'],
    ];
    for (const [query, status, code] of bad) {
      const answer = await authority(query, headers);
      expect([query, answer.status, await readCode(answer)]).toEqual([query, status, code]);
    }
    expect((await agent.ask('/api/agent/authority', { method: 'POST', headers })).status).toBe(405);
  });
});
