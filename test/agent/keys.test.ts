import { join } from 'node:path';
import { appendAction, delegate, wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { toBase64 } from '@mysten/sui/utils';
import { beforeEach, describe, expect, test } from 'vitest';
import { deriveWalletKeypair } from '../../lib/agent/wallet-key.ts';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { openSession } from '../support/agent-session.ts';
import { asInternal, shop, startTestAgent } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { eventually } from '../support/eventually.ts';
import { asAdmin } from '../support/keys.ts';
import { readModelBuilder } from '../support/read-model.ts';
import { buildDraft } from '../support/tool-double.ts';
import { coinType } from '../support/wallet-packages.ts';
import {
  agent,
  nameWallet,
  readLast,
  readRefusal,
  readRun,
  spend,
  useAgent,
  wallet,
  world,
} from './set-up.ts';

/** Code of markets that take the margin in the coin of their type argument. A request does not name that coin. */
const margin = `
module margin::margin;

use sui::clock::Clock;
use wallet::intent;
use wallet::wallet::Wallet;

public struct Margin has drop {}
public struct Market<phantom C> has key { id: UID }

public fun open<C>(ctx: &mut TxContext) { transfer::share_object(Market<C> { id: object::new(ctx) }); }

public fun deposit_margin<C>(wallet: &mut Wallet, _: &Market<C>, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let sig = intent::request_payment<_, C>(Margin {}, amount, @${shop});
    let (coin, witness) = intent::validate_and_pay(wallet, sig, clock, ctx);
    transfer::public_transfer(coin, @${shop});
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Margin {}, amount, @${shop}))
}
`;

let session: Record<string, string>;
let market: { serviceType: string; objectId: string };
/** The service's clock. */
let now: Date;

useAgent(async () => {
  const { owner, packages } = world.network;
  const sources = { 'Move.toml': moveToml('margin', ['wallet']), 'sources/margin.move': margin };
  const published = { wallet: packages.wallet };
  const { modules, dependencies } = await compileSources(sources, {
    base: join(moveDir, 'margin'),
    published,
  });
  const executed = await execute(owner, (tx) => {
    const cap = tx.publish({ modules: modules.map((module) => toBase64(module)), dependencies });
    tx.transferObjects([cap], owner.address);
  });
  const packageId = executed.created.find(({ type }) => type === 'package')!.id;
  const serviceType = `${packageId}::margin::Margin`;
  const opened = await execute(owner, (tx) => {
    tx.moveCall({ target: `${packageId}::margin::open`, typeArguments: [coinType] });
  });
  market = { serviceType, objectId: opened.created[0]!.id };
  const object = { role: 'object', objectId: market.objectId, mutable: false };
  const call = {
    typeArgs: ['coinIn'],
    args: [{ role: 'wallet' }, object, { role: 'amount' }, { role: 'clock' }],
  };
  const ops = [{ kind: 'custom', module: 'margin', entry: 'deposit_margin', call }];
  await readModelBuilder(world.db).listing({ serviceType, manifest: { ops } });
  const networks = world.options.networks.map((one) => ({ ...one, slots: { perp: { serviceType } } }));
  return { networks, now: () => now };
});
beforeEach(async () => {
  now = new Date('2026-03-14T12:00:00Z');
  session = await openSession(agent, world.network.owner);
});

const send = (method: string, path: string, as: Record<string, string>, body?: unknown) =>
  agent.ask(`/api/agent/keys${path}`, buildRequest(body, as, method));
interface Made {
  id: string;
  as: Record<string, string>;
}
/** Issues a key for the wallet, with these bounds. */
async function make(bounds: Record<string, unknown> = {}, as = session): Promise<Made> {
  const answer = await send('POST', '', as, { walletId: wallet.walletId, ...bounds });
  const { id, key } = await answer.json();
  if (answer.status !== 200) throw new Error(`the key was refused: ${answer.status}`);
  return { id, as: { authorization: `Bearer ${key}` } };
}
const readDetail = async (answer: Response): Promise<string> => (await answer.json()).detail;
const step = { coinType, amount: '10', recipient: shop };
const composed = (...steps: unknown[]) => ({ ...nameWallet(), action: 'compose', steps });
const deposit = (adaptor?: string) => ({ action: 'lendingADeposit', coinType, amount: '1', adaptor });
const sui = (amount: string) => [{ coinType, amount }];

describe('an owner’s key', () => {
  test('is made for their own wallet, shown once, and runs its actions', async () => {
    const expiresMs = now.getTime() + 60_000;
    const bounds = {
      services: ['0xab::x::X'],
      actions: ['spend'],
      maxPerRun: sui('20'),
      maxPerDay: sui('50'),
    };
    const answer = await send('POST', '', session, {
      walletId: wallet.walletId,
      label: 'bot',
      expiresMs,
      ...bounds,
    });
    const { key, ...shown } = await answer.json();
    const expected = {
      id: expect.stringMatching(/^exec_/),
      network: 'testnet',
      walletId: wallet.walletId,
      label: 'bot',
      issuedBy: world.network.owner.address,
      createdMs: now.getTime(),
      expiresMs,
      ...bounds,
      services: [`0x${'ab'.padStart(64, '0')}::x::X`],
    };
    expect(shown).toEqual(expected);
    const { rows } = await world.db.pool.query('select * from agent_keys where id = $1', [shown.id]);
    expect(JSON.stringify(rows)).not.toContain(key);
    const list = await (await send('GET', `?walletId=${wallet.walletId}`, session)).json();
    expect(list).toEqual({ count: 1, keys: [expected] });
    expect(await readLast(await agent.post(spend(), { authorization: `Bearer ${key}` }))).toMatchObject({
      step: 'confirm',
      status: 'done',
    });
  });

  test('is made by nobody else, and neither shown to, changed nor revoked by them', async () => {
    const stranger = await openSession(agent, await world.network.newAccount());
    const { id, as: byKey } = await make();
    const body = { walletId: wallet.walletId };
    expect(await readRefusal(await send('POST', '', stranger, body))).toEqual([403, 'not_your_wallet']);
    const list = await send('GET', `?walletId=${wallet.walletId}`, stranger);
    expect(await readRefusal(list)).toEqual([403, 'not_your_wallet']);
    expect(await readRefusal(await send('GET', '', stranger))).toEqual([400, 'invalid_query']);
    expect(await readRefusal(await send('PATCH', `/${id}`, stranger, {}))).toEqual([404, 'key_not_found']);
    expect(await readRefusal(await send('DELETE', `/${id}`, stranger))).toEqual([404, 'key_not_found']);
    for (const headers of [{}, byKey, asInternal] as Record<string, string>[]) {
      const refused = await send('POST', '', headers, body);
      // An executor key is refused here, so the error must not ask for one.
      const detail = expect.stringContaining("requires a session of the wallet's owner");
      expect([refused.status, await readDetail(refused)]).toEqual([401, detail]);
      expect((await send('PATCH', `/${id}`, headers, {})).status).toBe(401);
      expect((await send('DELETE', `/${id}`, headers)).status).toBe(401);
    }
    expect(await readLast(await agent.post(spend(), byKey))).toMatchObject({ status: 'done' });
  });

  test.each<[string, Record<string, unknown>, string]>([
    ['a misspelt bound', { maxPerrun: [] }, 'body.maxPerrun: unknown field; did you mean maxPerRun?'],
    ['an action that there is not', { actions: ['rob'] }, 'body.actions.0'],
    ['compose, which is its steps', { actions: ['compose'] }, 'body.actions.0'],
    ['no action at all', { actions: [] }, 'body.actions'],
    ['a coin twice', { maxPerRun: [...sui('1'), ...sui('2')] }, 'body.maxPerRun: names one twice'],
    ['an end in seconds', { expiresMs: 1_900_000_000 }, 'body.expiresMs: must be in the future'],
  ])('with %s is refused', async (_what, bounds, words) => {
    const answer = await send('POST', '', session, { walletId: wallet.walletId, ...bounds });
    expect(answer.status).toBe(400);
    expect(await readDetail(answer)).toContain(words);
  });

  test.each([
    ['the operator', () => asAdmin],
    ['an owner', () => session],
  ])('of %s is for a network that actions run on', async (_whose, as) => {
    const answer = await send('POST', '', as(), { walletId: wallet.walletId, network: 'mainnet' });
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({
      code: 'network_not_configured',
      detail: 'The agent service does not serve mainnet. It serves testnet.',
    });
  });

  test('works until its end, until it is revoked, and while its maker owns the wallet', async () => {
    const ending = await make({ expiresMs: now.getTime() + 1_000 });
    const sold = await make();
    const ofOperator = await make({ network: 'testnet' }, asAdmin);
    const { walletId } = wallet;
    const path = `/api/agent/runs?network=testnet&walletId=${walletId}`;
    expect((await agent.ask(path, { headers: ending.as })).status).toBe(200);
    now = new Date(now.getTime() + 1_000);
    const ended = await agent.ask(path, { headers: ending.as });
    expect([ended.status, await readDetail(ended)]).toEqual([
      401,
      expect.stringContaining('expired at 2026-'),
    ]);

    const buyer = await world.network.newAccount();
    await sellTo(buyer);
    const lost = await agent.post(spend(), sold.as);
    expect([lost.status, await readDetail(lost)]).toEqual([401, expect.stringContaining('no longer owns')]);
    // The buyer's list does not contain it, and the buyer can issue keys of their own.
    const ofBuyer = await openSession(agent, buyer);
    const { keys } = await (await send('GET', `?walletId=${walletId}`, ofBuyer)).json();
    expect(keys.map(({ id }: { id: string }) => id)).toEqual([ofOperator.id]);
    expect((await send('DELETE', `/${ofOperator.id}`, ofBuyer)).status).toBe(204);
    expect(await readRefusal(await agent.post(spend(), ofOperator.as))).toEqual([401, 'invalid_key']);
  });

  test('stays revoked, although the primary that takes over lacks its revocation', async () => {
    const key = await make();
    expect((await send('DELETE', `/${key.id}`, session)).status).toBe(204);
    await world.db.pool.query('update agent_keys set revoked_at = null where id = $1', [key.id]);
    const path = `/api/agent/runs?network=testnet&walletId=${wallet.walletId}`;
    expect((await agent.ask(path, { headers: key.as })).status).toBe(200);
    await endWorkerConnection();
    await eventually(async () =>
      expect(await readRefusal(await agent.ask(path, { headers: key.as }))).toEqual([401, 'invalid_key']),
    );
  });

  test('is one of fifty at most that work', async () => {
    const many = await Promise.all(Array.from({ length: 50 }, () => make()));
    const body = { walletId: wallet.walletId };
    const more = await Promise.all([send('POST', '', session, body), send('POST', '', asAdmin, body)]);
    expect(await Promise.all(more.map(readRefusal))).toEqual([
      [409, 'too_many_keys'],
      [409, 'too_many_keys'],
    ]);
    await send('DELETE', `/${many[0]!.id}`, session);
    const last = await Promise.all([send('POST', '', session, body), send('POST', '', session, body)]);
    expect(last.map(({ status }) => status).sort()).toEqual([200, 409]);
  });
});

/** Ends the connection whose recovery tells the agent that another primary may have taken over. */
const endWorkerConnection = () =>
  world.db.pool.query(
    `select pg_terminate_backend(pid) from pg_stat_activity
      where application_name = 'agent worker' and datname = current_database()`,
  );

test('a session that was closed stays so, although the primary that takes over lacks its end', async () => {
  const as = await openSession(agent, world.network.owner);
  const path = '/api/agent/session';
  const sessions = await world.db.pool.query('select * from agent_sessions');
  expect((await agent.ask(path, { method: 'DELETE', headers: as })).status).toBe(204);
  await world.db.pool.query(
    `insert into agent_sessions select * from json_populate_recordset(null::agent_sessions, $1)
      on conflict do nothing`,
    [JSON.stringify(sessions.rows)],
  );
  expect((await agent.ask(path, { headers: as })).status).toBe(200);
  await endWorkerConnection();
  await eventually(async () => expect((await agent.ask(path, { headers: as })).status).toBe(401));
});

const sellTo = (buyer: Account) =>
  world.db.pool.query('update wallets set owner = $2 where wallet_id = $1', [wallet.walletId, buyer.address]);

describe('a key is narrowed', () => {
  test('and stays so, although the primary that takes over lacks it, unless another process narrowed it further', async () => {
    const [key, other] = [
      await make({ actions: ['spend', 'swap'] }),
      await make({ actions: ['spend', 'swap'], maxPerDay: sui('9') }),
    ];
    await send('PATCH', `/${key.id}`, session, { actions: ['spend'], maxPerRun: sui('5') });
    await send('PATCH', `/${other.id}`, session, { actions: ['spend'] });
    const setScope = (id: string, scope: object) =>
      world.db.pool.query('update agent_keys set scope = $2 where id = $1', [id, scope]);
    await setScope(key.id, { actions: ['spend', 'swap'] });
    const further = { actions: ['spend'], maxPerDay: { [coinType]: '4' } };
    await setScope(other.id, further);
    await endWorkerConnection();
    const readScope = async (id: string) =>
      (await world.db.pool.query('select scope from agent_keys where id = $1', [id])).rows[0].scope;
    await eventually(async () =>
      expect(await readScope(key.id)).toEqual({ actions: ['spend'], maxPerRun: { [coinType]: '5' } }),
    );
    expect(await readScope(other.id)).toEqual(further);
  });

  test('by what a change names, and refuses what would allow more, by its name', async () => {
    const { id } = await make({ actions: ['spend', 'swap'], maxPerRun: sui('20'), unattended: true });
    const attended = await send('PATCH', `/${id}`, session, { unattended: false });
    expect(await attended.json()).toMatchObject({ unattended: false });
    const narrowed = await send('PATCH', `/${id}`, session, { actions: ['spend'], maxPerDay: sui('5') });
    expect(await narrowed.json()).toMatchObject({
      actions: ['spend'],
      maxPerRun: sui('20'),
      maxPerDay: sui('5'),
      expiresMs: null,
    });
    for (const [field, change] of [
      ['actions', { actions: ['spend', 'swap'] }],
      ['maxPerRun', { maxPerRun: sui('21') }],
      ['unattended', { unattended: true }],
      ['maxPerDay', { maxPerDay: [...sui('5'), { coinType: '0x3::usd::USD', amount: '1' }] }],
    ] as const) {
      const answer = await send('PATCH', `/${id}`, session, { ...change, label: 'wider' });
      const { code, errors } = await answer.json();
      expect([answer.status, code, errors[0].path]).toEqual([422, 'scope_widened', `body.${field}`]);
    }
    const unknown = await send('PATCH', `/${id}`, session, { walletId: wallet.walletId });
    expect(await readRefusal(unknown)).toEqual([400, 'invalid_body']);
    const { keys } = await (await send('GET', `?walletId=${wallet.walletId}`, session)).json();
    expect(keys).toMatchObject([{ label: null, actions: ['spend'], maxPerDay: sui('5'), unattended: false }]);
  });

  test('that never said it runs unattended does not begin to', async () => {
    const { id } = await make();
    const answer = await send('PATCH', `/${id}`, session, { unattended: true });
    expect(await readRefusal(answer)).toEqual([422, 'scope_widened']);
    expect((await send('PATCH', `/${id}`, asAdmin, { unattended: true })).status).toBe(422);
  });

  test('by the owner where the operator made it, who vouches for it as before', async () => {
    const { id, as } = await make({}, asAdmin);
    const narrowed = await send('PATCH', `/${id}`, session, { maxPerRun: sui('10') });
    expect(await narrowed.json()).toMatchObject({ issuedBy: 'operator', maxPerRun: sui('10') });
    const gasLimits = { ...world.options.gasLimits, unplanned: 0n };
    const strict = await startTestAgent(world, { gasLimits, now: () => now });
    expect(await readLast(await strict.post(spend(), as))).toMatchObject({ status: 'done' });
    expect(await readRefusal(await strict.post(spend({ amount: '11' }), as))).toEqual([403, 'out_of_scope']);
    const own = await make();
    expect(await readRefusal(await strict.post(spend(), own.as))).toEqual([429, 'gas_limit']);
    await strict.close();
  });
});

describe('what is out of a key’s scope is refused before anything is drafted', () => {
  const outOfScope = async (key: Made, body: unknown) => {
    const answer = await agent.post(body, key.as);
    const { code, detail } = await answer.json();
    expect([answer.status, code]).toEqual([403, 'out_of_scope']);
    expect(await readRun()).toBeUndefined();
    return detail;
  };

  test('an action, also as a step of compose, by its place', async () => {
    const key = await make({ actions: ['spend', 'vaultDeposit'] });
    const detail = await outOfScope(key, composed(step, deposit()));
    expect(detail).toContain('Step 2 (lendingADeposit) is not among its actions: spend, vaultDeposit.');
    expect(await outOfScope(key, { ...nameWallet(), ...deposit() })).toContain(
      'lendingADeposit is not among',
    );
  });

  test('a service, of the slot or named, and a spend, which goes to none, unless it is among the actions', async () => {
    const other = `0x${'ab'.padStart(64, '0')}::lend::Lend`;
    const key = await make({ services: [other] });
    const both = await make({ services: [other], actions: ['spend', 'lendingADeposit'] });
    expect(await outOfScope(both, composed(step, deposit(market.serviceType)))).toContain(
      `Step 2 (lendingADeposit) uses ${market.serviceType}, which is not among its services: ${other}.`,
    );
    // No adaptor fills this slot here.
    expect(await outOfScope(key, { ...nameWallet(), ...deposit() })).toContain(
      'a slot that is not configured',
    );
    const perp = { action: 'perpMarginDeposit', marketId: market.objectId, amount: '1' };
    expect(await outOfScope(key, { ...nameWallet(), ...perp })).toContain(market.serviceType);
    expect(await outOfScope(key, spend())).toContain(
      'spend uses no service, so a key with services allows it only if its actions include it.',
    );
    expect(await readLast(await agent.post(spend(), both.as))).toMatchObject({ status: 'done' });
  });

  test('more of a coin than one run may take, summed over its steps, and any other coin', async () => {
    const key = await make({ maxPerRun: sui('19') });
    expect(await outOfScope(key, composed(step, step))).toContain(`takes 20 of ${coinType}`);
    const usd = '0x3::usd::USD';
    expect(await outOfScope(key, { ...nameWallet(), ...step, coinType: usd })).toContain(
      "which the key's maxPerRun does not include",
    );
    expect(await readLast(await agent.post(spend({ amount: '19' }), key.as))).toMatchObject({
      status: 'done',
    });
  });

  test('while runs are shown to every key of the wallet', async () => {
    const key = await make({ actions: ['swap'], services: [], maxPerRun: [] });
    const path = `/api/agent/runs?network=testnet&walletId=${wallet.walletId}`;
    expect((await agent.ask(path, { headers: key.as })).status).toBe(200);
  });
});

test('a key’s runs of a day take no more than its own limit, also of what it took before that was set', async () => {
  const key = await make();
  expect(await readLast(await agent.post(spend({ amount: '8' }), key.as))).toMatchObject({ status: 'done' });
  await send('PATCH', `/${key.id}`, session, { maxPerDay: sui('20') });
  const over = await agent.post(spend({ amount: '13' }), key.as);
  expect(over.headers.get('retry-after')).toBe(String(12 * 3_600));
  const { code, detail } = await over.json();
  expect([over.status, code, detail]).toEqual([
    429,
    'daily_limit',
    expect.stringContaining('this executor key'),
  ]);
  expect(await readLast(await agent.post(spend({ amount: '12' }), key.as))).toMatchObject({ status: 'done' });
  // The wallet and its other keys have more of their limits left.
  expect(await readLast(await agent.post(spend({ amount: '12' }), (await make()).as))).toMatchObject({
    status: 'done',
  });
  now = new Date(now.getTime() + 86_400_000);
  expect(await readLast(await agent.post(spend({ amount: '20' }), key.as))).toMatchObject({ status: 'done' });
});

describe('a coin that the request does not name', () => {
  const deposits = { action: 'perpMarginDeposit', amount: '30' };
  beforeEach(async () => {
    const { owner, packages, client } = world.network;
    const target = { packageId: packages.wallet, wallet: wallet.walletId };
    const { serviceType: service } = market;
    const own = deriveWalletKeypair(world.agent.keypair, 'testnet', wallet.walletId).toSuiAddress();
    const budget = { delegate: own, amount: 500n };
    await execute(owner, (tx) => {
      wallets.grantServiceCoin(tx, target, { service, coinType, allowance: 500n });
      delegate.initialize(tx, target);
      delegate.add(tx, target, own);
      delegate.setServiceAllowance(tx, target, { ...budget, service });
      delegate.setCoinAllowance(tx, target, { ...budget, coinType });
    });
    world.tools.draft = (asked) =>
      buildDraft(asked, client, (tx) => {
        const bounds = { service, takes: [{ coinType, amount: 30n }], brings: [] };
        appendAction(tx, target, bounds, () => {
          tx.moveCall({
            target: `${service.split('::')[0]}::margin::deposit_margin`,
            typeArguments: [coinType],
            arguments: [
              ...[tx.object(wallet.walletId), tx.object(market.objectId), tx.pure.u64(30n)],
              tx.object.clock(),
            ],
          });
        });
      });
  });
  const request = () => ({ ...nameWallet(), ...deposits, marketId: market.objectId });
  const run = (key: Made) => agent.post(request(), key.as);

  test.each([
    ['more than the key may take in a run', { maxPerRun: sui('29') }, 'takes 30 of'],
    ['a coin that is not in the key’s list', { maxPerRun: [] }, "which the key's maxPerRun does not include"],
    [
      'more than the key may take in a day',
      { maxPerDay: sui('29') },
      "more than the 29 of the key's maxPerDay",
    ],
  ])('%s: nothing is signed', async (_what, bounds, words) => {
    const key = await make(bounds);
    const simulated = await agent.ask('/api/agent/simulate', buildRequest(request(), key.as));
    const detail = expect.stringContaining(words);
    const ending = { wouldSucceed: false, failedAt: 'simulate', code: 'out_of_scope', detail };
    expect(await simulated.json()).toMatchObject(ending);
    const last = await readLast(await run(key));
    expect(last).toMatchObject({ step: 'simulate', status: 'error', detail });
    expect(await readRun()).toMatchObject({ code: 'out_of_scope', transaction: null });
    expect(await world.balance(wallet.walletId)).toBe(1_000n);
  });

  test('counts for the key’s day', async () => {
    const key = await make({ services: [market.serviceType], maxPerRun: sui('30'), maxPerDay: sui('59') });
    expect(await readLast(await run(key))).toMatchObject({ status: 'done' });
    expect(await readLast(await run(key))).toMatchObject({ step: 'simulate', status: 'error' });
    expect(await readRun()).toMatchObject({ code: 'daily_limit', transaction: null });
    expect(await world.balance(wallet.walletId)).toBe(970n);
  });
});

describe('a run is not signed when, while it is prepared, its key', () => {
  test.each<[string, string, (key: Made) => Promise<unknown>]>([
    ['is revoked', 'invalid_key', ({ id }) => send('DELETE', `/${id}`, session)],
    ['is narrowed', 'out_of_scope', ({ id }) => send('PATCH', `/${id}`, session, { actions: ['swap'] })],
    ['ends', 'invalid_key', async () => (now = new Date(now.getTime() + 3_600_000))],
    ['loses its maker’s wallet', 'invalid_key', async () => sellTo(await world.network.newAccount())],
  ])('%s', async (_what, code, happens) => {
    const key = await make({ expiresMs: now.getTime() + 3_600_000 });
    world.tools.draft = async (asked) => {
      await happens(key);
      return await world.honest(asked);
    };
    expect(await readLast(await agent.post(spend(), key.as))).toMatchObject({
      step: 'sign',
      status: 'error',
    });
    expect(await readRun()).toMatchObject({ state: 'failed', code, transaction: null });
    expect(await world.balance(wallet.walletId)).toBe(1_000n);
  });
});

describe('a run that no person confirmed', () => {
  const unattended = () => ({ ...spend(), unattended: true, requestId: 'alone' });

  test('begins only with a key that is unattended, and another credential starts nothing', async () => {
    const callers = [session, asInternal, (await make()).as, (await make({ unattended: false })).as];
    for (const caller of callers)
      expect(await readRefusal(await agent.post(unattended(), caller))).toEqual([403, 'confirmation_needed']);
    expect(await readRun()).toBeUndefined();
    const { as } = await make({ unattended: true });
    expect(await readLast(await agent.post(unattended(), as))).toMatchObject({ status: 'done' });
    // The run is there already, so any caller of the wallet attaches to it.
    expect(await readLast(await agent.post(unattended(), session))).toMatchObject({ status: 'done' });
    expect(await readLast(await agent.post({ ...spend(), requestId: 'alone' }, session))).toMatchObject({
      status: 'done',
    });
    expect(await world.balance(wallet.walletId)).toBe(990n);
  });

  test('is not signed once its key asks a person, also while the transaction is prepared', async () => {
    const key = await make({ unattended: true });
    world.tools.draft = async (asked) => {
      expect((await send('PATCH', `/${key.id}`, session, { unattended: false })).status).toBe(200);
      return await world.honest(asked);
    };
    expect(await readLast(await agent.post(unattended(), key.as))).toMatchObject({
      step: 'sign',
      status: 'error',
    });
    expect(await readRun()).toMatchObject({ state: 'failed', code: 'out_of_scope', transaction: null });
    expect(await readRefusal(await agent.post(unattended(), key.as))).toEqual([403, 'confirmation_needed']);
    expect(await world.balance(wallet.walletId)).toBe(1_000n);
  });
});

describe('a run is not signed when, while it is prepared, the wallet is sold, with every kind of caller', () => {
  test.each<[string, () => Promise<Record<string, string>>]>([
    ['a session of the seller', async () => session],
    ['an executor key of the operator', async () => (await make({}, asAdmin)).as],
    ['a service of the host', async () => asInternal],
  ])('%s', async (_what, as) => {
    const caller = await as();
    const buyer = await world.network.newAccount();
    world.tools.draft = async (asked) => {
      await sellTo(buyer);
      return await world.honest(asked);
    };
    expect(await readLast(await agent.post(spend(), caller))).toMatchObject({
      step: 'sign',
      status: 'error',
    });
    expect(await readRun()).toMatchObject({ state: 'failed', code: 'wallet_not_found', transaction: null });
    expect(await world.balance(wallet.walletId)).toBe(1_000n);
  });
});
