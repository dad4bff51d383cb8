import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import { type Manifest, parseManifest } from '@adaptor-marketplace/adaptor/manifest';
import { appendOp, type OpInputs } from '@adaptor-marketplace/adaptor/transactions';
import { type BlobStore, startBlobStore } from '@adaptor-marketplace/localnet/blobs/server';
import { Transaction } from '@mysten/sui/transactions';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Slot } from '../../lib/actions/slots.ts';
import { type AgentsEvents, agentsEvents } from '../../lib/chain/events/agents.ts';
import { type EscrowEvents, escrowEvents } from '../../lib/chain/events/escrow.ts';
import { type RegistryEvents, registryEvents } from '../../lib/chain/events/registry.ts';
import { type RulesEvents, rulesEvents } from '../../lib/chain/events/rules.ts';
import { type WalletEvents, walletEvents } from '../../lib/chain/events/wallet.ts';
import { listFollowedSources } from '../../lib/config/networks.ts';
import { moveDir } from '../../lib/contracts/move-dir.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createPhases } from '../../lib/log/phases.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { decodeDataUrl } from '../../lib/pictures/picture.ts';
import { readDemoFile, toSettings } from '../../services/demo/file.ts';
import { dayMs, historyDays } from '../../services/demo/history.ts';
import { makeMarketplace } from '../../services/demo/marketplace.ts';
import { startDemoNetwork } from '../../services/demo/network.ts';
import { startPastNetwork } from '../../services/demo/past.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { type ChainEvent, listAllEvents } from '../support/all-events.ts';
import { indexedTo, openTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { createTesterClient } from '../support/tester-client.ts';

const quiet = { log: silentLogger, during: createPhases(silentLogger).during };

let dir: string;
let client: ChainClient;
let blobs: BlobStore;
let urls: { rpcUrl: string; faucetUrl: string };
let demo: Awaited<ReturnType<typeof makeMarketplace>>;
const closing = new AsyncDisposableStack();

let events: ChainEvent[];

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'demo-'));
  closing.defer(() => rm(dir, { recursive: true }));
  const options = { dataDir: join(dir, 'localnet'), checkpointIntervalMs: 50, log: silentLogger };
  const { localnet, clock, ...past } = await startPastNetwork(options, historyDays * dayMs);
  closing.defer(() => past.close());
  blobs = await startBlobStore({ dir: join(dir, 'blobs'), host: '127.0.0.1', port: 0 });
  closing.defer(() => blobs.close());
  client = createTesterClient(localnet.rpcUrl);
  closing.defer(() => client.close());
  urls = { rpcUrl: localnet.rpcUrl, faucetUrl: localnet.faucetUrl };
  demo = await makeMarketplace({ ...urls, blobStoreUrl: blobs.url }, { ...quiet, clock });
  localnet.ledger.createCheckpoint();
  events = await listAllEvents(client);
});
afterAll(() => closing.disposeAsync());

type Read<Events, Name extends keyof Events> = Pick<ChainEvent, 'digest' | 'sender'> & Events[Name];

/** Decodes the events of one name that one of our packages emitted. */
function decodeEvents<Events, Name extends keyof Events & string>(
  codec: { decode(name: Name, bytes: Uint8Array): Events[Name] },
  packageId: string,
  name: Name,
  prefix = '',
): Read<Events, Name>[] {
  const type = `${packageId}::${prefix}${name}`;
  return events
    .filter((event) => event.type === type)
    .map(({ digest, sender, bcs }) => ({ digest, sender, ...codec.decode(name, bcs) }));
}

const wallet = <Name extends keyof WalletEvents>(name: Name) =>
  decodeEvents<WalletEvents, Name>(walletEvents, demo.packages.wallet, name);
const rules = <Name extends keyof RulesEvents>(name: Name) =>
  decodeEvents<RulesEvents, Name>(rulesEvents, demo.packages.rules, name);
const agents = <Name extends keyof AgentsEvents>(name: Name) =>
  decodeEvents<AgentsEvents, Name>(agentsEvents, demo.packages.agents, name);
const jobs = <Name extends keyof EscrowEvents>(name: Name) =>
  decodeEvents<EscrowEvents, Name>(escrowEvents, demo.packages.escrow, name);
const registry = <Name extends keyof RegistryEvents>(name: Name) =>
  decodeEvents<RegistryEvents, Name>(registryEvents, demo.packages.registry, name, 'registry::');

const lastPart = (type: string) => type.split('::').at(-1);
const distinct = (values: Iterable<unknown>) => new Set(values).size;

/** The manifests that the adaptors' own publishers listed last, read from the blob store. */
async function listedManifests(): Promise<Manifest[]> {
  const own = new Set(demo.publishers.map(({ address }) => address));
  const changes = [...registry('Registered'), ...registry('Updated')];
  const listed = new Map(
    changes
      .filter(({ packageId, sender }) => adaptorPackages().includes(packageId) && own.has(sender))
      .map((change) => [change.serviceType, change]),
  );
  return Promise.all(
    [...listed.values()].map(async ({ manifestUri, manifestHash }) => {
      const answer = await fetch(`${blobs.url}/v1/blobs/${manifestUri.replace('walrus://', '')}`);
      const parsed = parseManifest(new Uint8Array(await answer.arrayBuffer()), manifestHash);
      if (parsed.status !== 'verified') throw new Error(parsed.reason);
      return parsed.body as Manifest;
    }),
  );
}

const adaptorPackages = () => Object.values(demo.packages.adaptors);

describe('wallets', () => {
  test('five people own one each, with deposits, and services hold bounded and unbounded grants', () => {
    const created = wallet('wallet::WalletCreated');
    expect(distinct(created.map(({ owner }) => owner))).toBe(5);
    expect(created.find(({ owner }) => owner === demo.owner.address)?.walletId).toBe(demo.owner.walletId);
    const brought = wallet('wallet::CoinDeposited').filter(({ service }) => service === null);
    expect(distinct(brought.map(({ walletId, coin }) => `${walletId} ${coin}`))).toBe(10);
    const allowances = wallet('wallet::ServiceGranted').map(({ allowance }) => allowance);
    expect(allowances.includes(`${2n ** 64n - 1n}`)).toBe(true);
    expect(distinct(allowances)).toBeGreaterThan(3);
    expect(wallet('wallet::ServiceRevoked')).toHaveLength(1);
    expect(wallet('wallet::WalletPauseChanged').map(({ paused }) => paused)).toEqual([true]);
    expect(wallet('wallet::LegacyCoinSwept')).toHaveLength(1);
  });

  test('delegates have budgets that ran down, and one of them an end', () => {
    const added = wallet('delegate::Added');
    // The delegates are the agent, the scout and the managed address for one wallet.
    expect(distinct(added.map(({ delegate }) => delegate))).toBe(3);
    const ends = wallet('delegate::ExpiryChanged');
    expect(ends.length).toBeGreaterThan(0);
    expect(ends.every(({ expiresAtMs }) => Number(expiresAtMs) > Date.now())).toBe(true);
    for (const name of ['delegate::ServiceAllowanceDebited', 'delegate::CoinAllowanceDebited'] as const) {
      expect(distinct(wallet(name).map(({ spender }) => spender))).toBe(2);
    }
  });
});

test('hundreds of actions through every adaptor, by owners and delegates, many in one transaction', () => {
  const used = [
    ...wallet('intent::PaymentValidated').map((event) => ({ ...event, spender: event.sender })),
    ...wallet('intent::SwapValidated'),
  ];
  const broughtIn = wallet('wallet::CoinDeposited').flatMap(({ service, ...event }) =>
    service === null ? [] : { service, ...event },
  );
  const actions = new Map(
    [...used, ...broughtIn].map((event) => [`${event.digest} ${event.walletId} ${event.service}`, event]),
  );
  expect(actions.size).toBeGreaterThanOrEqual(200);
  const packages = [...actions.values()].map(({ service }) => service.slice(0, service.indexOf('::')));
  expect([...new Set(packages)].sort()).toEqual(adaptorPackages().sort());
  expect(used.map(({ service }) => service)).toContain(demo.publishers[0]?.serviceTypes[0]);
  const owners = new Set(wallet('wallet::WalletCreated').map(({ owner }) => owner));
  const spenders = new Set(used.map(({ spender }) => spender));
  expect([...spenders].filter((spender) => owners.has(spender))).toHaveLength(5);
  expect([...spenders].filter((spender) => !owners.has(spender))).toHaveLength(2);
  const perTransaction = Map.groupBy(actions.values(), ({ digest }) => digest);
  expect(Math.max(...[...perTransaction.values()].map((all) => all.length))).toBeGreaterThanOrEqual(10);
  // Each swap that took coins out brought coins in, and deposits stay in the wallet.
  expect(wallet('intent::SwapVerified')).toHaveLength(wallet('intent::SwapValidated').length);
  const kept = wallet('wallet::ServiceAssetStored').length - wallet('wallet::ServiceAssetTaken').length;
  expect(kept).toBeGreaterThan(0);
});

test('use and ratings spread over each of 90 days, and the chain ends today', async () => {
  const db = await indexDemo();
  const { rows } = await db.pool.query<Record<string, number>>(
    `select count(distinct day)::int as days, max((now() at time zone 'UTC')::date - day)::int as oldest,
        min((now() at time zone 'UTC')::date - day)::int as newest from analytics.service_days`,
  );
  const [{ days, oldest, newest }] = rows as [Record<string, number>];
  // The test may run over midnight.
  expect(days).toBeGreaterThanOrEqual(historyDays);
  expect(oldest).toBeGreaterThanOrEqual(historyDays - 1);
  expect(newest).toBeLessThanOrEqual(1);
  const rated = await db.pool.query('select distinct day from analytics.service_rating_days');
  expect(rated.rows.length).toBeGreaterThan(10);
});

test('the explorer shows the wallets’ actions, calls of the registry, and every transaction of the demo', async () => {
  const page = async (path: string) => {
    const response = await fetch(`${urls.faucetUrl}/explorer${path}`);
    expect({ path, status: response.status }).toEqual({ path, status: 200 });
    return response.text();
  };
  for (const [digest, [first]] of Map.groupBy(events, (event) => event.digest)) {
    expect(await page(`/transactions/${digest}`)).toContain(first!.type.split('<', 1)[0]);
  }
  const [listed, ended] = [registry('Registered')[0]!, wallet('action::ActionEnded')[0]!];
  const call = await page(`/transactions/${listed.digest}`);
  for (const part of ['register', listed.serviceType, listed.manifestUri]) expect(call).toContain(part);
  const action = await page(`/transactions/${ended.digest}`);
  for (const part of ['ActionEnded', ended.walletId, ended.service]) expect(action).toContain(part);
  expect(await page(`/objects/${ended.walletId}`)).toContain('::wallet::');
});

/** A database of an indexer that has read the demo, and still follows the chain. */
async function indexDemo() {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  const outbound = createOutbound({ allowCidrs: ['127.0.0.0/8'] });
  onTestFinished(() => outbound.close());
  const settings = toSettings({ ...demo, ...urls, blobStoreUrl: blobs.url });
  const indexer = startIndexer({ db, networks: [settings], outbound, log: silentLogger });
  onTestFinished(() => indexer.close());
  const { response } = await client.ledgerService.getServiceInfo({});
  await indexedTo(db, Number(response.checkpointHeight), listFollowedSources(settings));
  return db;
}

test('every action of the story is held to bounds by its wallet, and the index stores what it took and brought', async () => {
  const buildKey = ({ digest, walletId, service }: { digest: string; walletId: string; service: string }) =>
    `${digest} ${walletId} ${service}`;
  const ended = wallet('action::ActionEnded');
  const bounded = new Set(ended.map(buildKey));
  const paid = [...wallet('intent::PaymentValidated'), ...wallet('intent::SwapValidated')];
  expect(paid.filter((event) => !bounded.has(buildKey(event)))).toEqual([]);
  const taken = ended.flatMap((event) => event.taken);
  expect(taken).toHaveLength(paid.length);

  const db = await indexDemo();
  const { rows } = await db.pool.query<{ digest: string; data: WalletEvents['action::ActionEnded'] }>(
    `select tx_digest as digest, data from events where name = 'ActionEnded' and source = 'wallet'
      order by checkpoint, tx_index, event_index`,
  );
  const stored = ended.map(({ digest, ...event }) => ({ digest, data: expect.objectContaining(event) }));
  expect(rows).toEqual(stored);
});

test('the functions of every listed package are certified by an indexer that runs', async () => {
  const db = await indexDemo();
  await eventually(async () => {
    const { rows } = await db.pool.query(
      `select package_id as id, p.state, (select count(*)::int from certificates c where c.package_id = a.package_id) as made
        from (select distinct package_id from analytics.adaptors where witness_valid) a
        left join certified_packages p using (package_id)`,
    );
    expect(rows.length).toBeGreaterThan(0);
    expect(rows.filter(({ state, made }) => state !== 'computed' || made === 0)).toEqual([]);
  });
});

test('the opposite operations of a vault have the coins of the vault that they fix, in opposite places', async () => {
  const db = await indexDemo();
  await eventually(async () => {
    const { rows } = await db.pool.query<{ coins: { coinIn: string; coinOut: string }[] }>(
      `select op_coins as coins from catalog_entries where name = 'Reef Vault'`,
    );
    expect(
      rows.map(({ coins }) => coins.map((one) => [lastPart(one.coinIn), lastPart(one.coinOut)])),
    ).toEqual([
      [
        ['SUI', 'REEF_SUI'],
        ['REEF_SUI', 'SUI'],
      ],
    ]);
  });
});

test('the index has the decimals and symbols of the coins that were moved and paid', async () => {
  const db = await indexDemo();
  const { b: dollar = '' } = demo.venues.clmm.coins;
  const { metadata } = (await client.stateService.getCoinInfo({ coinType: dollar })).response;
  await eventually(async () => {
    const { rows } = await db.pool.query(
      `select distinct symbol, decimals from analytics.service_coin_days
        where coin like '%::sui::SUI' or coin like $1 order by decimals`,
      [`%::${lastPart(dollar)}`],
    );
    const dollars = { symbol: metadata?.symbol, decimals: 6 };
    expect(rows).toEqual([dollars, { symbol: 'SUI', decimals: 9 }]);
  });
});

test('the results that docs/analytics.md shows are those of the demo', async () => {
  const db = await indexDemo();
  await eventually(async () => {
    const { rows } = await db.pool.query(`select from sources where unjudged_since is not null`);
    expect(rows).toEqual([]);
  });
  const path = join(import.meta.dirname, '../../docs/analytics.md');
  const document = await readFile(path, 'utf8');
  const demoAt = document.indexOf('## The demo');
  let text = document.slice(0, demoAt);
  let end = demoAt;
  for (const found of document.matchAll(/```sql\n([^`]+)```\n\n((?:\|.*\n)+)/g)) {
    const [match, sql = '', table = ''] = found;
    if (found.index < demoAt) continue;
    const results = await db.pool.query({
      text: sql,
      rowMode: 'array',
      types: { getTypeParser: () => (value: string) => value },
    });
    const names = results.fields.map(({ name }) => name);
    const tableAt = found.index + match.length - table.length;
    text += document.slice(end, tableAt) + renderTable(names, results.rows, parseTable(table));
    end = found.index + match.length;
  }
  await expect(text + document.slice(end)).toMatchFileSnapshot(path);
});

const parseTable = (table: string) =>
  table
    .trim()
    .split('\n')
    .slice(2)
    .map((line) =>
      line
        .split('|')
        .slice(1, -1)
        .map((cell) => cell.trim()),
    );

/** Renders rows as a Markdown table. Cells that differ from run to run stay as they are in the document. */
function renderTable(
  names: readonly string[],
  rows: readonly (string | null)[][],
  documented: readonly string[][],
): string {
  const differs = (name: string) => name === 'checkpoint' || name === 'checkpoints_behind';
  const cells = rows.map((row, at) =>
    row.map((value, column) => (differs(names[column]!) && documented[at]?.[column]) || (value ?? '')),
  );
  const widths = names.map((name, column) =>
    Math.max(name.length, ...cells.map((row) => row[column]!.length)),
  );
  const toLine = (row: readonly string[]) =>
    `| ${row.map((cell, column) => cell.padEnd(widths[column]!)).join(' | ')} |\n`;
  return toLine(names) + toLine(widths.map((width) => '-'.repeat(width))) + cells.map(toLine).join('');
}

test('every adaptor but the visitors’ is listed, and past calls show how its ops are called', async () => {
  const folders = await readdir(join(moveDir, 'adaptors'), { withFileTypes: true });
  const listed = folders.filter((entry) => entry.isDirectory() && entry.name !== 'pocket_money');
  expect(Object.keys(demo.packages.adaptors).sort()).toEqual(listed.map(({ name }) => name).sort());
  const manifests = await listedManifests();
  expect(manifests.map(({ packageId }) => packageId).sort()).toEqual(adaptorPackages().sort());
  const ops = manifests.flatMap(({ packageId, ops }) => ops.map((op) => ({ packageId, ...op })));
  // These ops pay a coin out of the jar, which the caller must put somewhere.
  expect(ops.filter(({ call, calls }) => !call && !calls).map(({ entry }) => entry)).toEqual(['empty']);
  const calls = await Promise.all(
    ops
      .filter(({ call, calls }) => call || calls)
      .map(async ({ packageId, module, entry }) => {
        const moveCall = { function: `${packageId}::${module}::${entry}` };
        const predicate = { oneofKind: 'moveCall' as const, moveCall };
        const filter = { terms: [{ literals: [{ negated: false, predicate }] }] };
        const { responses } = client.ledgerService.listTransactions({ filter, options: { limit: 1 } });
        for await (const { transaction } of responses) if (transaction) return '';
        return `${module}::${entry}`;
      }),
  );
  expect(calls.filter(Boolean)).toEqual([]);
});

test('the agent can use the adaptor of each slot for the owner once more', async () => {
  const manifests = new Map((await listedManifests()).map((manifest) => [manifest.serviceType, manifest]));
  const { coins } = demo.venues.clmm;
  const [sui, dollar] = [coins.a ?? '', coins.b ?? ''];
  const [oneSui, oneDollar] = [1_000_000_000n, 1_000_000n];
  const once: Record<Slot, [entry: string, inputs: OpInputs]> = {
    swap: ['swap_a_to_b', { amount: oneSui, minOut: oneDollar, coinIn: sui, coinOut: dollar }],
    lendingA: ['deposit', { amount: oneSui, minOut: 1n, coinIn: sui }],
    lendingB: ['deposit', { amount: oneDollar, minOut: 1n, coinIn: dollar }],
    lendingC: ['deposit', { amount: oneDollar, coinIn: dollar }],
    stablecoin: ['borrow', { amount: oneSui, minOut: oneDollar, coinIn: sui }],
    liquidStake: ['stake', { amount: oneSui, minOut: 1n }],
    vault: ['deposit', { amount: oneSui, minOut: 1n, coinIn: sui }],
    clmm: [
      'add',
      { values: { name: 'around three dollars', amountA: oneSui, amountB: 3n * oneDollar, minLiquidity: 1 } },
    ],
    perp: ['order', { values: { long: true, size: oneSui, limit: 4n * oneDollar, reduceOnly: false } }],
    current: ['supply', { amount: oneSui, coinIn: sui }],
  };
  const transaction = new Transaction();
  transaction.setSender(demo.treasurer.address);
  for (const [slot, [entry, inputs]] of Object.entries(once) as [Slot, (typeof once)[Slot]][]) {
    const venue = demo.venues[slot];
    const { packageId, ops } = manifests.get(venue.serviceType)!;
    const coinOut = venue.coins.share ?? venue.coins.stablecoin ?? dollar;
    const op = ops.find((one) => one.entry === entry)!;
    appendOp(transaction, packageId, op, { wallet: demo.owner.walletId, coinOut, ...inputs });
  }
  const result = await client.core.simulateTransaction({ transaction });
  expect(result.FailedTransaction?.status.error).toBeUndefined();
});

describe('caps', () => {
  test('a scoped cap is handed on two levels deep, spent from, burned, and its rest collected', () => {
    const minted = wallet('sub_delegate::ScopedCapMinted');
    expect(minted.map(({ depth }) => depth).sort()).toEqual([0, 0, 0, 0, 1, 2]);
    const burned = wallet('sub_delegate::ScopedCapBurned');
    const deepest = minted.find(({ depth }) => depth === 2);
    expect(burned).toMatchObject([{ capId: deepest?.capId, parent: deepest?.parent }]);
    const refunded = wallet('sub_delegate::ScopedRefunded');
    expect(refunded).toMatchObject([{ capId: deepest?.parent, amount: burned[0]?.unused }]);
    expect(distinct(wallet('sub_delegate::ScopedSpent').map(({ capId }) => capId))).toBe(4);
  });

  test('one cap is revoked alone, and one wallet’s whole policy with all of its caps', () => {
    const [revoked] = wallet('sub_delegate::ScopedCapRevoked');
    const [policy] = wallet('policy::PolicyRevoked');
    expect(policy?.newVersion).toBe(2);
    expect(policy?.walletId).not.toBe(revoked?.walletId);
    const bearer = wallet('cap_auth::DelegateCapMinted');
    expect(bearer.map(({ recipient }) => recipient)).toEqual([
      ...Array(3).fill(demo.treasurer.address),
      demo.agent.address,
    ]);
    expect(bearer.map(({ walletId }) => walletId)).toContain(policy?.walletId);
  });

  test('bearer caps pay those on the wallet’s active allowlist', () => {
    const [list] = rules('rule::AllowlistCreated').filter(({ walletId }) => walletId === demo.owner.walletId);
    expect(list?.allowlistId).toBe(demo.objects.allowlist);
    const allowed = rules('rule::AllowlistChanged')
      .filter((change) => change.allowlistId === list?.allowlistId)
      .map(({ recipient }) => recipient);
    const caveat = wallet('policy::CaveatRuleChanged').find(
      (change) => change.walletId === demo.owner.walletId && lastPart(change.rule) === 'RecipientAllowlist',
    );
    expect(lastPart(caveat?.auth ?? '')).toBe('CapAuth');
    const paid = wallet('policy::SpendConfirmed').filter(({ auth }) => lastPart(auth ?? '') === 'CapAuth');
    expect(paid.map(({ recipient }) => recipient).sort()).toEqual(allowed.sort());
    expect(allowed).toHaveLength(2);
  });

  test('the agent’s scoped cap of the owner’s wallet still has a budget', async () => {
    const { objects } = await client.core.listOwnedObjects({
      owner: demo.agent.address,
      type: `${demo.packages.wallet}::sub_delegate::ScopedCap`,
      include: { json: true },
    });
    const own = objects.filter(({ json }) => json?.wallet_id === demo.owner.walletId);
    expect(own.map(({ json }) => Number(json?.remaining) > 1_000_000_000)).toEqual([true]);
  });
});

test('a used adaptor is deprecated in favour of one that is listed, a publisher has a profile, and a coin a logo', async () => {
  const manifests = await listedManifests();
  const [old, ...others] = manifests.filter(({ deprecated }) => deprecated !== undefined);
  expect(others).toEqual([]);
  expect(old?.successor).toBe(demo.venues.swap.serviceType);
  const services = wallet('intent::SwapValidated').map(({ service }) => service);
  expect(services).toContain(old?.serviceType);
  const withProfile = manifests.filter(({ profile }) => profile);
  expect(new Set(withProfile.map(({ integrator }) => integrator))).toEqual(new Set(['reef']));
  expect(withProfile.some(({ profile }) => profile?.domain !== undefined)).toBe(false);
  const { b: dollar = '' } = demo.venues.swap.coins;
  const { metadata } = (await client.stateService.getCoinInfo({ coinType: dollar })).response;
  expect(decodeDataUrl(metadata?.iconUrl ?? '')).toMatchObject({ mediaType: 'image/png' });
});

test('rules of both kinds are listed by the publisher of their packages', () => {
  const listed = rules('registry::Registered').map(({ ruleType, kind }) => [lastPart(ruleType), kind]);
  expect(Object.fromEntries(listed)).toEqual({
    CapAuth: 'auth',
    ScopedAuth: 'auth',
    ScopedBudget: 'caveat',
    RecipientAllowlist: 'caveat',
  });
});

test('of three agents one updates its profile and one is removed', () => {
  const registered = agents('registry::AgentRegistered').map(({ agent }) => agent);
  expect(registered).toHaveLength(3);
  expect(registered).toContain(demo.provider.address);
  expect(agents('registry::AgentUpdated')).toMatchObject([{ agent: demo.treasurer.address, version: 2 }]);
  const [unlisted] = agents('registry::AgentUnlisted');
  expect(registered).toContain(unlisted?.agent);
  expect([demo.treasurer.address, demo.provider.address]).not.toContain(unlisted?.agent);
});

test('jobs are in every state there is, and refunded for every reason', () => {
  const ids = (all: { jobId: string }[]) => all.map(({ jobId }) => jobId);
  const created = ids(jobs('job::JobCreated'));
  const funded = ids(jobs('job::JobFunded'));
  const submitted = ids(jobs('job::JobSubmitted'));
  const released = ids(jobs('job::JobReleased'));
  const refunds = jobs('job::JobRefunded');
  const over = [...released, ...ids(refunds)];
  const without = (all: string[], gone: string[]) => all.filter((id) => !gone.includes(id));
  expect(without(created, [...funded, ...over])).toHaveLength(1);
  expect(without(funded, [...submitted, ...over])).toEqual([demo.jobId]);
  expect(without(submitted, over)).toHaveLength(1);
  expect(released).toHaveLength(2);
  expect(refunds.map(({ reason }) => reason).sort()).toEqual(['cancelled', 'expired', 'rejected']);
  expect(refunds.every(({ amount }) => amount !== '0')).toBe(true);
  // Money from the wallet is refunded to the wallet's address, and then swept in.
  expect(refunds.find(({ reason }) => reason === 'rejected')?.refundedTo).toBe(demo.owner.walletId);
  expect(jobs('job::JobFunded').filter(({ fromWallet }) => fromWallet)).toHaveLength(2);
});

test('reviews are by people who used the thing and by one who never did', () => {
  const actors = new Set(wallet('wallet::WalletCreated').map(({ owner }) => owner));
  const attesters = registry('Attested').map(({ attester }) => attester);
  expect(new Set(attesters.filter((attester) => actors.has(attester))).size).toBe(3);
  expect(new Set(attesters.filter((attester) => !actors.has(attester))).size).toBe(1);
  expect(registry('Unlisted')).toHaveLength(1);
  expect(registry('Updated')).toHaveLength(2);
});

test('every package and object of demo.json is on the network', async () => {
  const { protocols, adaptors, ...core } = demo.packages;
  const packages = [core, protocols, adaptors].flatMap((ids) => Object.values(ids));
  const venues = Object.values(demo.venues).flatMap((venue) => Object.values(venue.objects));
  const objectIds = [...packages, ...Object.values(demo.objects), demo.jobId, demo.owner.walletId];
  expect(distinct(objectIds)).toBe(objectIds.length);
  const { objects } = await client.core.getObjects({ objectIds: [...new Set([...objectIds, ...venues])] });
  expect(objects.filter((object) => object instanceof Error)).toEqual([]);
});

test('a data folder of another version is refused with what to do, and left as it is', async () => {
  const file = { network: 'testnet', packages: { registry: demo.packages.registry } };
  await writeFile(join(dir, 'demo.json'), JSON.stringify(file));
  const host = '127.0.0.1';
  const options = { dataDir: dir, host, publicHost: host, port: 0, ...quiet };
  const refusal = expect.objectContaining({
    code: 'data_dir_outdated',
    message: expect.stringMatching(/another version .*packages\.wallet.* Remove .* to start over/),
  });
  await expect(startDemoNetwork(options)).rejects.toEqual(refusal);
  await expect(readDemoFile(dir)).rejects.toEqual(refusal);
});
