import {
  allowlist,
  delegate as delegates,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import { execute } from '@adaptor-marketplace/localnet/account';
import { Registry } from '@prometheus-io/client';
import { beforeAll, describe, expect, test } from 'vitest';
import { readCatalog } from '../../db/queries/catalog/list.ts';
import { examples } from '../../lib/actions/examples.ts';
import {
  draftErrors,
  internalAgentHeader,
  protocolsAnswer,
  type TransactionDraft,
} from '../../lib/actions/tools-api.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { dollars, findCreatedObject, milliSui, SUI } from '../../services/demo/publish.ts';
import { findTick, readAddedLiquidity } from '../../services/demo/trading.ts';
import { price, tickSpacing } from '../../services/demo/venues.ts';
import { addDelegate, type DemoWallet, openWallet } from '../../services/demo/wallets.ts';
import { startTools } from '../../services/tools/start.ts';
import { buildRequest } from '../support/build-request.ts';
import {
  capsForAgent,
  type DemoTools,
  internalSecret,
  listSlotCoins,
  moveDollars,
  readBalances,
  sendSponsored,
  startDemoTools,
  walletForAgent,
} from '../support/demo-tools.ts';
import { eventually } from '../support/eventually.ts';
import { useForFile } from '../support/use-for-file.ts';

type Fields = Record<string, unknown>;

/** The wallet of every action in this file. It has no account at any venue at first. */
let wallet: DemoWallet;
let coins: string[];
let dollar: string;

const world = useForFile(startDemoTools);
beforeAll(async () => {
  coins = listSlotCoins(world);
  dollar = world.demo.venues.swap.coins.b!;
  wallet = await walletForAgent(world, capsForAgent(world, milliSui(100)));
  await moveDollars(world, wallet, dollars(50));
  await world.knowsAll();
});

/** A draft that was executed, with the digest of its transaction. */
type Ran = TransactionDraft & { digest: string };

/** Drafts, signs as the agent and executes. @throws Error with the refusal's or the chain's reason */
async function run(request: Fields, { walletId } = wallet): Promise<Ran> {
  const draft = await world.draft({ walletId, ...request });
  const done = await sendSponsored(world, walletId, draft.transactionKind);
  if (done.$kind === 'FailedTransaction') throw new Error(JSON.stringify(done.FailedTransaction.status));
  return { ...draft, digest: done.Transaction.digest };
}

/**
 * Runs an action and compares its effect on the wallet with the draft. Spends must match exactly, and receives are a
 * minimum. For the coins in `bounded`, the wallet may spend less or receive more than the draft says.
 */
async function runAndCount(request: Fields, { of = wallet, bounded = [] as string[] } = {}): Promise<Ran> {
  const before = await readBalances(world, of.walletId, coins);
  const draft = await run(request, of);
  const after = await readBalances(world, of.walletId, coins);
  const findAmount = (list: TransactionDraft['spends'], coin: string) =>
    BigInt(list.find(({ coinType }) => coinType === coin)?.amount ?? 0);
  for (const coin of coins) {
    const moved = after.get(coin)! - before.get(coin)!;
    const received = findAmount(draft.receivesAtLeast, coin);
    const least = received - findAmount(draft.spends, coin);
    const open = received > 0n || bounded.includes(coin);
    if (open) expect(moved, coin).toBeGreaterThanOrEqual(least);
    else expect(moved, coin).toBe(least);
  }
  return draft;
}

/** Names of the functions of each step. The functions of the surrounding action are checked and left out. */
const listFunctions = ({ steps }: TransactionDraft) =>
  steps.map(({ slot, targets }) => {
    const functions = targets.map((target) => target.split('::').slice(1).join('::'));
    const isAction = (name: string) => name.startsWith('action::');
    if (slot !== null || functions[0] === 'action::begin')
      expect([functions[0], functions.at(-1)]).toEqual(['action::begin', 'action::end']);
    return functions.filter((name) => !isAction(name)).map((name) => name.split('::')[1]);
  });

const coinsAt = (slot: keyof DemoTools['demo']['venues']) => world.demo.venues[slot].coins;
const objectsAt = (slot: keyof DemoTools['demo']['venues']) => world.demo.venues[slot].objects;

describe('what is drafted does on the chain what it says', () => {
  test('swap, both ways', async () => {
    const there = { action: 'swap', coinIn: SUI, coinOut: dollar };
    const draft = await runAndCount({ ...there, amountIn: '100000000', minOut: '290000' });
    expect(draft).toMatchObject({
      sender: world.actor(wallet.walletId).address,
      walletId: wallet.walletId,
      spends: [{ coinType: SUI, amount: '100000000' }],
      receivesAtLeast: [{ coinType: dollar, amount: '290000' }],
      steps: [
        { slot: 'swap', adaptor: { name: 'Lagoon Swap', serviceType: world.demo.venues.swap.serviceType } },
      ],
    });
    expect(draft.summary).toBe(
      'Swap through Lagoon Swap: takes at most 0.1 SUI out of the wallet, brings at least 0.29 HUSD into it.',
    );
    const back = { action: 'swap', coinIn: dollar, coinOut: SUI };
    expect(listFunctions(await runAndCount({ ...back, amountIn: '100000', minOut: '1' }))).toEqual([
      ['swap_b_to_a'],
    ]);
  });

  test('lenders A and B, whose deposits are shares', async () => {
    await runAndCount({ action: 'lendingADeposit', coinType: SUI, amount: '100000000', minOut: '90000000' });
    const shares = await runAndCount({ action: 'lendingAWithdraw', coinType: SUI, amount: '50000000' });
    expect(shares.spends).toEqual([{ coinType: coinsAt('lendingA').share, amount: '50000000' }]);
    await runAndCount({ action: 'lendingBDeposit', coinType: dollar, amount: '1000000' });
    await runAndCount({ action: 'lendingBWithdraw', coinType: dollar, amount: '500000', minOut: '490000' });
  });

  test('lender C, whose account is opened with the first deposit and never again', async () => {
    const deposit = { action: 'lendingCDeposit', coinType: dollar, amount: '1000000' };
    expect(listFunctions(await runAndCount(deposit))).toEqual([['open_account', 'deposit']]);
    expect(listFunctions(await runAndCount(deposit))).toEqual([['deposit']]);
    const withdraw = { action: 'lendingCWithdraw', coinType: dollar, amount: '500000', minOut: '500000' };
    expect((await runAndCount(withdraw)).spends).toEqual([]);
  });

  test('a stablecoin loan, savings of it, and its repayment', async () => {
    const { stablecoin } = coinsAt('stablecoin');
    const loan = { collateralType: SUI, collateralAmount: '2000000000', borrowAmount: '3000000' };
    const borrowed = await runAndCount({ action: 'stablecoinBorrow', ...loan });
    expect(listFunctions(borrowed)).toEqual([['open_account', 'borrow']]);
    expect(borrowed.receivesAtLeast).toEqual([{ coinType: stablecoin, amount: '3000000' }]);
    await runAndCount({ action: 'stablecoinSavingsDeposit', amount: '1000000' });
    await runAndCount({ action: 'stablecoinSavingsWithdraw', amount: '500000', minOut: '400000' });
    await runAndCount({ action: 'stablecoinRepay', amount: '500000' });
    const back = await runAndCount({
      action: 'stablecoinRepay',
      amount: '500000',
      collateralAmount: '200000000',
    });
    expect(back.receivesAtLeast).toEqual([{ coinType: SUI, amount: '200000000' }]);
  });

  test('a liquid stake and its end', async () => {
    await runAndCount({ action: 'liquidStakeStake', amount: '100000000', minOut: '90000000' });
    await runAndCount({ action: 'liquidStakeUnstake', amount: '50000000', minOut: '49000000' });
  });

  test('a deposit into the vault', async () => {
    await runAndCount({
      action: 'vaultDeposit',
      coinType: SUI,
      amount: '100000000',
      minSharesOut: '50000000',
    });
  });

  test('a position in a price range, from its opening to its end', async () => {
    const { a = '', b = '', reward = '' } = coinsAt('clmm');
    const at = { action: 'clmmLiquidity', poolId: objectsAt('clmm').pool, positionName: 'around the price' };
    const bounded = [a, b];
    const range = {
      tickLower: findTick(price * 0.8, tickSpacing),
      tickUpper: findTick(price * 1.25, tickSpacing),
    };
    const most = { amountA: '100000000', amountB: '400000' };
    const opened = await runAndCount({ ...at, operation: 'open', ...range, ...most }, { bounded });
    expect(opened.spends).toEqual([
      { coinType: a, amount: most.amountA },
      { coinType: b, amount: most.amountB },
    ]);
    const added = await runAndCount({ ...at, operation: 'add', ...most, liquidity: '1' }, { bounded });
    await runAndCount({ ...at, operation: 'collectFees' }, { bounded });
    await runAndCount({ ...at, operation: 'collectReward' }, { bounded: [...bounded, reward] });
    const parts = await Promise.all(
      [opened, added].map((ran) => readAddedLiquidity(world.host, { ...ran, created: [] })),
    );
    const [first = 0n, second = 0n] = parts.flat();
    await runAndCount({ ...at, operation: 'remove', liquidity: String(first) }, { bounded });
    const rest = { liquidity: String(second), amountA: '1', amountB: '1' };
    expect((await runAndCount({ ...at, operation: 'remove', ...rest }, { bounded })).receivesAtLeast).toEqual(
      [
        { coinType: a, amount: '1' },
        { coinType: b, amount: '1' },
      ],
    );
    await run({ ...at, operation: 'collectFees' });
    await run({ ...at, operation: 'collectReward' });
    await runAndCount({ ...at, operation: 'close' });
  });

  test('margin, and an order on it', async () => {
    const at = { marketId: objectsAt('perp').market };
    const margin = await runAndCount({ action: 'perpMarginDeposit', ...at, amount: '2000000' });
    expect(listFunctions(margin)).toEqual([['open_account', 'deposit_margin']]);
    const order = { action: 'perpOrder', ...at, size: '500000000' };
    expect(listFunctions(await runAndCount({ ...order, side: 'long', limitPrice: '3100000' }))).toEqual([
      ['order'],
    ]);
    await runAndCount({ ...order, side: 'short', reduceOnly: true });
  });

  test('supply to the market of the slot "current"', async () => {
    const supply = await runAndCount({ action: 'currentSupply', coinType: SUI, amount: '100000000' });
    expect(listFunctions(supply)).toEqual([['open_position', 'supply']]);
  });

  test('steps in one transaction, of which a later one uses what an earlier one brought', async () => {
    const bare = await walletForAgent(world);
    await world.knowsAll();
    const steps = [
      { action: 'swap', coinIn: SUI, coinOut: dollar, amountIn: '100000000', minOut: '280000' },
      { action: 'lendingCDeposit', coinType: dollar, amount: '200000' },
      { action: 'lendingCDeposit', coinType: dollar, amount: '80000' },
    ];
    const draft = await runAndCount({ action: 'compose', steps }, { of: bare });
    expect(listFunctions(draft)).toEqual([['swap_a_to_b'], ['open_account', 'deposit'], ['deposit']]);
    expect(draft.spends).toContainEqual({ coinType: dollar, amount: '280000' });
    await expect(run({ action: 'compose', steps: steps.toReversed() }, bare)).rejects.toThrow(
      'abort code: 15,',
    );
  });

  test('any op of a listed adaptor by its name, also one that is several calls, and both in one transaction', async () => {
    const { adaptors } = world.demo.packages;
    const relay = `${adaptors.relay_swap}::relay_swap::RelaySwap`;
    await execute(world.owner, (tx) => {
      const delegate = world.actor(wallet.walletId).address;
      wallets.grantServiceCoin(tx, wallet.target, {
        service: relay,
        coinType: SUI,
        allowance: milliSui(1_000),
      });
      delegates.setServiceAllowance(tx, wallet.target, { delegate, service: relay, amount: milliSui(1_000) });
    });
    await world.knowsAll();
    const swap = {
      action: 'call',
      adaptor: relay,
      op: 'relay_swap::begin',
      spends: [{ coinType: SUI, amount: '100000000' }],
      receivesAtLeast: [{ coinType: dollar, amount: '250000' }],
    };
    const draft = await run(swap);
    expect(listFunctions(draft)).toEqual([['begin', 'swap_a_to_b', 'finish']]);
    expect(draft.summary).toBe(
      'Call through Lagoon Relay (relay_swap::begin): takes at most 0.1 SUI out of the wallet, brings at least 0.25 HUSD into it.',
    );
    const { vault } = world.demo.venues;
    const deposit = {
      action: 'call',
      adaptor: vault.serviceType,
      op: 'share_vault::deposit',
      receivesAtLeast: [],
      spends: [{ coinType: SUI, amount: '1000' }],
      coinOut: vault.coins.share,
      minOut: '1',
    };
    await runAndCount({ action: 'compose', steps: [deposit, swap] }, { bounded: Object.values(vault.coins) });
    // The lock holds the op to the bounds of the request, whatever the op was made for.
    await expect(
      run({ ...swap, receivesAtLeast: [{ coinType: dollar, amount: '400000' }] }),
    ).rejects.toThrow();
    await expect(run({ ...swap, amount: '100000001' })).rejects.toThrow();
    await expect(run({ ...swap, op: 'relay_swap::finish' })).rejects.toThrow(/op_not_found/);
    await expect(run({ ...swap, values: { name: 'x' } })).rejects.toThrow(
      /values\.name: the op has no such value/,
    );
  });

  test('a listed adaptor of the request takes the place of that of the slot', async () => {
    const adaptor = world.demo.venues.lendingB.serviceType;
    const deposit = { action: 'lendingADeposit', coinType: dollar, amount: '100000', adaptor };
    expect((await runAndCount(deposit)).steps[0]?.adaptor?.serviceType).toBe(adaptor);
  });
});

describe('a spend', () => {
  const pay = { action: 'spend', coinType: SUI, amount: '10000000' };

  test('goes by a scoped cap, within its budget over all steps', async () => {
    const { address: recipient } = world.demo.provider;
    const draft = await runAndCount({ ...pay, recipient });
    expect(listFunctions(draft)).toEqual([['begin_spend', 'spend', 'confirm_spend']]);
    expect(draft.steps[0]).toMatchObject({
      recipient,
      capId: findCreatedObject(wallet.made, '::ScopedCap'),
      slot: null,
    });
    const step = { ...pay, recipient, amount: '40000000' };
    await runAndCount({ action: 'compose', steps: [step, step] });
    await expect(run({ ...pay, recipient, amount: '20000000' })).rejects.toThrow('cap_missing');
  });

  test('goes by a bearer cap with the stamp of the allowlist', async () => {
    const { address: recipient } = world.demo.provider;
    const [capId, listId] = ['::DelegateCap', '::Allowlist'].map((type) =>
      findCreatedObject(wallet.made, type),
    );
    await expect(run({ ...pay, recipient, capId })).rejects.toThrow('recipient_not_allowed');
    await execute(world.owner, (tx) => {
      const target = { rulesPackageId: world.demo.packages.rules, wallet: wallet.walletId };
      allowlist.setAllowed(tx, target, { listId: listId!, recipient, allowed: true });
    });
    // The index may not have it yet: the chain decides.
    const draft = await runAndCount({ ...pay, recipient, capId });
    expect(listFunctions(draft)).toEqual([['begin_spend', 'prove', 'enforce', 'confirm_spend']]);
  });
});

test('every op of the demo adaptors that has a call can be executed, by the manifest and by the package', async () => {
  await eventually(async () => {
    const { rows } = await world.db.pool.query(
      `select service_type from listings l join manifests m on m.hash = l.manifest_hash
          where listed and (recheck_at is null or recheck_at <= now())`,
    );
    expect(rows).toEqual([]);
  });
  const { entries } = await readCatalog(world.db.pool, { network: 'testnet' });
  const odd = entries.flatMap(({ manifest, notExecutable }) =>
    notExecutable.map(({ index, reason }) => [manifest.ops[index]?.entry, reason.code]),
  );
  expect(odd).toEqual([['empty', 'no_call']]);
  const answer = await world.ask('/protocols?network=testnet');
  const { protocols } = protocolsAnswer.parse(await answer.json());
  expect(protocols.flatMap(({ ops }) => ops).length).toBeGreaterThan(10);
  expect(protocols.flatMap(({ notExecutable }) => notExecutable)).toEqual([]);
});

describe('what cannot be is refused, with a code and what to do', () => {
  const refusal = async (request: Fields) => {
    const answer = await world.post({ walletId: wallet.walletId, ...request });
    const { code, detail, errors } = (await answer.json()) as Record<string, unknown>;
    return { status: answer.status, code, detail, errors };
  };
  const deposit = { action: 'vaultDeposit', coinType: SUI, amount: '1000' };

  test.each<[string, Fields | (() => Fields | Promise<Fields>), string]>([
    [
      'an adaptor that nobody lists',
      { action: 'lendingADeposit', coinType: SUI, amount: '1', adaptor: '0x9::a::A' },
      'adaptor_not_listed',
    ],
    ['an adaptor that was taken off the registry', unlisted, 'adaptor_not_listed'],
    [
      'an adaptor that lends nothing',
      () => ({ ...lending(), adaptor: buildAdaptorType('tip_jar', 'TipJar') }),
      'op_not_found',
    ],
    ['a coin that the adaptor does not take', () => ({ ...deposit, coinType: dollar }), 'coin_not_supported'],
    [
      'a pool that the adaptor does not know',
      { action: 'perpOrder', marketId: '0x5', side: 'long', size: '1' },
      'coin_not_supported',
    ],
    ['a tick that no u32 holds', () => ({ ...position(), tickLower: -1 }), 'argument_mismatch'],
    ['a wallet of another owner', () => ({ ...deposit, owner: world.host.address }), 'wallet_not_found'],
    [
      'a shared object that is not a wallet',
      () => ({ ...deposit, walletId: objectsAt('vault').vault }),
      'wallet_not_found',
    ],
    ['no object at all', { ...deposit, walletId: '0x1234' }, 'wallet_not_found'],
    [
      'a cap that the agent does not hold',
      { action: 'spend', coinType: SUI, amount: '1', recipient: '0x1', capId: '0x7' },
      'cap_missing',
    ],
    [
      'a coin for which there is no cap but one with a list',
      () => ({ action: 'spend', coinType: dollar, amount: '1', recipient: '0x1' }),
      'recipient_not_allowed',
    ],
  ])('%s', async (_, request, code) => {
    const asked = typeof request === 'function' ? await request() : request;
    expect(await refusal(asked)).toMatchObject({ status: 422, code });
  });

  test('of several steps, the one that is refused is named', async () => {
    const [spend, recipient] = [{ action: 'spend', coinType: SUI, amount: '1' }, '0x1'];
    const composed = (...steps: Fields[]) => refusal({ action: 'compose', steps });
    for (const [step, code] of [
      [{ ...deposit, coinType: dollar }, 'coin_not_supported'],
      [{ ...lending(), adaptor: '0x9::a::A' }, 'adaptor_not_listed'],
      [{ ...spend, recipient, capId: '0x7' }, 'cap_missing'],
      [{ ...spend, recipient, coinType: dollar }, 'recipient_not_allowed'],
    ] as const) {
      expect(await composed(deposit, step)).toMatchObject({
        status: 422,
        code,
        detail: expect.stringMatching(new RegExp(`^Step 2 \\(${step.action}\\): [A-Z]`)),
      });
    }
  });

  const lending = () => ({ action: 'lendingADeposit', coinType: SUI, amount: '1' });
  const buildAdaptorType = (folder: string, witness: string) =>
    `${world.demo.packages.adaptors[folder]}::${folder}::${witness}`;
  const position = () => ({
    action: 'clmmLiquidity',
    operation: 'open',
    poolId: objectsAt('clmm').pool,
    positionName: 'x',
    tickLower: 0,
    tickUpper: 60,
    amountA: '1',
  });
  async function unlisted(): Promise<Fields> {
    const { rows } = await world.db.pool.query('select service_type from listings where not listed');
    return { ...lending(), adaptor: rows[0].service_type };
  }

  test('grants that are missing, each by the call that gives it; once they are given, none', async () => {
    const { owner, demo } = world;
    const bare = await openWallet(owner, demo.packages.wallet, { acting: [], setUp: [] });
    const agent = world.actor(bare.walletId);
    await world.knowsAll();
    const { serviceType } = demo.venues.vault;
    const ask = () => refusal({ ...deposit, walletId: bare.walletId });
    expect(await ask()).toMatchObject({
      status: 422,
      code: 'grant_missing',
      errors: [
        { path: 'delegate', message: `delegate::add(${agent.address})` },
        {
          path: 'serviceBudget',
          message: `delegate::set_service_allowance<${serviceType}>(${agent.address}, at least 1000)`,
        },
        { path: 'serviceCoin', message: `wallet::grant_service_coin<${serviceType}, ${SUI}>(at least 1000)` },
        {
          path: 'coinBudget',
          message: `delegate::set_coin_allowance<${SUI}>(${agent.address}, at least 1000)`,
        },
      ],
    });
    await execute(owner, (tx) => {
      wallets.grantServiceCoin(tx, bare.target, { service: serviceType, coinType: SUI, allowance: 1_000n });
      delegates.initialize(tx, bare.target);
      const [services, coinTypes] = [[{ serviceType, amount: 1_000n }], [{ coinType: SUI, amount: 1_000n }]];
      addDelegate(tx, bare.target, { address: agent.address, services, coins: coinTypes });
    });
    await runAndCount(deposit, { of: bare });
    // The chain allows no further unit, and nothing while the owner has paused the wallet.
    await expect(run({ ...deposit, amount: '1' }, bare)).rejects.toThrow(
      /grant_missing|EGrantExceeded|abort/,
    );
    await execute(owner, (tx) => wallets.setPaused(tx, bare.target, true));
    await expect(run({ ...deposit, amount: '1' }, bare)).rejects.toThrow(/wallet_paused|grant_missing|abort/);
  });

  test.each(Object.entries(examples))(
    '%s is drafted or refused, whatever it names and however much it asks for',
    async (_, example) => {
      const { owner: _owner, walletId: _walletId, network: _network, ...request } = example;
      const most = JSON.stringify(request).replaceAll(/"[1-9]\d*"/g, '"18446744073709551615"');
      for (const asked of [request, JSON.parse(most)]) {
        const { status, code = 'drafted' } = await refusal(asked);
        expect([status, code]).toEqual([
          expect.toBeOneOf([200, 422]),
          expect.toBeOneOf(['drafted', ...Object.keys(draftErrors)]),
        ]);
      }
    },
  );

  test('strangers, other paths and methods, bodies that are too large or wrong, and networks not served', async () => {
    const status = async (path: string, init?: RequestInit) => (await world.ask(path, init)).status;
    expect((await fetch(`${world.url}/protocols?network=testnet`)).status).toBe(401);
    expect((await fetch(`${world.url}/healthz`)).status).toBe(200);
    expect((await fetch(`${world.url}/readyz`)).status).toBe(200);
    expect(await status('/draft', { headers: { [internalAgentHeader]: 'wrong' } })).toBe(401);
    const other = await world.ask('/other');
    expect(await other.json()).toMatchObject({ status: 404, detail: expect.stringContaining('/other') });
    expect(await status('/draft')).toBe(405);
    expect(await status('/protocols')).toBe(400);
    const elsewhere = await world.ask('/protocols?network=mainnet');
    expect([elsewhere.status, await elsewhere.json()]).toEqual([
      400,
      expect.objectContaining({
        code: 'network_not_configured',
        detail: 'The tool service does not serve mainnet. It serves testnet.',
      }),
    ]);
    const post = (body: string) => status('/draft', buildRequest(body));
    expect(await post('{}')).toBe(400);
    expect(await post(`{"x":"${'x'.repeat(70_000)}"}`)).toBe(413);
  });

  test('a slot that is empty, and a node that does not answer', async () => {
    const { db, settings } = world;
    const host = '127.0.0.1';
    const start = (more: Partial<typeof settings>) =>
      startTools({
        db,
        host,
        port: 0,
        internalSecret,
        log: silentLogger,
        metrics: new Registry(),
        networks: [{ ...settings, ...more }],
      });
    await using closing = new AsyncDisposableStack();
    const [empty, deaf] = await Promise.all([start({ slots: {} }), start({ rpcUrl: 'http://127.0.0.1:1' })]);
    for (const service of [empty, deaf]) closing.defer(() => service.close());
    const at = async (url: string) => {
      const answer = await world.post({ walletId: wallet.walletId, ...deposit }, { url });
      const { code } = (await answer.json()) as { code: string };
      return [answer.status, code];
    };
    expect(await at(empty.url)).toEqual([422, 'slot_not_configured']);
    expect(await at(deaf.url)).toEqual([expect.toBeOneOf([502, 504]), expect.stringMatching(/^node_/)]);
  });
});
