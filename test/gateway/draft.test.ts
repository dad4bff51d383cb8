import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { startBlobStore } from '@adaptor-marketplace/localnet/blobs/server';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { type CompiledPackage, compileSources } from '@adaptor-marketplace/move-toolchain';
import { moveToml } from '@adaptor-marketplace/move-toolchain/scratch-packages';
import { Transaction } from '@mysten/sui/transactions';
import { fromBase64, fromHex } from '@mysten/sui/utils';
import { Registry } from '@prometheus-io/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { registryEvents } from '../../lib/chain/events/registry.ts';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { createKv } from '../../lib/kv/index.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { findCreatedObject, publish } from '../../services/demo/publish.ts';
import { draftBody } from '../../services/gateway/publish/draft.ts';
import { buildRequest } from '../support/build-request.ts';
import { startTestGateway, type TestGateway } from '../support/gateway.ts';
import { adminSecret, cronSecret, issueTestKey } from '../support/keys.ts';
import { listenLocally } from '../support/listen-locally.ts';
import { createTesterClient } from '../support/tester-client.ts';

const sui = `0x${'2'.padStart(64, '0')}::sui::SUI`;

/** Two services in one package. One has an object that its calls name, and the calls of the other come in pairs. */
const till = `module shop::till;
use sui::clock::Clock;
use sui::coin::Coin;
use wallet::intent;
use wallet::wallet::Wallet;

public struct Till has drop {}
public struct Drawer<phantom C> has key { id: UID, coins: vector<Coin<C>> }

public fun open<C>(ctx: &mut TxContext) {
    transfer::share_object(Drawer<C> { id: object::new(ctx), coins: vector[] })
}

public fun open_frozen<C>(ctx: &mut TxContext) {
    transfer::freeze_object(Drawer<C> { id: object::new(ctx), coins: vector[] })
}

public fun buy<C>(wallet: &mut Wallet, drawer: &mut Drawer<C>, price: u64, clock: &Clock, ctx: &mut TxContext) {
    let to = object::id_address(drawer);
    let (coin, witness) = intent::validate_and_pay(wallet, intent::request_payment<_, C>(Till {}, price, to), clock, ctx);
    drawer.coins.push_back(coin);
    intent::verify_and_clear(wallet, witness, intent::create_receipt_sig(Till {}, price, to))
}
`;
const market = `module shop::market;
use sui::clock::Clock;
use sui::coin::Coin;
use wallet::intent::{Self, WalletSwapWitness};
use wallet::wallet::Wallet;

public struct Market has drop {}

public fun begin<In, Out>(
    wallet: &mut Wallet, amount_in: u64, min_out: u64, clock: &Clock, ctx: &mut TxContext,
): (Coin<In>, WalletSwapWitness<Market, In, Out>) {
    intent::validate_and_swap_out(wallet, intent::request_swap(Market {}, amount_in, min_out), clock, ctx)
}
`;
/** A service whose witness anyone can get, and whose op an action cannot call. */
const loan = `module shop::loan;
use wallet::wallet::Wallet;

public struct Loan has drop {}

public fun lend(): Option<Loan> { option::some(Loan {}) }
entry fun settle(wallet: &mut Wallet) { wallet.owner(); }
`;
/** A service whose callers all pass the same values. */
const club = `module shop::club;
use wallet::wallet::Wallet;

public struct Club has drop {}
public struct Hall has key { id: UID, level: u8, seats: u64 }

public fun found(ctx: &mut TxContext) { transfer::share_object(Hall { id: object::new(ctx), level: 0, seats: 0 }) }

public fun enter(wallet: &Wallet, hall: &mut Hall, level: u8, seats: u64) {
    wallet.owner();
    hall.level = level;
    hall.seats = seats
}
`;
const plain = 'module plain::plain;\npublic fun one(): u64 { 1 }\n';

const closing = new AsyncDisposableStack();
let localnet: Localnet;
let client: ChainClient;
let publisher: Account;
let wallet: string;
let shop: string;
/** The shop package at a later version. */
let upgradedShop: string;
let plainPackage: string;
let drawer: string;
let frozenDrawer: string;
let cap: string;
let gateway: TestGateway;
/** A gateway whose registry does not exist, and whose Walrus publisher fails. */
let broken: TestGateway;

beforeAll(async () => {
  localnet = await startTestLocalnet();
  closing.defer(() => localnet.close());
  client = createTesterClient(localnet.rpcUrl);
  closing.defer(() => client.close());
  publisher = await createAccount(client, localnet.faucetUrl);
  wallet = (await publish(publisher, 'wallet')).packageId;
  const registry = await publish(publisher, 'registry');
  await publishShop(wallet);

  const dir = await mkdtemp(join(tmpdir(), 'draft-'));
  closing.defer(() => rm(dir, { recursive: true }));
  const blobs = await startBlobStore({ dir, host: '127.0.0.1', port: 0 });
  closing.defer(() => blobs.close());
  const kv = await createKv({ kind: 'memory' }, { log: silentLogger, metrics: new Registry() });
  closing.defer(() => kv.close());
  const access = { kv, adminSecret, cronSecret, anonymousPerMinute: 10_000, trustProxy: 0 };
  const ids = {
    rpcUrl: localnet.rpcUrl,
    walletPackageId: wallet,
    registryPackageId: registry.packageId,
    registryObjectId: findCreatedObject(registry, '::registry::Registry'),
  };
  const walrus = { aggregatorUrl: blobs.url, publisherUrl: blobs.url };
  gateway = await startTestGateway(undefined, { network: { ...ids, ...walrus }, access });
  closing.defer(() => gateway.close());
  const failing = { publisherUrl: await failingPublisher(), aggregatorUrl: blobs.url };
  broken = await startTestGateway(undefined, { network: { ...ids, ...failing, registryObjectId: drawer } });
  closing.defer(() => broken.close());
});
afterAll(() => closing.disposeAsync());
afterEach(() => localnet.misbehaviour.reset());

async function publishShop(wallet: string): Promise<void> {
  const published = { wallet };
  const sources = {
    'sources/till.move': till,
    'sources/market.move': market,
    'sources/loan.move': loan,
    'sources/club.move': club,
  };
  const files = { 'Move.toml': moveToml('shop', ['wallet']), ...sources };
  const compiled = await compileSources(files, { base: join(moveDir, 'shop'), published });
  const made = await execute(publisher, (tx) => {
    tx.transferObjects([tx.publish(toPackageContent(compiled))], publisher.address);
  });
  shop = findCreatedObject(made, 'package');
  cap = findCreatedObject(made, '::package::UpgradeCap');
  const opened = await execute(publisher, (tx) => {
    tx.moveCall({ target: `${shop}::till::open`, typeArguments: [sui] });
  });
  drawer = findCreatedObject(opened, `::till::Drawer<${sui}>`);
  const frozen = await execute(publisher, (tx) => {
    tx.moveCall({ target: `${shop}::till::open_frozen`, typeArguments: [sui] });
  });
  frozenDrawer = findCreatedObject(frozen, `::till::Drawer<${sui}>`);
  const upgraded = await execute(publisher, (tx) => {
    const digest = tx.pure.vector('u8', fromHex(compiled.digest));
    const ticket = tx.moveCall({
      target: '0x2::package::authorize_upgrade',
      arguments: [tx.object(cap), tx.pure.u8(0), digest],
    });
    const receipt = tx.upgrade({ ...toPackageContent(compiled), package: shop, ticket });
    tx.moveCall({ target: '0x2::package::commit_upgrade', arguments: [tx.object(cap), receipt] });
  });
  upgradedShop = findCreatedObject(upgraded, 'package');
  const other = await compileSources({ 'Move.toml': moveToml('plain'), 'sources/plain.move': plain });
  const without = await execute(publisher, (tx) => {
    tx.transferObjects([tx.publish(toPackageContent(other))], publisher.address);
  });
  plainPackage = findCreatedObject(without, 'package');
}

const toPackageContent = ({ modules, dependencies }: CompiledPackage) => ({
  modules: modules.map((module) => [...module]),
  dependencies,
});

async function failingPublisher(): Promise<string> {
  const server = createServer((_, response) => response.writeHead(500).end());
  const { url, close } = await listenLocally(server);
  closing.defer(close);
  return url;
}

const said = { name: 'Shop', summary: 'Sells things.' };
const post = (body: object, headers = {}, { url } = gateway) =>
  fetch(`${url}/api/adaptors/draft`, buildRequest({ packageId: shop, ...said, ...body }, headers));

async function draft(body: object, headers = {}, at = gateway) {
  const answer = await post(body, headers, at);
  expect(answer.status, await answer.clone().text()).toBe(200);
  return draftBody.parse(await answer.json());
}

async function refusal(body: object, at = gateway) {
  const answer = await post(body, {}, at);
  const { code, detail, errors } = await answer.json();
  return { status: answer.status, code, detail, errors };
}

const codes = ({ warnings }: { warnings: { code: string }[] }) => warnings.map(({ code }) => code);

describe('the witness', () => {
  const both = () =>
    ['market::Market', 'till::Till'].map((name) => ({ path: 'body.witness', message: `${shop}::${name}` }));

  test('of several is asked for, with all of them named', async () => {
    const several = await refusal({});
    expect(several).toMatchObject({ status: 422, code: 'several_witnesses' });
    expect(several.errors).toEqual(expect.arrayContaining(both()));
    expect(await refusal({ witness: 'Safe' })).toMatchObject({ status: 422, code: 'witness_not_found' });
  });

  test('that a package lacks is reported', async () => {
    expect(await refusal({ packageId: plainPackage })).toMatchObject({ status: 422, code: 'no_witness' });
  });

  test('decides which ops there are, and what cannot be called alone is left out', async () => {
    const ofMarket = await draft({ witness: 'market::Market' });
    expect(ofMarket.serviceType).toBe(`${shop}::market::Market`);
    expect(ofMarket.manifest.ops).toEqual([]);
    expect(ofMarket.warnings).toEqual([
      expect.objectContaining({ code: 'not_executable', op: 'market::begin' }),
    ]);
    const ofTill = await draft({ witness: 'Till', objects: [drawer] });
    expect(ofTill.manifest.ops.map(({ entry }) => entry)).toEqual(['buy']);
  });

  test('that others can get a value of is drafted with a warning, and an op that no action calls is left out', async () => {
    const { manifest, ops, warnings } = await draft({ witness: 'Loan' });
    expect(warnings).toEqual([
      { code: 'witness_returned', detail: expect.stringContaining('from loan::lend, ') },
      { code: 'needs_public', op: 'loan::settle', detail: expect.stringContaining('make it public fun') },
    ]);
    expect(manifest.ops).toEqual([]);
    const settle = ops.find(({ entry }) => entry === 'settle');
    expect(settle).toMatchObject({ executable: false, reason: { code: 'needs_public' } });
  });
});

describe('a package without past calls', () => {
  test('is drafted without the ops that lack something, and it is said what', async () => {
    const { manifest, executableOps, warnings } = await draft({ witness: 'Till' });
    expect(manifest.ops).toEqual([]);
    expect(executableOps).toEqual([]);
    expect(warnings).toMatchObject([
      {
        code: 'no_call',
        op: 'till::buy',
        detail: expect.stringMatching(/^Not in the manifest: .* name its object id/),
      },
    ]);
  });

  test('has whole calls once its publisher names the objects', async () => {
    const { manifest, warnings } = await draft({ witness: 'Till', objects: [drawer, drawer] });
    expect(manifest.ops).toMatchObject([{ kind: 'pay', module: 'till', entry: 'buy', intentMode: 'A' }]);
    expect(manifest.ops[0]?.call).toEqual({
      typeArgs: ['coinIn'],
      args: [
        { role: 'wallet' },
        { role: 'object', objectId: drawer, mutable: true },
        { role: 'amount' },
        { role: 'clock' },
      ],
    });
    expect(manifest.supportedCoins).toEqual([sui]);
    expect(warnings).toEqual([]);
  });

  test('has no call that changes an immutable object', async () => {
    const { manifest, warnings } = await draft({ witness: 'Till', objects: [frozenDrawer] });
    expect(manifest.ops).toEqual([]);
    expect(warnings).toMatchObject([
      {
        code: 'no_call',
        op: 'till::buy',
        detail: expect.stringContaining(`${frozenDrawer} is immutable, and the function changes it`),
      },
    ]);
    const both = await draft({ witness: 'Till', objects: [frozenDrawer, drawer] });
    expect(both.manifest.ops[0]?.call?.args[1]).toMatchObject({ objectId: drawer });
  });

  test('takes no object that others could not use', async () => {
    const owned = await refusal({ witness: 'Till', objects: [cap] });
    expect(owned).toMatchObject({
      status: 422,
      code: 'object_not_found',
      detail: expect.stringContaining(cap),
    });
  });
});

test('a listing is filed under a category of the publisher’s own', async () => {
  const { manifest } = await draft({ witness: 'Till', category: 'Prediction markets' });
  expect(manifest.category).toBe('Prediction markets');
});

test('a listing has the links, the sign, the source, the fee and the deprecation that its publisher names', async () => {
  const said = {
    docsUrl: 'https://till.example/docs',
    repoUrl: 'https://till.example/code',
    glyph: 'T',
    source: { repository: 'https://github.com/till/code', commit: 'c'.repeat(40), path: 'till' },
    feeBps: 25,
    feeRecipient: `0x${'7'.repeat(64)}`,
    deprecated: 'Its fee is lower in the new till.',
    successor: '0x7::till::Till',
  };
  const { manifest } = await draft({ witness: 'Till', ...said });
  expect(manifest).toMatchObject(said);
  expect(manifest).not.toHaveProperty('auditUrl');
  expect(await refusal({ witness: 'Till', auditUrl: 'javascript:alert(1)', feeBps: 10_001 })).toMatchObject({
    status: 400,
    code: 'invalid_body',
    errors: [
      { path: 'body.auditUrl', message: 'expected an http(s) url' },
      { path: 'body.feeBps', message: expect.any(String) },
    ],
  });
});

test('a listing is attributed to the key’s integrator, unless the body names one', async () => {
  const { key } = await issueTestKey(gateway.url, { integrator: 'acme' });
  const byKey = { 'x-api-key': key };
  const body = { witness: 'Till' };
  expect((await draft(body, byKey)).manifest.integrator).toBe('acme');
  expect((await draft({ ...body, integrator: 'other' }, byKey)).manifest.integrator).toBe('other');
  expect((await draft(body)).manifest.integrator).toBeUndefined();
});

test('a value that past calls of two senders agree on is in the draft, which says whose calls these are', async () => {
  const guest = await createAccount(client, localnet.faucetUrl);
  const opened = await execute(publisher, (tx) => {
    tx.moveCall({ target: `${shop}::club::found` });
    wallets.share(tx, wallets.create(tx, wallet));
  });
  const [hall, walletId] = ['::club::Hall', '::wallet::Wallet'].map((type) =>
    findCreatedObject(opened, type),
  );
  const digests: string[] = [];
  for (const [seats, sender] of [publisher, publisher, guest].entries()) {
    const { digest } = await execute(sender, (tx) => {
      const values = [tx.pure.u8(3), tx.pure.u64(seats)];
      tx.moveCall({
        target: `${shop}::club::enter`,
        arguments: [tx.object(walletId!), tx.object(hall!), ...values],
      });
    });
    digests.push(digest);
    localnet.ledger.createCheckpoint();
  }
  const { manifest, executableOps, warnings } = await draft({ witness: 'Club' });
  expect(manifest.ops).toMatchObject([
    {
      entry: 'enter',
      call: {
        args: [
          { role: 'wallet' },
          { role: 'object', objectId: hall },
          { role: 'pure', type: 'u8', name: 'level', value: 3 },
          { role: 'pure', type: 'u64', name: 'seats' },
        ],
      },
    },
  ]);
  expect(manifest.ops[0]?.call?.args[3]).not.toHaveProperty('value');
  expect(executableOps).toEqual(manifest.ops);
  const latest = [
    { sender: guest.address, digest: digests[2] },
    { sender: publisher.address, digest: digests[1] },
  ];
  expect(warnings).toEqual([
    expect.objectContaining({
      code: 'value_from_past_calls',
      op: 'club::enter',
      from: { calls: 3, senders: 2, latest },
      detail: expect.stringContaining(`level is fixed to 3, inferred from past calls`),
    }),
    expect.objectContaining({ code: 'object_from_past_calls' }),
  ]);
  expect(warnings[0]?.detail).toContain(`${guest.address} (transaction ${digests[2]})`);
  const asked = await draft({ witness: 'Club', values: { 'club::enter': ['level', 'seats'] } });
  expect(asked.manifest.ops[0]?.call?.args[2]).toEqual({
    role: 'pure',
    type: 'u8',
    name: 'level',
    example: 3,
  });
  expect(codes(asked)).toEqual(['object_from_past_calls']);
});

describe('what is left to be signed', () => {
  const body = { witness: 'Till', upload: true };

  async function sign(base64: string | null | undefined) {
    const transaction = fromBase64(base64!);
    const { signature } = await publisher.keypair.signTransaction(transaction);
    const include = { events: true } as const;
    const { Transaction: executed } = await client.core.executeTransaction({
      transaction,
      signatures: [signature],
      include,
    });
    await client.waitForTransaction({ digest: executed!.digest });
    return executed!.events[0]!.bcs;
  }

  test('lists a package, and later its upgrade under the same service type', async () => {
    const sender = publisher.address;
    const first = await draft({ ...body, sender });
    const registered = registryEvents.decode('Registered', await sign(first.register.transaction?.base64));
    expect(registered).toMatchObject({ packageId: shop, manifestUri: first.manifestUri, version: 1 });

    const upgraded = { ...body, packageId: upgradedShop };
    const strangers = await draft({
      ...upgraded,
      sender: (await createAccount(client, localnet.faucetUrl)).address,
    });
    expect(codes(strangers)).toEqual([
      ...['no_call', 'publisher_not_verified', 'upgraded_package', 'transaction_not_built'],
    ]);
    expect(strangers.serviceType).toBe(first.serviceType);

    await gateway.seed.listing({ serviceType: first.serviceType, publisher: sender });
    const second = await draft({ ...upgraded, sender });
    expect(codes(second)).toEqual(['no_call', 'already_listed']);
    expect(second.manifest.packageId).toBe(upgradedShop);
    expect(second.register.transaction).toBeUndefined();
    const updated = registryEvents.decode('Updated', await sign(second.update?.transaction?.base64));
    expect(updated).toMatchObject({
      packageId: upgradedShop,
      manifestHash: second.manifestHash,
      version: 2,
    });
  });

  test('can be completed by a wallet where the node did not build it, and it is said why', async () => {
    const poor = `0x${'5'.repeat(64)}`;
    const { register, warnings, manifestUri } = await draft({ ...body, sender: poor });
    expect(register.transaction).toMatchObject({ sender: poor, base64: null });
    expect(warnings.at(-1)).toMatchObject({
      code: 'transaction_not_built',
      detail: expect.stringMatching(/gas/i),
    });
    const [call] = Transaction.from(register.transaction!.json).getData().commands;
    const { package: id, module, function: name } = call!.MoveCall!;
    expect(`${id}::${module}::${name}`).toBe(register.target);
    expect(register.arguments.find((argument) => argument.name === 'manifest_uri')?.value).toBe(manifestUri);
  });

  test('is not a transaction before the manifest has a uri', async () => {
    const drafted = await draft({ witness: 'Till', sender: publisher.address });
    expect(drafted.manifestUri).toBeNull();
    expect(drafted.register.transaction).toBeUndefined();
    expect(codes(drafted)).toContain('manifest_not_stored');
  });

  test('is reported as useless if the registry is not on the network', async () => {
    const drafted = await draft({ witness: 'Till', sender: publisher.address }, {}, broken);
    expect(drafted.register.deployed).toBe(false);
    expect(codes(drafted)).toEqual(['no_call', 'registry_not_deployed']);
  });
});

describe('before it is signed, a draft warns', () => {
  test('of verified listings whose names look alike, and of no others', async () => {
    const { serviceType, publisher: other } = await gateway.seed.listing({
      manifest: { name: 'SHОР' },
      usage: { actions: 3, uniqueVaults: 2 },
    });
    await gateway.seed.listing({ manifest: { name: 'Shop.' }, row: { publisherCheck: 'unverified' } });
    const { warnings } = await draft({ witness: 'Till', objects: [drawer] });
    expect(warnings.map(({ code }) => code)).toEqual(['name_alike']);
    expect(warnings[0]?.detail).toContain(`"SHОР[U+041E]" by ${other} (${serviceType}), first listed 2025-`);
    expect(warnings[0]?.detail).toContain('with 3 actions of 2 wallets');
    expect(warnings[0]?.detail).not.toContain('"Shop."');
    expect((await draft({ witness: 'Till', objects: [drawer], name: 'Shop 2' })).warnings).toEqual([]);
  });

  test('a sender who is not the publisher that the catalog does not show their listing by default', async () => {
    const stranger = `0x${'7'.repeat(64)}`;
    const body = { witness: 'Till', objects: [drawer], name: 'Till' };
    const { warnings } = await draft({ ...body, sender: stranger });
    expect(warnings.find(({ code }) => code === 'publisher_not_verified')?.detail).toBe(
      'The catalog does not show this listing by default, only with include=unverified: ' +
        `${stranger} neither published ${shop} nor owns its UpgradeCap. ` +
        `${publisher.address} did, and does: sign with its key.`,
    );
    const own = codes(await draft({ ...body, sender: publisher.address }));
    expect(own).not.toContain('publisher_not_verified');
    expect(own).not.toContain('publisher_unknown');
  });
});

test('a manifest that Walrus does not store has no uri', async () => {
  const failed = await refusal({ witness: 'Till', upload: true }, broken);
  expect(failed).toMatchObject({
    status: 502,
    code: 'upload_failed',
    detail: expect.stringMatching(/answered 500/),
  });
});

test('values that an op does not take are refused with those that it does', async () => {
  const refused = await refusal({ witness: 'Till', values: { 'till::buy': ['price'] } });
  const detail = 'till::buy takes 0 values, not 1: none.';
  expect(refused).toMatchObject({ status: 422, code: 'values_mismatch', detail });
});

test.each([
  ['no name', { name: '' }, 'body.name'],
  ['a name that readers of manifests refuse', { name: 'a\u0000' }, 'body.name'],
  [
    'one name for two values',
    { values: { 'till::buy': ['a', { name: 'a', value: 1 }] } },
    'body.values.till::buy',
  ],
  ['a category of 41 characters', { category: 'x'.repeat(41) }, 'body.category'],
  ['an empty category', { category: '' }, 'body.category'],
  ['too many objects', { objects: Array(33).fill('0x6') }, 'body.objects'],
  ['a sender that is not an address', { sender: 'me' }, 'body.sender'],
])('%s is refused by name', async (_, body, path) => {
  const refused = await refusal(body);
  expect(refused).toMatchObject({ status: 400, code: 'invalid_body', errors: [{ path }] });
});

describe('a node', () => {
  /** A request that only these tests send to this gateway, so that its answer is not cached. */
  const body = () => ({ witness: 'Till', packageId: upgradedShop });

  test('without an index of calls still serves a draft, from the objects that are named', async () => {
    localnet.misbehaviour.set({ refuseLists: true });
    const { executableOps } = await draft({ ...body(), objects: [drawer] }, {}, broken);
    expect(executableOps).toHaveLength(1);
    const { warnings } = await draft(body(), {}, broken);
    expect(warnings[0]).toMatchObject({ code: 'no_call', detail: expect.stringMatching(/keeps no index/) });
  });

  test.each(['GetObject', 'BatchGetObjects', 'ListTransactions'])(
    'that does not answer %s is a problem, not an empty draft',
    async (method) => {
      localnet.misbehaviour.set({ failCalls: { code: 'INTERNAL', share: 1, seed: 1, methods: [method] } });
      const unknown = method === 'GetObject' && { packageId: `0x${'9'.repeat(64)}` };
      const failed = await refusal({ ...body(), ...unknown }, broken);
      expect(failed).toMatchObject({ status: 502, code: 'node_unavailable' });
    },
  );
});
