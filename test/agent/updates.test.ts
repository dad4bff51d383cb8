import { unlimitedAllowance } from '@adaptor-marketplace/adaptor';
import {
  delegate as delegates,
  register,
  update,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import { createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { publishCompiled, upgrade } from '@adaptor-marketplace/localnet/upgrade';
import { compileSources } from '@adaptor-marketplace/move-toolchain';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { readEntries } from '../../db/queries/catalog/find.ts';
import { storeManifest } from '../../services/demo/listings.ts';
import { amount, clock, SUI, wallet as walletArgument } from '../../services/demo/publish.ts';
import type { DemoWallet, SetUp } from '../../services/demo/wallets.ts';
import { openSession } from '../support/agent-session.ts';
import { executorKey, readSteps, type TestAgent } from '../support/agent-world.ts';
import { buildRequest } from '../support/build-request.ts';
import { startDemoAgent, startDemoTools, walletForAgent } from '../support/demo-tools.ts';
import { eventually } from '../support/eventually.ts';
import { asAdmin } from '../support/keys.ts';
import { useForFile } from '../support/use-for-file.ts';

const network = 'testnet';
let agent: Pick<TestAgent, 'ask' | 'close'>;
let wallet: DemoWallet;
let other: DemoWallet;
let session: Record<string, string>;

// Work that nobody reports stays undone here.
const world = useForFile(() => startDemoTools({ lookAgainMs: 3_600_000 }));
beforeAll(async () => {
  agent = await startDemoAgent(world, world.url);
  wallet = await walletForAgent(world);
  other = await walletForAgent(world);
  await world.knowsAll();
  session = await openSession(agent, wallet.owner);
  const { publisher, version } = await readVault();
  await world.db.pool.query(
    `update claim_changes set state = 'computed', widens = true, next_check_at = null, functions = $4
     where network = $1 and service_type = $2 and publisher = $3`,
    [
      ...[network, vault().serviceType, publisher],
      JSON.stringify([
        { packages: [], reason: null, sentences: [{ widens: true, text: 'It may take all SUI.' }] },
      ]),
    ],
  );
  expect(version).toBeGreaterThan(0);
});
afterAll(() => agent?.close());

const vault = () => world.demo.venues.vault;
async function readVault() {
  const [entry] = await readEntries(world.db.pool, [{ network, serviceType: vault().serviceType }]);
  return entry!;
}

async function deposit({ walletId, owner }: DemoWallet) {
  const fields = { action: 'vaultDeposit', coinType: SUI, amount: '1000' };
  const body = { owner: owner.address, walletId, network, ...fields };
  const request = buildRequest(body, await executorKey(agent, walletId));
  return (await readSteps(await agent.ask('/api/agent/run', request))).at(-1)!;
}

async function updates(as: Record<string, string>, body?: object) {
  const query = `?${new URLSearchParams({ walletId: wallet.walletId, network })}`;
  const answer = await agent.ask(
    `/api/agent/updates${body ? '' : query}`,
    buildRequest(body, as, body ? 'POST' : 'GET'),
  );
  return { status: answer.status, body: await answer.json() };
}

const confirmation = async (more: object = {}) => ({
  network,
  walletId: wallet.walletId,
  serviceType: vault().serviceType,
  version: (await readVault()).version,
  ...more,
});
const done = { step: 'confirm', status: 'done' };
const refused = {
  status: 'error',
  code: 'update_not_confirmed',
  detail: expect.stringMatching(
    /may do more than the one before it: It may take all SUI\. Nothing was signed\./,
  ),
};

test('an update whose code may do more runs for no wallet, and nothing is signed', async () => {
  expect(await deposit(wallet)).toMatchObject(refused);
  const { rows } = await world.db.pool.query(
    'select state, transaction from agent_runs where wallet_id = $1 order by id desc limit 1',
    [wallet.walletId],
  );
  expect(rows).toEqual([{ state: 'failed', transaction: null }]);
});

test('only the owner of the wallet confirms what holds it, at the version that the catalog shows', async () => {
  const { publisher, version } = await readVault();
  const listed = { serviceType: vault().serviceType, publisher, version };
  expect(await updates(session)).toEqual({
    status: 200,
    body: { count: 1, updates: [{ ...listed, heldSince: version, state: 'computed' }] },
  });
  const key = await executorKey(agent, wallet.walletId);
  for (const as of [key, asAdmin]) {
    expect((await updates(as)).body.count).toBe(1);
    expect((await updates(as, await confirmation())).status).toBe(401);
  }
  expect((await updates({})).status).toBe(401);
  const refusals: [object, number, string][] = [
    [{ version: version + 1 }, 409, 'adaptor_changed'],
    [{ serviceType: `0x${'1'.repeat(64)}::a::A` }, 404, 'adaptor_not_listed'],
    [{ version: -1 }, 400, 'invalid_body'],
  ];
  for (const [more, status, code] of refusals)
    expect(await updates(session, await confirmation(more))).toMatchObject({ status, body: { code } });
  expect(await deposit(wallet)).toMatchObject(refused);
});

test('the owner confirms for one wallet, and the operator for all', async () => {
  const { version, manifestHash } = await readVault();
  for (let times = 0; times < 2; times += 1)
    expect(await updates(session, await confirmation())).toMatchObject({ status: 200, body: { version } });
  expect((await updates(session)).body.count).toBe(0);
  expect(await deposit(wallet)).toMatchObject(done);
  expect(await deposit(other)).toMatchObject(refused);
  const body = { network, serviceType: vault().serviceType, manifestHash };
  const confirmed = await agent.ask('/api/agent/adaptors', buildRequest(body, asAdmin));
  expect(await confirmed.json()).toMatchObject({ version });
  expect(await deposit(other)).toMatchObject(done);
});

/** An adaptor that pays what it takes to one address, and with `more` a part of it to another one. */
const compileJar = (more = '') =>
  compileSources(
    {
      'Move.toml': `[package]
name = "jar"
edition = "2024"
[dependencies]
wallet = { local = "move/wallet" }
[addresses]
jar = "0x0"
`,
      'sources/jar.move': `module jar::jar;
use sui::clock::Clock;
use wallet::{intent, wallet::Wallet};

public struct Jar has drop {}

public fun deposit<CoinT>(wallet: &mut Wallet, amount: u64, clock: &Clock, ctx: &mut TxContext) {
    let request = intent::request_payment<_, CoinT>(Jar {}, amount, @0xa11);
    let (mut coin, witness) = intent::validate_and_pay(wallet, request, clock, ctx);
    ${more}
    transfer::public_transfer(coin, @0xa11);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Jar {}, amount, @0xa11))
}
`,
    },
    { base: process.cwd(), published: { wallet: world.demo.packages.wallet! } },
  );

test('an upgrade whose code pays another address waits for the owner, and an update of words alone does not', async () => {
  const { demo, client } = world;
  const publisher = await createAccount(client, demo.faucetUrl);
  const registry = { packageId: demo.packages.registry!, objectId: demo.objects.registry! };
  const first = await publishCompiled(publisher, await compileJar());
  const serviceType = `${first.originalId}::jar::Jar`;
  const storeVersion = (packageId: string, summary: string) =>
    storeManifest(demo.blobStoreUrl, {
      name: 'Jar',
      category: 'Lend',
      summary,
      serviceType,
      packageId,
      supportedCoins: ['*'],
      networks: [network],
      ops: [
        {
          kind: 'lend',
          module: 'jar',
          entry: 'deposit',
          intentMode: 'A',
          call: { typeArgs: ['coinIn'], args: [walletArgument, amount, clock] },
        },
      ],
    });
  const shows = (version: number) =>
    eventually(async () => {
      const [entry] = await readEntries(world.db.pool, [{ network, serviceType }]);
      if (entry?.version !== version || !entry.publisherVerified) throw new Error('not shown yet');
    });
  const list = async (packageId: string, summary: string) => {
    const stored = await storeVersion(packageId, summary);
    await execute(publisher, (tx) => update(tx, registry, { packageId, serviceType, ...stored }));
  };
  const stored = await storeVersion(first.originalId, 'Keeps coins.');
  await execute(publisher, (tx) =>
    register(tx, registry, { packageId: first.originalId, serviceType, ...stored }),
  );
  const granting: SetUp = (tx, target) =>
    wallets.grantServiceCoin(tx, target, {
      service: serviceType,
      coinType: SUI,
      allowance: unlimitedAllowance,
    });
  const saver = await walletForAgent(world, granting, (tx, target) => {
    delegates.setServiceAllowance(tx, target, {
      delegate: world.actor(String(target.wallet)).address,
      service: serviceType,
      amount: unlimitedAllowance,
    });
  });
  await world.knowsAll();
  await shows(1);
  const save = async () => {
    const fields = { action: 'lendingADeposit', coinType: SUI, amount: '1000', adaptor: serviceType };
    const request = { owner: saver.owner.address, walletId: saver.walletId, network, ...fields };
    const key = await executorKey(agent, saver.walletId);
    return (await readSteps(await agent.ask('/api/agent/run', buildRequest(request, key)))).at(-1)!;
  };
  expect(await save()).toMatchObject(done);

  await list(first.originalId, 'Keeps your coins.');
  await shows(2);
  // The comparison is stored a moment after the version is shown.
  await eventually(async () => expect(await save()).toMatchObject(done));

  const rake = 'transfer::public_transfer(coin.split(amount / 100, ctx), @0xb0b);';
  const { originalId: packageId, upgradeCapId } = first;
  const second = await upgrade(publisher, { packageId, upgradeCapId }, await compileJar(rake));
  await list(second, 'Keeps your coins.');
  await shows(3);
  await eventually(async () => {
    const last = await save();
    expect(last.code).toBe('update_not_confirmed');
    expect(last.detail).toContain('b0b');
  });
  const owners = await openSession(agent, saver.owner);
  const confirmed = await agent.ask(
    '/api/agent/updates',
    buildRequest({ network, walletId: saver.walletId, serviceType, version: 3 }, owners, 'POST'),
  );
  expect(confirmed.status).toBe(200);
  expect(await save()).toMatchObject(done);
});
