import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import { delegate as delegates, policy, wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import { execute } from '@adaptor-marketplace/localnet/account';
import { GrpcTypes } from '@mysten/sui/grpc';
import { Registry } from '@prometheus-io/client';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../db/client.ts';
import { readEntries } from '../../db/queries/catalog/find.ts';
import { walletEvents } from '../../lib/chain/events/wallet.ts';
import { dollars, milliSui, SUI } from '../../services/demo/publish.ts';
import { addDelegate, type DemoWallet, openWallet, type SetUp } from '../../services/demo/wallets.ts';
import { executorKey, postAction, readSteps, type TestAgent } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import {
  listSlotCoins,
  moveDollars,
  readBalances,
  sendSponsored,
  startDemoAgent,
  startDemoTools,
  walletForAgent,
} from '../support/demo-tools.ts';
import { eventually } from '../support/eventually.ts';
import { asAdmin } from '../support/keys.ts';
import { startNodeProxy } from '../support/node-proxy.ts';
import { openStranger, type Stranger } from '../support/stranger/open.ts';
import { startTcpProxy, type TcpProxy } from '../support/tcp-proxy.ts';
import { useForFile } from '../support/use-for-file.ts';

/*
 * Attacks on a running service by a stranger. The stranger's package is listed by its verified publisher, behaves
 * during the simulation and misbehaves at execution. A simulation proves nothing, so every test must hold even if the
 * simulation saw no attack.
 */

type Agent = Pick<TestAgent, 'ask' | 'close'>;

let agent: Agent;
let stranger: Stranger;
/** A wallet whose owner trusted the stranger's manifest and granted its services everything that they request. */
let wallet: DemoWallet;
/** The stranger's own wallet. */
let own: DemoWallet;

const amount = milliSui(10);

const world = useForFile(startDemoTools);
const proxy = useForFile(() => startNodeProxy(world.demo.rpcUrl));
beforeAll(async () => {
  stranger = await openStranger(world, world.demo.owner.walletId);
  agent = await startDemoAgent({ ...world, settings: { ...world.settings, rpcUrl: proxy.url } }, world.url, {
    dailyLimits: { [SUI]: amount },
  });
  wallet = await walletForAgent(world, believing);
  await moveDollars(world, wallet, dollars(50));
  own = await openWallet(stranger.account, world.demo.packages.wallet, { acting: [], setUp: [raiding] });
  await execute(stranger.account, (tx) => {
    delegates.initialize(tx, own.target);
    addDelegate(tx, own.target, {
      address: world.actor(own.walletId).address,
      services: [{ serviceType: stranger.services.raid, amount: unlimitedAllowance }],
      coins: [{ coinType: SUI, amount: unlimitedAllowance }],
    });
  });
  await world.knowsAll();
  // The simulation refuses this run. Before that, the run makes the managed key's gas coins, in a transaction of its
  // own.
  await run(wallet, trading(10n ** 18n));
});
afterAll(async () => {
  await agent?.close();
});
afterEach(async () => {
  proxy.meddle('ExecuteTransaction', undefined);
  await stranger.turn(0);
});

/** The owner lets the agent use the stranger's services and the tip jar. */
const believing: SetUp = (tx, target) => {
  const dollar = world.demo.venues.swap.coins.b!;
  const { lend, trade, relay } = stranger.services;
  const tipJar = `${world.demo.packages.adaptors.tip_jar}::tip_jar::TipJar`;
  for (const service of [lend, trade, relay, tipJar]) {
    for (const coinType of [SUI, dollar]) {
      wallets.grantServiceCoin(tx, target, { service, coinType, allowance: unlimitedAllowance });
    }
    const delegate = world.actor(String(target.wallet)).address;
    delegates.setServiceAllowance(tx, target, { delegate, service, amount: unlimitedAllowance });
  }
  tx.moveCall({
    target: `${target.packageId}::wallet::grant_service_pull`,
    typeArguments: [lend, SUI],
    arguments: [tx.object(target.wallet), tx.pure.u64(unlimitedAllowance)],
  });
};

/** The stranger's own wallet lets `raid` act through its own agent address. */
const raiding: SetUp = (tx, target) => {
  const service = stranger.services.raid;
  wallets.grantServiceCoin(tx, target, { service, coinType: SUI, allowance: unlimitedAllowance });
};

type Run = Record<string, unknown>;

const run = async (of: DemoWallet, fields: Run, on: Agent = agent) =>
  readSteps(await postAction(on, 'run', of, fields, await executorKey(agent, of.walletId)));

/** The newest run of a wallet, as the agent service has stored it. */
async function recorded(of: DemoWallet) {
  const headers = await executorKey(agent, of.walletId);
  const query = new URLSearchParams({ walletId: of.walletId, network: 'testnet', limit: '1' });
  const answer = await agent.ask(`/api/agent/runs?${query}`, { headers });
  return (await answer.json()).runs[0];
}

/** Returns the amount that a wallet's runs have reserved or spent of its coin limits, in base units. */
async function used({ walletId }: DemoWallet): Promise<number> {
  const { rows } = await world.db.pool.query<{ sum: string }>(
    "select sum(reserved + spent) as sum from agent_limits where subject = 'wallet:' || $1 and measure like '%::%'",
    [walletId],
  );
  return Number(rows[0]?.sum);
}

const held = ({ walletId }: { walletId: string }) => readBalances(world, walletId, listSlotCoins(world));

/** Sets the stranger's switch after the simulation and before execution, while the signed transaction is on its way. */
function turnWhenSigned(to: number): void {
  proxy.meddle('ExecuteTransaction', {
    async before() {
      proxy.meddle('ExecuteTransaction', undefined);
      await stranger.turn(to);
    },
  });
}

const lending = (): Run => ({
  action: 'lendingADeposit',
  coinType: SUI,
  amount: String(amount),
  adaptor: stranger.services.lend,
});
const trading = (minOut: bigint): Run => ({
  action: 'swap',
  coinIn: world.demo.venues.swap.coins.b!,
  coinOut: SUI,
  amountIn: '1000',
  minOut: String(minOut),
  adaptor: stranger.services.trade,
});

describe('what turns bad between simulation and execution is stopped by the lock of the wallet, at execution', () => {
  /** Attacks by the number of the switch, each with the function and the code with which the wallet package aborts. */
  const attempts: [to: number, what: string, request: () => Run, place: string, abort: string][] = [
    [1, "another service's grant", lending, 'lock::assert_lets', 'EOtherService (code 2)'],
    [2, 'more of the coin than asked', lending, 'lock::take', 'ETakesTooMuch (code 3)'],
    [3, 'another coin of its own grant', lending, 'lock::take', 'ETakesTooMuch (code 3)'],
    [4, "the owner's withdrawal", lending, 'wallet::assert_owner_acts', 'ENotYourWallet (code 5)'],
    [5, 'what it may pull unattended', lending, 'lock::assert_none', 'EOpen (code 1)'],
    [6, 'an action within the action', lending, 'lock::assert_none', 'EOpen (code 1)'],
    [7, 'a pull on account of the agent', lending, 'lock::assert_none', 'EOpen (code 1)'],
    [1, 'nothing in return', () => trading(1_000n), 'lock::close', 'EBringsTooLittle (code 4)'],
    [2, 'a plain deposit as the return', () => trading(1_000n), 'lock::close', 'EBringsTooLittle (code 4)'],
    [3, 'a unit less than the minimum', () => trading(1_000n), 'lock::close', 'EBringsTooLittle (code 4)'],
  ];
  test.each(attempts)('switch at %i: %s', async (to, _what, request, place, abort) => {
    const before = await held(wallet);
    turnWhenSigned(to);
    const lines = await run(wallet, request());
    const last = lines.at(-1)!;
    expect(last).toMatchObject({ step: 'execute', status: 'error', code: 'move_abort' });
    expect(last.detail).toContain(`${world.demo.packages.wallet}::${place} aborted with ${abort}.`);
    // The explanation in words comes before the function.
    expect(last.detail!.startsWith(world.demo.packages.wallet)).toBe(false);
    expect(await recorded(wallet)).toMatchObject({ state: 'failed', code: 'move_abort' });
    expect(await used(wallet)).toBe(0);
    expect(await held(wallet)).toEqual(before);
    const { Transaction, FailedTransaction } = await world.client.getTransaction({ digest: last.digest! });
    expect([Transaction, FailedTransaction?.status.success]).toEqual([undefined, false]);
  });

  test('with the switch off both do what was asked, and the limit of the day has room for it', async () => {
    const before = await held(wallet);
    const dollar = world.demo.venues.swap.coins.b!;
    expect((await run(wallet, trading(1_000n))).at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
    // All failed runs before this one released the amounts that they had reserved.
    expect((await run(wallet, lending())).at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
    const after = await held(wallet);
    expect(before.get(SUI)! - after.get(SUI)!).toBe(amount - 1_000n);
    expect(before.get(dollar)! - after.get(dollar)!).toBe(1_000n);
  });
});

describe('an op of several calls, whose publisher wrote down what they liked', () => {
  const relaying = (name: string, receives: bigint, more: Run = {}): Run => ({
    action: 'call',
    adaptor: stranger.services.relay,
    op: `relay::${name}`,
    spends: [{ coinType: SUI, amount: String(amount) }],
    receivesAtLeast: receives === 0n ? [] : [{ coinType: SUI, amount: String(receives) }],
    ...more,
  });
  const refusedAt = async (request: Run, step: string, code: string) => {
    const before = await held(believer);
    const last = (await run(believer, request)).at(-1)!;
    expect(last).toMatchObject({ step, status: 'error', code });
    expect(await held(believer)).toEqual(before);
    expect(await used(believer)).toBe(0);
    return last.detail!;
  };
  /** A wallet that only these tests use, because the daily limit of the other one is used up. */
  let believer: DemoWallet;
  beforeAll(async () => {
    believer = await walletForAgent(world, believing);
    await world.knowsAll();
  });

  test.each([
    ['a coin that is sent away', 'begin', 1n, 'lock::close', 'EBringsTooLittle (code 4)'],
    // Putting the coin back is not a return: the wallet gets no more than was taken.
    [
      'a coin that is put back as if it were a return',
      'give_back',
      1n,
      'lock::close',
      'EBringsTooLittle (code 4)',
    ],
    ['the coin a second time', 'start', 0n, 'lock::take', 'ETakesTooMuch (code 3)'],
  ])('%s is refused by the lock around all of them', async (_what, name, receives, place, abort) => {
    // The amount is small because the daily limit would otherwise refuse the run first.
    const detail = await refusedAt(
      relaying(name, receives, { amount: '1', spends: one }),
      'simulate',
      'move_abort',
    );
    expect(detail).toContain(`${world.demo.packages.wallet}::${place} aborted with ${abort}.`);
  });
  const one = [{ coinType: SUI, amount: '1' }];

  test.each([
    ["the owner's withdrawal", 'withdraw', 'wallet::withdraw_coin'],
    ["the owner's grant", 'allow', 'wallet::grant_service_coin'],
    ['an action of its own', 'reopen', 'action::begin'],
  ])('%s as one of the calls is not signed', async (_what, name, target) => {
    const request = { ...relaying(name, 0n), spends: one };
    const settled = name === 'allow' ? { ...request, coinIn: stranger.services.relay } : request;
    const detail = await refusedAt(settled, 'check', 'unexpected_transaction');
    expect(detail).toContain(`it has an op call ${world.demo.packages.wallet}::${target}`);
  });

  test.each([
    ["the owner's withdrawal", 'withdraw', '5'],
    ["the owner's grant", 'allow', '5'],
    ['an action of its own', 'reopen', '1'],
  ])('%s is refused by the chain had it been signed all the same', async (_what, name, abortCode) => {
    const before = await held(believer);
    const { owner, walletId } = believer;
    const request = { ...relaying(name, 0n), spends: one, owner: owner.address, walletId };
    const settled = name === 'allow' ? { ...request, coinIn: stranger.services.relay } : request;
    const { transactionKind } = await (await world.post(settled)).json();
    const { FailedTransaction } = await sendSponsored(world, walletId, transactionKind);
    expect(FailedTransaction?.status.error).toMatchObject({ MoveAbort: { abortCode } });
    expect(await held(believer)).toEqual(before);
  });

  test('what is asked for and no more is taken, where nothing must come back', async () => {
    const before = await held(believer);
    const done = (await run(believer, { ...relaying('begin', 0n), spends: one })).at(-1)!;
    expect(done).toMatchObject({ step: 'confirm', status: 'done' });
    const after = await held(believer);
    expect(before.get(SUI)! - after.get(SUI)!).toBe(1n);
    expect(new Map([...after].filter(([coin]) => coin !== SUI))).toEqual(
      new Map([...before].filter(([coin]) => coin !== SUI)),
    );
  });
});

describe("a manifest's op that names the wallet of another owner", () => {
  const raid = () => ({ ...lending(), adaptor: stranger.services.raid });

  test('is not signed: the static check, by what the node says of each object', async () => {
    const victim = world.demo.owner.walletId;
    const before = await held({ walletId: victim });
    const last = (await run(own, raid())).at(-1)!;
    expect(last).toMatchObject({ step: 'check', status: 'error', code: 'unexpected_transaction' });
    expect(last.detail).toContain(`it uses ${victim}, a ${world.demo.packages.wallet}::wallet::Wallet.`);
    expect(await recorded(own)).toMatchObject({
      state: 'failed',
      code: 'unexpected_transaction',
      digest: null,
    });
    expect(await held({ walletId: victim })).toEqual(before);
  });

  test('is refused by the chain had it been signed all the same: the address is of another wallet', async () => {
    const victim = world.demo.owner.walletId;
    const before = await held({ walletId: victim });
    const answer = await world.post({ ...raid(), owner: own.owner.address, walletId: own.walletId });
    const { transactionKind } = await answer.json();
    await stranger.turn(1);
    const { FailedTransaction } = await sendSponsored(world, own.walletId, transactionKind);
    expect(FailedTransaction?.status.error?.MoveAbort).toMatchObject({
      // The code of `ENotDelegate`.
      abortCode: '9',
      location: { package: world.demo.packages.wallet, module: 'delegate', functionName: 'debit' },
    });
    expect(await held({ walletId: victim })).toEqual(before);
    // The victim's wallet stops the attack: with the switch off, the same bytes succeed.
    await stranger.turn(0);
    expect((await sendSponsored(world, own.walletId, transactionKind)).$kind).toBe('Transaction');
  });
});

describe("an op that names an object of ours, or one around it, is not signed: the static check, by the node's word", () => {
  type Made = Record<'registry' | 'allowlist' | 'shelf' | 'frozenCap' | 'caseOfCap' | 'partyCoin', string>;
  let made: Made;

  beforeAll(async () => {
    const { packages, objects } = world.demo;
    const walletType = `${packages.wallet}::wallet::Wallet`;
    const capType = `${packages.wallet}::cap_auth::DelegateCap`;
    const { created } = await execute(stranger.account, (tx) => {
      policy.initialize(tx, own.target);
      const mint = () =>
        tx.moveCall({ target: `${packages.wallet}::cap_auth::mint`, arguments: [tx.object(own.walletId)] });
      tx.moveCall({
        target: '0x2::transfer::public_freeze_object',
        typeArguments: [capType],
        arguments: [mint()],
      });
      const raid = `${stranger.packageId}::raid`;
      tx.moveCall({ target: `${raid}::frozen`, typeArguments: [capType], arguments: [mint()] });
      tx.moveCall({ target: `${raid}::shelf`, typeArguments: [walletType] });
      const agentAddress = tx.pure.address(world.actor(own.walletId).address);
      const party = tx.moveCall({ target: '0x2::party::single_owner', arguments: [agentAddress] });
      tx.moveCall({
        target: '0x2::transfer::public_party_transfer',
        typeArguments: [`0x2::coin::Coin<${SUI}>`],
        arguments: [tx.splitCoins(tx.gas, [1]), party],
      });
    });
    const findCreatedId = (start: string) => created.find(({ type }) => type.startsWith(start))!.id;
    made = {
      registry: objects.registry,
      allowlist: objects.allowlist,
      shelf: findCreatedId(`${stranger.packageId}::raid::Shelf<`),
      frozenCap: findCreatedId(capType),
      caseOfCap: findCreatedId(`${stranger.packageId}::raid::Case<`),
      partyCoin: created.find(({ type }) => type.includes('::coin::Coin<'))!.id,
    };
  });

  test.each<[string, keyof Made, string]>([
    ['a registry', 'registry', '::registry::Registry.'],
    ["another wallet's list", 'allowlist', '::rule::Allowlist.'],
    ['a shared object whose type names a wallet', 'shelf', '::wallet::Wallet>.'],
    ['a cap that was made immutable', 'frozenCap', '::cap_auth::DelegateCap.'],
    ['an immutable object around a cap', 'caseOfCap', '::cap_auth::DelegateCap>.'],
  ])('%s', async (_what, name, type) => {
    await stranger.reachFor(made[name]);
    await confirmRaid();
    const last = (await run(own, { ...lending(), adaptor: stranger.services.raid })).at(-1)!;
    expect(last).toMatchObject({ step: 'check', status: 'error', code: 'unexpected_transaction' });
    expect(last.detail).toContain(`it uses ${made[name]}, a `);
    expect(last.detail).toContain(type);
    expect(await recorded(own)).toMatchObject({ code: 'unexpected_transaction', digest: null });
  });

  /** Confirms the listing as the operator, so that only what the op names is left to refuse. */
  async function confirmRaid() {
    const serviceType = stranger.services.raid;
    const [entry] = await readEntries(world.db.pool, [{ network: 'testnet', serviceType }]);
    const body = { serviceType, manifestHash: entry!.manifestHash };
    expect((await agent.ask('/api/agent/adaptors', buildRequest(body, asAdmin))).status).toBe(200);
  }

  test("a party object of the agent's own: it is not even drafted", async () => {
    await stranger.reachFor(made.partyCoin);
    const last = (await run(own, { ...lending(), adaptor: stranger.services.raid })).at(-1)!;
    expect(last).toMatchObject({ step: 'draft', status: 'error', code: 'op_not_executable' });
    expect(last.detail).toContain(made.partyCoin);
    expect(await recorded(own)).toMatchObject({ code: 'op_not_executable', digest: null });
  });
});

describe('the events of what was executed are held against what was asked', () => {
  let watched: Agent;
  let metrics: Registry;
  let direct: TcpProxy;
  let db: Database;
  interface Line {
    level: number;
    [key: string]: unknown;
  }
  const said: Line[] = [];
  let onLine: (line: Line) => void = () => undefined;
  const fatal = () => said.filter(({ level }) => level === 60);
  const broken = async () =>
    (await metrics.getSingleMetric('agent_bounds_broken_total')!.get()).values[0]?.value;
  const freezes = async () =>
    (await (await watched.ask('/api/agent/freezes', { headers: asAdmin })).json()).freezes;

  beforeAll(async () => {
    metrics = new Registry();
    const write = (text: string) => {
      const line: Line = JSON.parse(text);
      onLine(line);
      said.push(line);
    };
    const log = pino({ level: 'warn' }, { write });
    const settings = { ...world.settings, rpcUrl: proxy.url };
    // The agent's statements go through this proxy, which tests can cut. The connection that holds its lock does not.
    direct = await startTcpProxy(world.db.directUrl);
    db = { ...openDatabase(direct.url, { max: 8 }), directUrl: world.db.directUrl };
    watched = await startDemoAgent({ ...world, db, settings }, world.url, { metrics, log });
  });
  afterEach(() => {
    onLine = () => undefined;
    proxy.meddle('ExecuteTransaction', undefined);
  });
  afterAll(async () => {
    await watched?.close();
    await db?.close();
    await direct?.cut();
  });

  test('switch at 8: a wallet that the adaptor creates raises no alarm, which any publisher could then raise', async () => {
    turnWhenSigned(8);
    expect((await run(wallet, lending(), watched)).at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
    expect([await broken(), await freezes(), fatal()]).toEqual([0, [], []]);
  });

  test('a unit more than asked freezes the wallet, counts, and is logged as fatal', async () => {
    const victim = await walletForAgent(world, believing);
    await world.knowsAll();
    proxy.meddle('ExecuteTransaction', { answer: tellingMore });
    const last = (await run(victim, lending(), watched)).at(-1)!;
    // The transaction did execute, so the stored run is done.
    expect(last).toMatchObject({ step: 'confirm', status: 'done' });
    expect(await recorded(victim)).toMatchObject({ state: 'done' });
    const { walletId } = victim;
    const beyond = expect.stringContaining('it takes 1 more of');
    expect(await freezes()).toMatchObject([
      {
        network: 'testnet',
        walletId,
        reason: expect.stringContaining(`The action ${last.digest} exceeded`),
      },
    ]);
    expect(await broken()).toBe(1);
    expect(fatal()).toMatchObject([{ level: 60, digest: last.digest, network: 'testnet', walletId, beyond }]);
    proxy.meddle('ExecuteTransaction', undefined);
    await expect(run(victim, lending(), watched)).rejects.toThrow(/403: .*"frozen"/);
    // Runs of other wallets go on.
    expect((await run(wallet, lending(), watched)).at(-1)).toMatchObject({ step: 'confirm', status: 'done' });
  });

  test.each<[string, (line: Line) => void]>([
    ['the database is away when the wallet must be frozen', whileAway()],
    ['an unexpected error ends its settlement', failingOnce()],
  ])('%s: the run is settled all the same, and the wallet frozen', async (_what, trouble) => {
    const victim = await walletForAgent(world, believing);
    await world.knowsAll();
    proxy.meddle('ExecuteTransaction', { answer: tellingMore });
    onLine = trouble;
    // The stream may end with an error while the database is unreachable.
    await run(victim, lending(), watched).catch(() => undefined);
    const { pool } = world.db;
    const state = async () =>
      (await pool.query('select state from agent_runs where wallet_id = $1', [victim.walletId])).rows;
    await eventually(async () => expect(await state()).toEqual([{ state: 'done' }]));
    const frozen = (await freezes()).map(({ walletId }: { walletId: string }) => walletId);
    expect(frozen).toContain(victim.walletId);
  });

  /** Cuts the connection to the database when the action is found to exceed its bounds, until a write has failed. */
  function whileAway(): (line: Line) => void {
    let cut: Promise<void> | undefined;
    let isRestored = false;
    return ({ level, msg }) => {
      if (level === 60) cut = direct.cut();
      // Several writes can fail before the connection works again.
      if (!cut || isRestored || !/trying again|could not be settled/.test(String(msg))) return;
      isRestored = true;
      void cut.then(() => direct.restore());
    };
  }

  function failingOnce(): (line: Line) => void {
    let failed = false;
    return ({ level }) => {
      if (level !== 60 || failed) return;
      failed = true;
      throw new Error('ENOSPC: no space left on device, write');
    };
  }
});

/** The node's answer to an execution, with one base unit added to each withdrawal. */
function tellingMore(message: Uint8Array): Uint8Array {
  const answer = GrpcTypes.ExecuteTransactionResponse.fromBinary(message);
  for (const { eventType, contents } of answer.transaction?.events?.events ?? []) {
    if (!eventType?.endsWith('::wallet::CoinWithdrawn')) continue;
    const fields = walletEvents.decode('wallet::CoinWithdrawn', contents!.value!);
    const amount = String(BigInt(fields.amount) + 1n);
    contents!.value = walletEvents.encode('wallet::CoinWithdrawn', { ...fields, amount });
  }
  return GrpcTypes.ExecuteTransactionResponse.toBinary(answer);
}
