import { join } from 'node:path';
import { appendAction, wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import { type Account, execute } from '@adaptor-marketplace/localnet/account';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { bcs } from '@mysten/sui/bcs';
import { toBase64 } from '@mysten/sui/utils';
import { beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { deriveWalletKeypair } from '../../lib/agent/wallet-key.ts';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import type { AgentSigner } from '../../services/agent/key/signer.ts';
import { findCreatedObject } from '../../services/demo/publish.ts';
import { openSession } from '../support/agent-session.ts';
import { executorKey, startTestAgent } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { hostLimits } from '../support/host-limits.ts';
import { asAdmin } from '../support/keys.ts';
import { readModelBuilder } from '../support/read-model.ts';
import { buildDraft } from '../support/tool-double.ts';
import { coinType } from '../support/wallet-packages.ts';
import { walletRows } from '../support/wallet-rows.ts';
import { agent, readLast, readRefusal, readRun, spend, useAgent, wallet, world } from './set-up.ts';

/**
 * An adaptor that takes nothing from the wallet. It makes an object of `amount` bytes for its publisher, who deletes it
 * and gets most of the storage fee back. Its switch makes it harmless during the simulation.
 */
const fat = (publisher: string) => `
module fat::fat;

use wallet::wallet::Wallet;

public struct Fat has key, store { id: UID, bytes: vector<u8> }
public struct Switch has key { id: UID, on: bool }

fun init(ctx: &mut TxContext) {
    transfer::share_object(Switch { id: object::new(ctx), on: true });
}

public fun turn(switch: &mut Switch, on: bool) { switch.on = on; }

public fun deposit<C>(_wallet: &Wallet, switch: &mut Switch, amount: u64, ctx: &mut TxContext) {
    if (!switch.on) return;
    let mut bytes = vector[];
    amount.do!(|_| bytes.push_back(0));
    transfer::public_transfer(Fat { id: object::new(ctx), bytes }, @${publisher});
}
`;

/** The publisher of the package and of all its listings. */
let attacker: Account;
let serviceType: string;
let switchId: string;
/** The service's clock. */
let now: Date;

useAgent(() => ({ now: () => now }));
beforeAll(async () => {
  attacker = await world.network.newAccount();
  const sources = { 'Move.toml': moveToml('fat', ['wallet']), 'sources/fat.move': fat(attacker.address) };
  const published = { wallet: world.network.packages.wallet };
  const compiled = await compileSources(sources, { base: join(moveDir, 'fat'), published, uncached: true });
  const executed = await execute(attacker, (tx) => {
    const { modules, dependencies } = compiled;
    const cap = tx.publish({ modules: modules.map((module) => toBase64(module)), dependencies });
    tx.transferObjects([cap], attacker.address);
  });
  const packageId = executed.created.find(({ type }) => type === 'package')!.id;
  switchId = findCreatedObject(executed, '::fat::Switch');
  serviceType = `${packageId}::fat::Fat`;
  const args = [{ role: 'wallet' }, { role: 'object', objectId: switchId }, { role: 'amount' }];
  const call = { typeArgs: ['coinIn'], args };
  await readModelBuilder(world.db).listing({
    serviceType,
    manifest: { ops: [{ kind: 'lend', module: 'fat', entry: 'deposit', call }] },
  });
});
beforeEach(() => {
  // Each test has a day of its own.
  now = new Date((now ?? new Date('2026-03-01T12:00:00Z')).getTime() + 86_400_000);
});

/** Makes the tool service draft what the adaptor's manifest says. */
function draftFeeding(): void {
  world.tools.draft = (asked) =>
    asked.request.action === 'spend'
      ? world.honest(asked)
      : buildDraft(asked, world.network.client, (tx, request) => {
          const { walletId, amount } = request as { walletId: string; amount: string };
          const target = { packageId: world.network.packages.wallet, wallet: walletId };
          const takes = [{ coinType, amount: BigInt(amount) }];
          appendAction(tx, target, { service: serviceType, takes, brings: [] }, () => {
            tx.moveCall({
              target: `${serviceType.split('::')[0]}::fat::deposit`,
              typeArguments: [coinType],
              arguments: [tx.object(walletId), tx.object(switchId), tx.pure.u64(amount)],
            });
          });
        });
}

const rows = () => walletRows(world.db);
/** Creates an empty wallet for a stranger, as anyone can. */
async function createWallet(stranger: Account): Promise<string> {
  const made = await execute(stranger, (tx) => {
    const target = wallets.create(tx, world.network.packages.wallet);
    wallets.grantServiceCoin(tx, target, { service: serviceType, coinType, allowance: 1n });
    wallets.share(tx, target);
  });
  const walletId = findCreatedObject(made, '::wallet::Wallet');
  await rows().wallet(stranger.address, { walletId, identity: walletId });
  return walletId;
}

const feeding = (owner: string, walletId: string, bytes: number) => ({
  owner,
  walletId,
  network: 'testnet',
  action: 'lendingADeposit',
  adaptor: serviceType,
  coinType,
  amount: String(bytes),
});
/** The detail of the refusal, before or in the stream; undefined if the run succeeded. */
async function readRefusalDetail(answer: Response): Promise<string | undefined> {
  if (answer.status !== 200) return (await answer.json()).detail;
  const last = await readLast(answer);
  return last.status === 'error' ? last.detail : undefined;
}
const hostBalance = async () =>
  BigInt((await world.network.client.getBalance({ owner: world.agent.address, coinType })).balance.balance);
/** Returns the gas that is reserved and spent for a subject today, in MIST; undefined if there is none. */
async function readDailyGas(subject: string): Promise<{ reserved: number; spent: number } | undefined> {
  const { rows } = await world.db.pool.query(
    `select reserved::int, spent::int from agent_limits
      where subject = $1 and measure = 'gas' and day = ($2::timestamptz at time zone 'utc')::date`,
    [subject, now],
  );
  return rows[0];
}
const planned = () => executorKey(agent, wallet.walletId);

/** The managed key, which signs after `happens`: between the simulation and the execution. */
function signerAfter(happens: () => Promise<unknown>): AgentSigner {
  const { signer } = world.options;
  return {
    ...signer,
    async sign(bytes) {
      await happens();
      return await signer.sign(bytes);
    },
  };
}

describe('strangers with wallets and an adaptor of their own', () => {
  test('cost the host no more than the day’s limits, and take nothing from callers that are vouched for', async () => {
    draftFeeding();
    const before = await hostBalance();
    const { gasLimits } = hostLimits;
    const { owner } = gasLimits;
    /**
     * Uses up a wallet's gas limit with ever smaller runs, until the smallest one is refused. Returns the last refusal.
     */
    const drain = async (stranger: Account, headers: Record<string, string>): Promise<string> => {
      const walletId = await createWallet(stranger);
      for (let bytes = 3_500, runs = 0; ; runs += 1) {
        expect(runs).toBeLessThan(100);
        const body = feeding(stranger.address, walletId, bytes);
        const refused = await readRefusalDetail(await agent.post(body, headers));
        if (refused) expect(refused).toContain('Daily limit of gas');
        if (refused && bytes === 1) return refused;
        if (refused) bytes = bytes > 100 ? Math.floor(bytes / 3) : 1;
      }
    };
    const refusals: string[] = [];
    for (let strangers = 0; !refusals.at(-1)?.includes('all callers without a plan'); strangers += 1) {
      expect(strangers).toBeLessThan(5);
      const stranger = await world.network.newAccount();
      const headers = await openSession(agent, stranger);
      const ofStranger: string[] = [];
      while (!/owner's wallets|all callers/.test(ofStranger.at(-1) ?? '')) {
        expect(ofStranger.length).toBeLessThan(8);
        ofStranger.push(await drain(stranger, headers));
      }
      refusals.push(...ofStranger);
      expect((await readDailyGas(`owner:${stranger.address}`))!.spent).toBeLessThanOrEqual(Number(owner));
    }
    expect(refusals.some((detail) => detail.includes('this wallet'))).toBe(true);
    expect(refusals.some((detail) => detail.includes("this owner's wallets together"))).toBe(true);
    const lost = before - (await hostBalance());
    expect(lost).toBeGreaterThan((gasLimits.unplanned * 9n) / 10n);
    // The loss is the chain's charge for the runs, plus the cost of making gas coins: less than a fiftieth of the
    // limit.
    const charged = (await readDailyGas('unplanned'))!;
    expect(charged.reserved).toBe(0);
    expect(BigInt(charged.spent)).toBeLessThanOrEqual(gasLimits.unplanned);
    const making = lost - BigInt(charged.spent);
    expect(making).toBeGreaterThanOrEqual(0n);
    expect(making).toBeLessThan(gasLimits.unplanned / 50n);

    const newcomer = await world.network.newAccount();
    const walletId = await createWallet(newcomer);
    const asked = feeding(newcomer.address, walletId, 1);
    const refused = await readRefusalDetail(await agent.post(asked, await openSession(agent, newcomer)));
    expect(refused).toContain('all callers without a plan');

    // These callers are still served: a key of the operator's, an internal service, and an owner with a plan.
    expect(await readLast(await agent.post(spend(), await planned()))).toMatchObject({ status: 'done' });
    expect(await readLast(await agent.post(spend()))).toMatchObject({ status: 'done' });
    await agent.ask('/api/agent/plans', buildRequest({ owner: newcomer.address, plan: 'pro' }, asAdmin));
    const withPlan = await agent.post(asked, await openSession(agent, newcomer));
    expect(await readLast(withPlan)).toMatchObject({ status: 'done' });
    expect(await readDailyGas('unplanned')).toEqual(charged);
  });

  test('have four runs open for one owner at a time, and keep nobody who is vouched for waiting', async () => {
    const stranger = await world.network.newAccount();
    const headers = await openSession(agent, stranger);
    const drafting = Promise.withResolvers<void>();
    world.tools.draft = async (asked) => {
      if (asked.request.owner === stranger.address) await drafting.promise;
      return { status: 500, body: {} };
    };
    const wallets: string[] = [];
    for (let nth = 0; nth < 5; nth += 1) wallets.push(await createWallet(stranger));
    const post = (walletId: string) => agent.post(feeding(stranger.address, walletId, 1), headers);
    const open = await Promise.all(wallets.slice(0, 4).map(post));
    expect(open.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    const refused = await post(wallets[4]!);
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      429,
      '2',
      expect.objectContaining({
        code: 'too_many_runs',
        detail: expect.stringContaining('4 actions of this'),
      }),
    ]);
    expect(await readRun({ walletId: wallets[4]! })).toBeUndefined();
    // With a key of the operator's, the same wallet is served.
    const key = await executorKey(agent, wallets[4]!);
    const vouched = await agent.post(feeding(stranger.address, wallets[4]!, 1), key);
    expect(vouched.status).toBe(200);
    drafting.resolve();
    for (const answer of [...open, vouched])
      expect(await readLast(answer)).toMatchObject({ status: 'error' });
    expect((await post(wallets[4]!)).status).toBe(200);
  });

  test('a key that a wallet’s owner made vouches for nobody', async () => {
    draftFeeding();
    const stranger = await world.network.newAccount();
    const walletId = await createWallet(stranger);
    const key = await executorKey(agent, walletId, {}, await openSession(agent, stranger));
    expect(await readLast(await agent.post(feeding(stranger.address, walletId, 1), key))).toMatchObject({
      status: 'done',
    });
    const { gas_charged: charged } = await readRun({ walletId });
    expect(Number(charged)).toBeGreaterThan(0);
    expect(await readDailyGas('unplanned')).toEqual({ reserved: 0, spent: Number(charged) });
  });

  test('a transaction that needs more gas than one run may use is not signed, and both numbers are reported', async () => {
    draftFeeding();
    const walletId = await createWallet(attacker);
    const headers = await openSession(agent, attacker);
    // Only the second transaction runs out of gas in the simulation.
    const gasMax = Number(hostLimits.gasLimits.perRun);
    for (const bytes of [10_000, 100_000]) {
      const last = await readLast(await agent.post(feeding(attacker.address, walletId, bytes), headers));
      expect(last).toMatchObject({ step: 'simulate', status: 'error' });
      const [, needed, max] = /budget of (\d+) MIST, more than the (\d+) MIST/
        .exec(last.detail!)!
        .map(Number);
      expect(max).toBe(gasMax);
      expect(needed).toBeGreaterThan(Math.max(gasMax, bytes * 7_600 * 1.25));
      expect(await readRun({ walletId })).toMatchObject({ code: 'insufficient_gas', transaction: null });
    }
    expect(await readDailyGas(`wallet:${walletId}`)).toEqual({ reserved: 0, spent: 0 });
  });

  test('a simulation stops at the gas that one run may use', async () => {
    draftFeeding();
    const walletId = await createWallet(attacker);
    const body = feeding(attacker.address, walletId, 100_000);
    const post = buildRequest(body, await openSession(agent, attacker));
    const answer = await agent.ask('/api/agent/simulate', post);
    expect(await answer.json()).toMatchObject({
      wouldSucceed: false,
      failedAt: 'simulate',
      code: 'insufficient_gas',
      detail: expect.stringContaining(`needs more gas than the ${hostLimits.gasLimits.perRun} MIST`),
    });
  });

  test('an adaptor that grows fat between simulation and execution is stopped at the signed budget', async () => {
    draftFeeding();
    const walletId = await createWallet(attacker);
    const turn = (on: boolean) =>
      execute(attacker, (tx) => {
        const target = `${serviceType.split('::')[0]}::fat::turn`;
        tx.moveCall({ target, arguments: [tx.object(switchId), tx.pure.bool(on)] });
      });
    await turn(false);
    const late = await startTestAgent(world, { now: () => now, signer: signerAfter(() => turn(true)) });
    const before = await hostBalance();
    const last = await readLast(
      await late.post(feeding(attacker.address, walletId, 4_000), await openSession(late, attacker)),
    );
    expect(last).toMatchObject({ step: 'execute', status: 'error' });
    const lost = before - (await hostBalance());
    expect(lost).toBeLessThan(10_000_000n);
    const run = await readRun({ walletId });
    expect(run).toMatchObject({ state: 'failed', code: 'insufficient_gas', gas_charged: String(lost) });
    // A failed transaction counts too.
    expect(await readDailyGas(`wallet:${walletId}`)).toEqual({ reserved: 0, spent: Number(lost) });
    await late.close();
  });
});

test('an address without a coin acts at the host’s cost, by two signatures, with the host’s budget', async () => {
  const before = await hostBalance();
  expect(await readLast(await agent.post(spend()))).toMatchObject({ status: 'done' });
  const { transaction, signatures, gas_charged: charged } = await readRun();
  const { sender, gasData } = bcs.TransactionData.parse(transaction).V1!;
  const own = deriveWalletKeypair(world.agent.keypair, 'testnet', wallet.walletId).toSuiAddress();
  expect([sender, gasData.owner, signatures.length]).toEqual([own, world.agent.address, 2]);
  const { objects } = await world.network.client.listCoins({ owner: own, coinType });
  expect(objects).toEqual([]);
  expect(before - (await hostBalance())).toBe(BigInt(charged));
});

describe('the day’s gas', () => {
  test('is charged to wallet and owner by what the chain took, in the signed budget’s bounds', async () => {
    const before = await hostBalance();
    expect(await readLast(await agent.post(spend(), await planned()))).toMatchObject({ status: 'done' });
    const charged = before - (await hostBalance());
    const { gas_charged: recorded, transaction } = await readRun();
    expect(recorded).toBe(String(charged));
    const { budget } = bcs.TransactionData.parse(transaction).V1!.gasData;
    expect(Number(budget)).toBeLessThan(hostLimits.gasLimits.perRun);
    for (const subject of [`wallet:${wallet.walletId}`, `owner:${world.network.owner.address}`]) {
      expect(await readDailyGas(subject)).toEqual({ reserved: 0, spent: Number(charged) });
    }
  });

  test('refuses a run at once where it is used up, and else where the budget does not fit', async () => {
    const tight = (wallet: bigint) =>
      startTestAgent(world, { now: () => now, gasLimits: { ...hostLimits.gasLimits, wallet } });
    const none = await tight(1_999_999n);
    expect(await readRefusal(await none.post(spend()))).toEqual([429, 'gas_limit']);
    expect(await readRun()).toBeUndefined();
    const little = await tight(2_000_000n);
    const last = await readLast(await little.post(spend()));
    expect(last).toMatchObject({ step: 'simulate', status: 'error' });
    expect(await readRun()).toMatchObject({ code: 'gas_limit', transaction: null });
    expect(await readDailyGas(`wallet:${wallet.walletId}`)).toEqual({ reserved: 0, spent: 0 });
    await none.close();
    await little.close();
  });

  test('is given back by a run that never signed', async () => {
    world.tools.draft = async () => ({ status: 500, body: {} });
    expect(await readLast(await agent.post(spend()))).toMatchObject({ status: 'error' });
    expect(await readDailyGas(`wallet:${wallet.walletId}`)).toEqual({ reserved: 0, spent: 0 });
    expect((await readRun()).gas_charged).toBeNull();
  });
});

test('a wallet runs so many actions a day, those that fail included', async () => {
  const few = await startTestAgent(world, { now: () => now, runsDaily: 2n });
  world.tools.draft = async () => ({ status: 500, body: {} });
  expect(await readLast(await few.post(spend()))).toMatchObject({ status: 'error' });
  world.tools.draft = world.honest;
  expect(await readLast(await few.post(spend()))).toMatchObject({ status: 'done' });
  const over = await few.post(spend());
  expect(over.headers.get('retry-after')).toBe(String(12 * 3_600));
  expect(await readRefusal(over)).toEqual([429, 'run_limit']);
  // Another wallet of the same owner has a limit of its own.
  expect(await readLast(await few.post(spend({}, await world.wallet())))).toMatchObject({ status: 'done' });
  now = new Date(now.getTime() + 86_400_000);
  expect(await readLast(await few.post(spend()))).toMatchObject({ status: 'done' });
  await few.close();
});

test('of SUI, a wallet’s runs take so much a day where the operator set nothing', async () => {
  const [most] = Object.values(hostLimits.dailyLimits);
  const over = await agent.post(spend({ amount: String(most! + 1n) }));
  expect(await readRefusal(over)).toEqual([429, 'daily_limit']);
});
