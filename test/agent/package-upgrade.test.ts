import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import {
  allowlist,
  allowlistRule,
  bearerCap as bearerCaps,
  policy,
  register,
  scopedCap as scopedCaps,
  wallet as wallets,
} from '@adaptor-marketplace/adaptor/transactions';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, type Executed, execute } from '@adaptor-marketplace/localnet/account';
import { upgrade } from '@adaptor-marketplace/localnet/upgrade';
import { Transaction } from '@mysten/sui/transactions';
import { Registry } from '@prometheus-io/client';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '../../db/client.ts';
import { internalAgentHeader, transactionDraft } from '../../lib/actions/tools-api.ts';
import type { NetworkSettings, SourceName } from '../../lib/config/networks.ts';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { run as runCommand } from '../../packages/cli/src/run.ts';
import { findCreatedObject, type PublishedPackage, publish } from '../../services/demo/publish.ts';
import { schemaBody } from '../../services/gateway/catalog/schema-route.ts';
import { draftBody } from '../../services/gateway/publish/draft.ts';
import { startGateway } from '../../services/gateway/start.ts';
import { type Indexer, startIndexer } from '../../services/indexer/index.ts';
import { startTools } from '../../services/tools/start.ts';
import { buildRequest } from '../support/build-request.ts';
import { readChain } from '../support/chain-reads.ts';
import { openTestDatabase, sourceRow } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { compileExtended, startUpgradeNetwork } from '../support/upgrades.ts';
import { coinType } from '../support/wallet-packages.ts';

const closing = new AsyncDisposableStack();
const outbound = createOutbound({ allowCidrs: [] });
closing.defer(() => outbound.close());

let localnet: Localnet;
let client: ChainClient;
let owner: Account;
let agent: Account;
let settings: NetworkSettings;
/** Ids of each package's versions, oldest first. */
const versions = { wallet: [] as string[], registry: [] as string[], rules: [] as string[] };
const upgradeCaps = new Map<keyof typeof versions, string>();
/** Digests of the executed transactions, in the order of the chain. */
const digests: string[] = [];
let walletId: string;

beforeAll(async () => {
  const network = await startUpgradeNetwork();
  closing.defer(() => network.close());
  ({ localnet, client, publisher: owner } = network);
  agent = await createAccount(client, localnet.faucetUrl);
  keep('wallet', await publish(owner, 'wallet'));
  const registry = keep('registry', await publish(owner, 'registry'));
  const rules = keep('rules', await publish(owner, 'rules', { wallet: first('wallet') }));
  settings = {
    network: 'testnet',
    rpcUrl: localnet.rpcUrl,
    registryPackageId: first('registry'),
    registryObjectId: findCreatedObject(registry, '::registry::Registry'),
    walletPackageId: first('wallet'),
    rulesPackageId: first('rules'),
    rulesObjectId: findCreatedObject(rules, '::registry::Registry'),
    aggregatorUrl: 'http://127.0.0.1:9',
  };
  const made = await run((tx) => {
    const wallet = wallets.create(tx, first('wallet'));
    wallets.deposit(tx, wallet, { coinType, coin: tx.splitCoins(tx.gas, [10_000n]) });
    wallets.share(tx, wallet);
  });
  walletId = findCreatedObject(made, '::wallet::Wallet');
});
afterAll(() => closing.disposeAsync());
afterEach(() => localnet.misbehaviour.reset());

function keep(name: keyof typeof versions, published: PublishedPackage): PublishedPackage {
  versions[name].push(published.packageId);
  upgradeCaps.set(name, findCreatedObject(published, '::package::UpgradeCap'));
  return published;
}

const first = (name: keyof typeof versions) => versions[name][0]!;
const newest = (name: keyof typeof versions) => versions[name].at(-1)!;

async function run(build: (tx: Transaction) => void): Promise<Executed> {
  const executed = await execute(owner, build);
  digests.push(executed.digest);
  return executed;
}

const deposit = () =>
  run((tx) => {
    const coin = tx.splitCoins(tx.gas, [1n]);
    wallets.deposit(tx, { packageId: newest('wallet'), wallet: walletId }, { coinType, coin });
  });

/** Code that later versions add to three modules: an event each, and a function that emits it. */
const later = {
  wallet: `public struct Later has copy, drop { wallet_id: ID, note: u64 }
public fun say_later(wallet: &Wallet, note: u64) { event::emit(Later { wallet_id: object::id(wallet), note }) }`,
  policy: `public struct EvenLater has copy, drop { note: u64 }
public fun say_even_later(note: u64) { sui::event::emit(EvenLater { note }) }`,
  delegate: `public struct Last has copy, drop { note: u64 }
public fun say_last(note: u64) { sui::event::emit(Last { note }) }`,
};

async function upgradeTo(
  name: keyof typeof versions,
  additions: Record<string, string>,
  published: Record<string, string> = {},
): Promise<string> {
  const compiled = await compileExtended(name, additions, published);
  const from = { packageId: newest(name), upgradeCapId: upgradeCaps.get(name)! };
  versions[name].push(await upgrade(owner, from, compiled));
  return newest(name);
}

const sayLater = (note: number) =>
  run((tx) => {
    const target = `${newest('wallet')}::wallet::say_later`;
    tx.moveCall({ target, arguments: [tx.object(walletId), tx.pure.u64(note)] });
  });

const say = (name: string, note: number) =>
  run((tx) => {
    tx.moveCall({ target: `${newest('wallet')}::${name}`, arguments: [tx.pure.u64(note)] });
  });

async function index(db: Database): Promise<Indexer> {
  return startIndexer({ db, networks: [settings], log: silentLogger, outbound });
}

/** Makes a checkpoint of the executed transactions, and resolves when the sources have covered it. */
async function covered(db: Database, names: readonly SourceName[] = ['registry', 'wallet', 'rules']) {
  localnet.ledger.createCheckpoint();
  const { response } = await client.ledgerService.getServiceInfo({});
  await eventually(async () => {
    // A subscription begins with the next checkpoint.
    localnet.ledger.createCheckpoint();
    for (const name of names) {
      const row = await sourceRow(db, name);
      expect(row?.checkpoint).toBeGreaterThanOrEqual(Number(response.checkpointHeight));
      expect(row?.unsettled_from).toBeNull();
    }
  });
}

interface EventRow {
  digest: string;
  at: number;
  type: string;
}

/** The events of our packages, read from the transactions. */
async function eventsOnChain(): Promise<EventRow[]> {
  const ours = Object.values(versions).flat();
  const found: EventRow[] = [];
  for (const digest of digests) {
    const { Transaction: read } = await client.getTransaction({ digest, include: { events: true } });
    (read?.events ?? []).forEach(({ eventType }, at) => {
      if (ours.some((id) => eventType.startsWith(`${id}::`))) found.push({ digest, at, type: eventType });
    });
  }
  return found;
}

async function eventsIn(db: Database): Promise<EventRow[]> {
  const { rows } = await db.pool.query<EventRow>(
    `select tx_digest as digest, event_index as at, type from events
      order by checkpoint, tx_index, event_index`,
  );
  return rows;
}

async function readFilter(db: Database): Promise<string[]> {
  const { rows } = await db.pool.query<{ filter: string }>(
    `select filter from sources where name = 'wallet'`,
  );
  return rows[0]?.filter.split(' ') ?? [];
}

describe('the index', () => {
  let db: Database;
  beforeAll(async () => {
    db = await openTestDatabase();
  });
  afterAll(() => db.close());

  test('takes the events of a version that is published while it follows: none is lost, none doubled', async () => {
    const indexer = await index(db);
    await covered(db);
    const before = await readFilter(db);
    // One checkpoint holds an event before the upgrade, the upgrade, and an event of the new version.
    await deposit();
    const second = await upgradeTo('wallet', { wallet: later.wallet });
    await sayLater(1);
    await deposit();
    await covered(db);
    // This version adds no type. The following checkpoints are full of both kinds of events.
    await upgradeTo('registry', { registry: 'public fun two(): u64 { 2 }' });
    for (let note = 2; note < 6; note++) {
      await sayLater(note);
      await deposit();
      await covered(db);
    }
    expect(await eventsIn(db)).toEqual(await eventsOnChain());
    expect((await eventsIn(db)).filter(({ type }) => type === `${second}::wallet::Later`)).toHaveLength(5);
    expect((await readFilter(db)).filter((type) => !before.includes(type))).toEqual([`${second}::wallet`]);
    const { rows } = await db.pool.query(
      `select decode_error as error, data from events where name = 'Later' limit 1`,
    );
    expect(rows).toEqual([{ data: null, error: 'The package is not known to emit an event of this name.' }]);
    await indexer.close();
  });

  test('takes the events of versions that were published while it was away', async () => {
    await deposit();
    await upgradeTo('wallet', { wallet: later.wallet, policy: later.policy });
    await say('policy::say_even_later', 1);
    await sayLater(6);
    localnet.ledger.createCheckpoint();
    const indexer = await index(db);
    await covered(db);
    expect(await eventsIn(db)).toEqual(await eventsOnChain());
    expect((await eventsIn(db)).map(({ type }) => type)).toContain(`${newest('wallet')}::policy::EvenLater`);
    await indexer.close();
  });

  test('finds the versions in the ledger itself on a node that lists none, in history and live', async () => {
    localnet.misbehaviour.set({ refuseLists: true });
    const other = await openTestDatabase();
    const indexer = await index(other);
    try {
      await covered(other);
      expect(await eventsIn(other)).toEqual(await eventsOnChain());
      await deposit();
      const last = await upgradeTo('wallet', later);
      await say('delegate::say_last', 1);
      await deposit();
      await covered(other);
      expect(await eventsIn(other)).toEqual(await eventsOnChain());
      expect(await readFilter(other)).toContain(`${last}::delegate`);
    } finally {
      await indexer.close();
      await other.close();
    }
  });

  test('stops rather than leave a hole where it has passed a version without its types', async () => {
    const ofFirst = (await readFilter(db)).filter((type) => type.startsWith(first('wallet')));
    await db.pool.query(`update sources set filter = $1 where name = 'wallet'`, [ofFirst.join(' ')]);
    const indexer = await index(db);
    await eventually(async () => expect((await sourceRow(db, 'wallet'))?.stopped_at).toBeInstanceOf(Date));
    expect((await sourceRow(db, 'wallet'))?.last_error).toMatch(
      /^Source wallet of testnet is at checkpoint \d+ without the event types of package 0x[0-9a-f]{64}, which was published at checkpoint \d+\./,
    );
    await indexer.close();
  });
});

describe('what is signed calls the newest versions', () => {
  let db: Database;
  const internalSecret = 'tools-and-agent-of-a-test';
  let gatewayUrl: string;
  let toolsUrl: string;
  let tipJar: string;
  /** The recipient on the wallet's allowlist. */
  let friend: string;

  beforeAll(async () => {
    const services = closing.use(new AsyncDisposableStack());
    await upgradeTo('rules', { rule: 'public fun two(): u64 { 2 }' }, { wallet: first('wallet') });
    tipJar = (await publish(owner, 'adaptors/tip_jar', { wallet: first('wallet') })).packageId;
    friend = (await createAccount(client, localnet.faucetUrl)).address;
    const wallet = { packageId: newest('wallet'), wallet: walletId };
    const rules = { rulesPackageId: newest('rules'), wallet: walletId };
    const { scopedAuth, scopedBudget, capAuth } = policy.walletRules(first('wallet'));
    await run((tx) => {
      policy.initialize(tx, wallet);
      policy.addAuthRule(tx, wallet, scopedAuth);
      policy.addCaveatRule(tx, wallet, { rule: scopedBudget, auth: scopedAuth });
      policy.addAuthRule(tx, wallet, capAuth);
      policy.addCaveatRule(tx, wallet, { rule: allowlistRule(first('rules')), auth: capAuth });
      allowlist.createAllowlist(tx, rules);
      scopedCaps.mintRoot(tx, wallet, { coinType, budget: 1_000n, maxDepth: 0, recipient: agent.address });
      bearerCaps.mint(tx, wallet, agent.address);
    });
    db = await openTestDatabase();
    services.defer(() => db.close());
    const indexer = await index(db);
    services.defer(() => indexer.close());
    await covered(db);
    const listId = await allowlistId();
    await run((tx) => allowlist.setAllowed(tx, rules, { listId, recipient: friend, allowed: true }));
    await covered(db);
    const tools = await startTools({
      db,
      host: '127.0.0.1',
      port: 0,
      networks: [settings],
      internalSecret,
      log: silentLogger,
      metrics: new Registry(),
    });
    services.defer(() => tools.close());
    toolsUrl = tools.url;
    const gateway = await startGateway({
      db,
      host: '127.0.0.1',
      port: 0,
      networks: [settings],
      defaultNetwork: 'testnet',
      maxLagSeconds: 60,
      log: silentLogger,
      metrics: new Registry(),
    });
    services.defer(() => gateway.close());
    gatewayUrl = gateway.url;
  });

  async function allowlistId(): Promise<string> {
    const { rows } = await db.pool.query<{ id: string }>('select allowlist_id as id from allowlists');
    return rows[0]!.id;
  }

  const balance = async () => {
    const target = `${first('wallet')}::wallet::balance`;
    const reads = [{ target, typeArguments: [coinType], arguments: [walletId] }];
    return (await readChain(client, owner.address, reads))[0]![0]!;
  };

  test('the schema endpoint names them beside the first ones', async () => {
    const { networks } = schemaBody.parse(await (await fetch(`${gatewayUrl}/api/adaptors/schema`)).json());
    expect(newest('registry')).not.toBe(first('registry'));
    expect(networks.testnet).toMatchObject({
      registry: {
        packageId: first('registry'),
        callPackageId: newest('registry'),
        targets: { register: `${newest('registry')}::registry::register` },
      },
      walletPackageId: first('wallet'),
      walletCallPackageId: newest('wallet'),
    });
  });

  test('a draft names the newest registry, whose object keeps its type, and the call is taken', async () => {
    const answer = await fetch(
      `${gatewayUrl}/api/adaptors/draft`,
      buildRequest({ packageId: tipJar, name: 'Jar', summary: 'Takes tips.', sender: owner.address }),
    );
    const draft = draftBody.parse(await answer.json());
    expect(draft.register).toMatchObject({
      deployed: true,
      target: `${newest('registry')}::registry::register`,
    });
    expect(draft.register.arguments[0]).toMatchObject({
      type: `${first('registry')}::registry::Registry`,
      value: settings.registryObjectId,
    });
    const registry = { packageId: newest('registry'), objectId: settings.registryObjectId };
    const { serviceType, manifestHash } = draft;
    const listing = { packageId: tipJar, serviceType, manifestHash, manifestUri: 'https://example.test/m' };
    await run((tx) => register(tx, registry, listing));
    await covered(db, ['registry']);
    const { rows } = await db.pool.query('select service_type from listings');
    expect(rows).toEqual([{ service_type: serviceType }]);
  });

  test.each([
    ['a scoped cap', 'sub_delegate::spend', { amount: '100', recipient: `0x${'5'.repeat(64)}` }],
    ['a bearer cap and the allowlist', 'cap_auth::prove', { amount: '2000', recipient: '' }],
  ])('a spend by %s calls the newest wallet and rules, and executes', async (_, stamp, terms) => {
    const recipient = terms.recipient || friend;
    const before = await balance();
    const request = {
      action: 'spend',
      network: 'testnet',
      owner: owner.address,
      walletId,
      coinType,
      amount: terms.amount,
      recipient,
    };
    const response = await fetch(
      `${toolsUrl}/draft`,
      buildRequest({ sender: agent.address, request }, { [internalAgentHeader]: internalSecret }),
    );
    const draft = transactionDraft.parse(await response.json());
    const wallet = newest('wallet');
    expect(draft.steps[0]?.targets).toEqual([
      `${wallet}::policy::begin_spend`,
      `${wallet}::${stamp}`,
      ...(stamp === 'cap_auth::prove' ? [`${newest('rules')}::rule::enforce`] : []),
      `${wallet}::policy::confirm_spend`,
    ]);
    const transaction = Transaction.fromKind(draft.transactionKind);
    transaction.setSender(agent.address);
    const done = await client.signAndExecuteTransaction({ transaction, signer: agent.keypair });
    expect(done.$kind).toBe('Transaction');
    await client.waitForTransaction({ digest: done.Transaction!.digest });
    digests.push(done.Transaction!.digest);
    expect(before - (await balance())).toBe(BigInt(terms.amount));
    await covered(db, ['wallet']);
    expect(await eventsIn(db)).toEqual(await eventsOnChain());
  });

  test('the command line opens a wallet by the newest package, and links what it publishes to it', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
    closing.defer(() => rm(folder, { recursive: true }));
    const keyFile = join(folder, 'key');
    await writeFile(keyFile, owner.keypair.getSecretKey(), { mode: 0o600 });
    const timer = setInterval(() => localnet.ledger.createCheckpoint(), 20);
    const command = async (...words: string[]) => {
      const said = { out: '', err: '' };
      const code = await runCommand([...words, '--url', gatewayUrl, '--rpc', localnet.rpcUrl, '--json'], {
        env: { SUI_SECRET_KEY_FILE: keyFile },
        liveErr: false,
        out(text) {
          said.out += text;
        },
        err(text) {
          said.err += text;
        },
      });
      expect(code, said.err).toBe(0);
      return JSON.parse(said.out);
    };
    try {
      const { walletId: opened, digest } = await command('open-wallet', '--deposit', '5');
      const { object } = await client.getObject({ objectId: opened });
      expect(object.type).toBe(`${first('wallet')}::wallet::Wallet`);
      const { Transaction: read } = await client.getTransaction({ digest, include: { transaction: true } });
      const called = read!.transaction!.commands.flatMap((command) =>
        'MoveCall' in command ? command.MoveCall.package : [],
      );
      expect(new Set(called)).toEqual(new Set([newest('wallet')]));

      const { packageId } = await command('publish', join(moveDir, 'adaptors/tip_jar'));
      const request = { objectId: packageId, readMask: { paths: ['package'] } };
      const { response } = await client.ledgerService.getObject(request);
      expect(response.object?.package?.linkage).toContainEqual(
        expect.objectContaining({ originalId: first('wallet'), upgradedId: newest('wallet') }),
      );
    } finally {
      clearInterval(timer);
    }
  });
});
