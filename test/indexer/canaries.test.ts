import { wallet as wallets } from '@adaptor-marketplace/adaptor/transactions';
import type { Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, execute } from '@adaptor-marketplace/localnet/account';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { Registry } from '@prometheus-io/client';
import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import * as tables from '../../db/schema/index.ts';
import { findCreatedObject, issueCoins, mintDollars, publish, SUI } from '../../services/demo/publish.ts';
import { createCanaryQueue } from '../../services/indexer/canaries/queue.ts';
import { workOn } from '../../services/indexer/queue/testing/work-on.ts';
import { createIndexerMetrics } from '../../services/indexer/reporting/metrics.ts';
import { useTestDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { settingsFor } from '../support/frames/packages.ts';
import { noLimit, openPausable, type Pausable } from '../support/pausable/open.ts';
import { providersFor } from '../support/providers.ts';
import { computeCheckpointTime, readModelBuilder, type SeededListing } from '../support/read-model.ts';
import { createTesterClient } from '../support/tester-client.ts';

const network = 'testnet';
const db = useTestDatabase();
let localnet: Localnet;
let client: ReturnType<typeof createTesterClient>;
let keeper: Account;
let walletPackageId: string;
let till: Pausable;

beforeAll(async () => {
  localnet = await startTestLocalnet({ checkpointIntervalMs: 20 });
  client = createTesterClient(localnet.rpcUrl);
  keeper = await createAccount(client, localnet.faucetUrl);
  walletPackageId = (await publish(keeper, 'wallet')).packageId;
  till = await openPausable(keeper, walletPackageId, SUI);
});
afterAll(async () => {
  client.close();
  await localnet.close();
});
beforeEach(async () => {
  await db.pool.query(
    `truncate listings, listing_versions, manifests, manifest_fetches, catalog_entries, canaries, canary_ops, canary_days,
      service_actions, wallets, service_events, events`,
  );
  await till.limit(noLimit);
});

const list = ({ serviceType, ops }: Pausable, manifest: object = {}) =>
  readModelBuilder(db).listing({ serviceType, manifest: { ops, supportedCoins: [SUI], ...manifest } });

/** Runs canaries as a process does. Each entry is due again at once. */
function simulate(): { end(): Promise<void> } {
  const { queue, stop } = createQueue(localnet.rpcUrl);
  const { end } = workOn(db, queue);
  return {
    async end() {
      stop.abort();
      await end();
    },
  };
}

function createQueue(rpcUrl: string) {
  const settings = settingsFor(rpcUrl, { walletPackageId, canaryRate: 900 });
  const providers = providersFor(settings);
  const metrics = createIndexerMetrics(new Registry());
  const stop = new AbortController();
  const queue = createCanaryQueue({ db, settings, metrics, providers }, stop.signal, {
    intervalSeconds: 0.01,
  })!;
  onTestFinished(() => {
    queue.close();
    providers.close();
  });
  const key = ({ serviceType, publisher }: SeededListing) => ({ serviceType, publisher, version: 1 });
  return { queue, stop, key };
}

const readOps = async () =>
  (await db.orm.select().from(tables.canaryOps)).sort((a, b) => a.position - b.position);

const readEvents = async () =>
  (await db.orm.select().from(tables.serviceEvents).orderBy(tables.serviceEvents.number)).map(
    ({ name, serviceType, publisher, data }) => ({ name, serviceType, publisher, ...data }),
  );

/** Stores counted actions of a service that took these amounts of a coin from a wallet. */
async function use(
  { serviceType }: SeededListing,
  {
    amounts,
    coin = SUI,
    walletId = `0x${'d'.repeat(64)}`,
  }: { amounts: bigint[]; coin?: string; walletId?: string },
): Promise<void> {
  await db.orm.insert(tables.serviceActions).values(
    amounts.map((taken, at) => ({
      network,
      serviceType,
      walletId,
      checkpoint: 1_000 + at,
      txIndex: 0,
      eventIndex: 0,
      signedBy: 'owner' as const,
      actors: [],
      coins: [coin],
      taken: [String(taken)],
      brought: ['0'],
      timestamp: computeCheckpointTime(at),
    })),
  );
}

test('an op that works is up, one that is paused is down soon, and it recovers: subscribers hear of both', async () => {
  const { serviceType, publisher } = await list(till);
  simulate();
  const op = await eventually(async () => {
    const [op] = await readOps();
    expect(op).toMatchObject({ op: 'till::pay', position: 0, state: 'up', untried: null, everWorked: true });
    return op!;
  });
  const [run] = op.runs;
  expect(run!.checkpoint).toBeGreaterThan(0);
  expect(run!.outcomes).toEqual([
    {
      amount: '10000',
      failure: null,
      gas: expect.stringMatching(/^\d{6,8}$/),
      coinIn: SUI,
      taken: '10000',
      coinOut: null,
      brought: '0',
    },
  ]);

  await till.limit(0n);
  await eventually(async () => expect((await readOps())[0]).toMatchObject({ state: 'down' }));
  const [down] = await readOps();
  expect(down!.runs.at(-1)!.outcomes[0]).toMatchObject({ failure: 'EPaused', taken: '0' });
  expect(down!.since.getTime()).toBeGreaterThan(op.since.getTime());
  const degraded = {
    name: 'Degraded',
    serviceType,
    publisher,
    ops: [{ op: 'till::pay', state: 'down', failure: 'EPaused' }],
  };
  expect(await readEvents()).toEqual([degraded]);

  await till.limit(noLimit);
  await eventually(async () => expect((await readOps())[0]).toMatchObject({ state: 'up' }));
  const recovered = {
    ...degraded,
    name: 'Recovered',
    ops: [{ op: 'till::pay', state: 'up', failure: null }],
  };
  expect(await readEvents()).toEqual([degraded, recovered]);
});

test('an op that takes small amounts and no large ones is degraded: sizes are those of past use', async () => {
  const listed = await list(till);
  await use(listed, { amounts: Array.from({ length: 100 }, (_, at) => BigInt(at + 1)) });
  simulate();
  await eventually(async () => expect((await readOps())[0]).toMatchObject({ state: 'up' }));
  expect((await readOps())[0]!.runs[0]!.outcomes.map(({ amount }) => amount)).toEqual(['5', '50', '95']);
  await till.limit(60n);
  await eventually(async () => expect((await readOps())[0]).toMatchObject({ state: 'degraded' }));
  const [op] = await readOps();
  expect(op!.runs.at(-1)!.outcomes.map(({ failure }) => failure)).toEqual([null, null, 'ETooMuch']);
  expect(await readEvents()).toMatchObject([
    { name: 'Degraded', ops: [{ op: 'till::pay', state: 'degraded', failure: 'ETooMuch' }] },
  ]);
});

test('a coin other than SUI is borrowed from a wallet that used the adaptor, and the wallet keeps it', async () => {
  const coins = await issueCoins(keeper);
  const { dollar } = coins.types;
  const owner = await createAccount(client, localnet.faucetUrl);
  await execute(keeper, (tx) => tx.transferObjects([mintDollars(tx, coins, 70n)], owner.address));
  const { objects } = await client.listOwnedObjects({
    owner: owner.address,
    type: `0x2::coin::Coin<${dollar}>`,
  });
  const made = await execute(owner, (tx) => {
    const wallet = wallets.create(tx, walletPackageId);
    wallets.deposit(tx, wallet, { coinType: dollar, coin: objects[0]!.objectId });
    wallets.share(tx, wallet);
  });
  const walletId = findCreatedObject(made, '::wallet::Wallet');
  const readVersion = async () => (await client.getObject({ objectId: walletId })).object.version;
  const version = await readVersion();
  const listed = await list(await openPausable(keeper, walletPackageId, dollar), {
    supportedCoins: [dollar],
  });
  simulate();
  await eventually(async () =>
    expect(await readOps()).toMatchObject([
      { state: 'unproven', untried: 'No wallet that used the adaptor holds the coin.', runs: [] },
    ]),
  );

  const created = { createdAt: new Date(), createdCheckpoint: 1, createdTxIndex: 0, createdEventIndex: 0 };
  await db.orm
    .insert(tables.wallets)
    .values({ network, walletId, owner: owner.address, identity: walletId, ...created });
  await use(listed, { amounts: [20n, 40n, 900n], coin: dollar, walletId });
  await eventually(async () => expect(await readOps()).toMatchObject([{ state: 'up', untried: null }]));
  const [op] = await readOps();
  // The wallet has less than the largest amount of past use.
  expect(op!.runs.at(-1)!.outcomes).toMatchObject([
    { amount: '20', coinIn: dollar, taken: '20' },
    { amount: '40', coinIn: dollar, taken: '40' },
    { amount: '70', coinIn: dollar, taken: '70' },
  ]);
  expect(await readVersion()).toBe(version);
});

test('an op that never worked is unproven, and one that needs a value of its caller is not simulated', async () => {
  const [pay] = till.ops as { call: { args: object[] } }[];
  const asked = { ...pay, call: { ...pay!.call, args: [...pay!.call.args, { role: 'pure', type: 'u64' }] } };
  await till.limit(0n);
  await list({ ...till, ops: [pay!, asked, { kind: 'pay', module: 'till', entry: 'open' }] });
  simulate();
  await eventually(async () => {
    const ops = await readOps();
    expect(ops).toMatchObject([
      { op: 'till::pay', state: 'unproven', untried: null, everWorked: false },
      {
        op: 'till::pay#2',
        state: 'unproven',
        untried: 'It needs a value that only its caller knows.',
        runs: [],
      },
    ]);
    expect(ops[0]!.runs).toHaveLength(3);
  });
  expect(await readEvents()).toEqual([]);
});

test('an op that worked is unproven once a version of it needs a value, and its entry with it', async () => {
  const [pay] = till.ops as { call: { args: object[] } }[];
  const asked = { ...pay, call: { ...pay!.call, args: [...pay!.call.args, { role: 'pure', type: 'u64' }] } };
  const { serviceType, publisher } = await list({ ...till, ops: [asked] });
  const worked = { op: 'till::pay', position: 0, state: 'up' as const, everWorked: true, runs: [] };
  await db.orm
    .insert(tables.canaryOps)
    .values({ network, serviceType, publisher, since: new Date(), ...worked });
  await db.orm.update(tables.catalogEntries).set({ canaryState: 'up' });
  simulate();
  await eventually(async () =>
    expect(await readOps()).toMatchObject([{ state: 'unproven', everWorked: false, runs: [] }]),
  );
  expect(await db.orm.select().from(tables.catalogEntries)).toMatchObject([{ canaryState: 'unproven' }]);
  expect(await readEvents()).toEqual([]);
});

test('a node that does not answer changes no state, and the simulations stay due', async () => {
  const listed = await list(till);
  const first = simulate();
  await eventually(async () => expect((await readOps())[0]).toMatchObject({ state: 'up' }));
  await first.end();
  const before = await readOps();
  const { queue, key } = createQueue('http://127.0.0.1:9');
  await db.pool.query('update canaries set next_check_at = now()');
  await expect(
    queue.work(key(listed), { isContended: false, free() {}, moveTo: () => false }),
  ).rejects.toThrow();
  expect(await readOps()).toEqual(before);
  expect(await queue.current(key(listed))).toMatchObject(key(listed));
});

test('two processes share the turns, and one that ends in the middle leaves nothing half and nothing twice', async () => {
  await list(till);
  const ending = simulate();
  simulate();
  const readCalls = async () => {
    const { rows } = await db.pool.query<{ worked: number; failed: number }>(
      'select worked, failed from canary_days',
    );
    return rows[0] ?? { worked: 0, failed: 0 };
  };
  await eventually(async () => expect((await readCalls()).worked).toBeGreaterThan(5));
  await ending.end();
  const { worked } = await readCalls();
  await eventually(async () => expect((await readCalls()).worked).toBeGreaterThan(worked + 5));
  expect(await readCalls()).toMatchObject({ failed: 0 });
  const [op] = await readOps();
  expect(op!.runs.map(({ at }) => at)).toEqual(op!.runs.map(({ at }) => at).toSorted());
});
