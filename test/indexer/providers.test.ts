import { type ChainClient, createChainClient } from '@adaptor-marketplace/adaptor/chain/client';
import type { LocalNode, Localnet } from '@adaptor-marketplace/localnet';
import { type Account, createAccount, execute } from '@adaptor-marketplace/localnet/account';
import type { MisbehaviourPatch } from '@adaptor-marketplace/localnet/misbehaviour/schema';
import { startTestLocalnet } from '@adaptor-marketplace/localnet/testing/start';
import { afterAll, beforeAll, describe, expect, type TestContext, test } from 'vitest';
import type { Database } from '../../db/client.ts';
import { readProviders } from '../../db/queries/providers.ts';
import { sizeBucket } from '../../lib/chain/providers/budget.ts';
import type { NetworkSettings } from '../../lib/config/networks.ts';
import { silentLogger } from '../../lib/log/index.ts';
import { createOutbound } from '../../lib/outbound/index.ts';
import { findCreatedObject, publish } from '../../services/demo/publish.ts';
import { startIndexer } from '../../services/indexer/index.ts';
import { openTestDatabase, sourceRow } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { recordCalls } from '../support/rpcs/record-calls.ts';

let localnet: Localnet;
let client: ChainClient;
let publisher: Account;
let registry: { packageId: string; objectId: string };
/** Digests of the transactions with registry events, in their order. */
const digests: string[] = [];
const outbound = createOutbound({ allowCidrs: [] });

beforeAll(async () => {
  localnet = await startTestLocalnet({ checkpointIntervalMs: 20 });
  // Transactions go through a node that behaves well.
  client = createChainClient({ url: (await localnet.openNode()).rpcUrl });
  publisher = await createAccount(client, localnet.faucetUrl);
  const published = await publish(publisher, 'registry');
  registry = {
    packageId: published.packageId,
    objectId: findCreatedObject(published, '::registry::Registry'),
  };
});
afterAll(async () => {
  client.close();
  await outbound.close();
  await localnet.close();
});

/** The tests share the publisher, whose transactions are executed one after the other. */
let registered = Promise.resolve();

/** Registers service types, one in each transaction. */
function register(count: number): Promise<void> {
  registered = registered.then(() => registerInTurn(count));
  return registered;
}

async function registerInTurn(count: number): Promise<void> {
  for (let made = 0; made < count; made++) {
    const { digest } = await execute(publisher, (tx) => {
      tx.moveCall({
        target: `${registry.packageId}::registry::register`,
        arguments: [
          tx.object(registry.objectId),
          tx.pure.address(registry.packageId),
          tx.pure.string(`${registry.packageId}::service::S${digests.length}`),
          tx.pure.string('walrus://none'),
          tx.pure.vector('u8', new Uint8Array(32)),
          tx.object.clock(),
        ],
      });
    });
    digests.push(digest);
  }
}

/** A provider of its own for the test. */
async function openProvider({ onTestFinished }: TestContext): Promise<LocalNode> {
  const node = await localnet.openNode();
  onTestFinished(() => node.close());
  return node;
}

/** Follows the providers into a database of its own. */
async function index(
  { onTestFinished }: TestContext,
  [main, ...others]: readonly LocalNode[],
  settings: Pick<NetworkSettings, 'rpcBudget'> = {},
): Promise<Database> {
  const db = await openTestDatabase();
  onTestFinished(() => db.close());
  const network: NetworkSettings = {
    ...settings,
    network: 'testnet',
    rpcUrl: main!.rpcUrl,
    otherProviders: others.map(({ rpcUrl }) => ({ url: rpcUrl })),
    aggregatorUrl: 'http://127.0.0.1:9',
    registryPackageId: registry.packageId,
    registryObjectId: registry.objectId,
  };
  const indexer = startIndexer({ db, networks: [network], log: silentLogger, outbound, idleMs: 500 });
  onTestFinished(() => indexer.close());
  return db;
}

async function readIndexed(db: Database): Promise<string[]> {
  const { rows } = await db.pool.query<{ tx_digest: string }>(
    `select tx_digest from events where source = 'registry' order by checkpoint, tx_index, event_index`,
  );
  return rows.map((row) => row.tx_digest);
}

const patience = { intervalMs: 100 };
const everythingIndexed = (db: Database) =>
  eventually(async () => expect(await readIndexed(db)).toEqual(digests), patience);

// Each test has a provider and a database of its own, and most of them wait: they run at the same time.
describe('each misbehaviour of a provider leads to the same events, none lost and none doubled', () => {
  // This test and the first mode wait for the longest, and longer on a long chain: they begin first.
  test.concurrent('requests are within the budget', async (context) => {
    const provider = await openProvider(context);
    const { calls, end } = recordCalls(provider.rpcUrl);
    context.onTestFinished(end);
    const budget = 60;
    const { capacity, perSecond } = sizeBucket(budget);
    const startMs = performance.now();
    const db = await index(context, [provider], { rpcBudget: budget });
    await register(3);
    await everythingIndexed(db);
    // Without a budget, about 25 calls begin within two seconds.
    await eventually(() => expect(calls.length).toBeGreaterThan(capacity), patience);
    const elapsedSeconds = (performance.now() - startMs) / 1_000;
    expect(calls.length).toBeLessThanOrEqual(capacity + perSecond * elapsedSeconds);
    await eventually(async () => {
      const [shown] = await readProviders(db.pool);
      expect(shown).toMatchObject({
        state: 'healthy',
        inUse: true,
        budget,
        budgetLeft: expect.any(Number),
      });
    }, patience);
  });

  const limit = { calls: 40, windowMs: 1_000 };
  const modes: Record<string, MisbehaviourPatch> = {
    'its streams fall silent': { stallStream: { afterFrames: 3 } },
    'it limits requests and names a delay': {
      limitCalls: { ...limit, answer: 'RESOURCE_EXHAUSTED', delay: true },
    },
    'it limits requests and names no delay': {
      limitCalls: { ...limit, answer: 'RESOURCE_EXHAUSTED', delay: false },
    },
    'a proxy answers 429 in front of it': { limitCalls: { ...limit, answer: 'HTTP_429', delay: true } },
    'it refuses a share of the calls': { failCalls: { code: 'RESOURCE_EXHAUSTED', share: 0.1, seed: 3 } },
    'it is away for a share of the calls': { failCalls: { code: 'UNAVAILABLE', share: 0.1, seed: 4 } },
    'it cuts streams after a time': { cutStreams: { afterMs: 150 } },
    'it cuts streams with a code': { cutStreams: { afterMs: 150, code: 'RESOURCE_EXHAUSTED' } },
    'it drops streams after some frames': { dropStream: { afterFrames: 4 } },
    'it closes connections': { goAway: { afterCalls: 6 } },
    'it is late': { late: { checkpoints: 12, share: 1, seed: 1 } },
    'several nodes behind its name disagree': { late: { checkpoints: 12, share: 0.5, seed: 5 } },
    'its list index is late': { lagLists: { checkpoints: 10 } },
    'it has no list index': { refuseLists: true },
    'several of these at once': {
      limitCalls: { ...limit, calls: 80, answer: 'RESOURCE_EXHAUSTED', delay: true },
      cutStreams: { afterMs: 400 },
      late: { checkpoints: 12, share: 0.5, seed: 5 },
      failCalls: { code: 'UNAVAILABLE', share: 0.05, seed: 6 },
    },
  };
  test.concurrent.for(Object.entries(modes))('%s', async ([, mode], context) => {
    const provider = await openProvider(context);
    provider.misbehaviour.set(mode);
    const db = await index(context, [provider]);
    await register(2);
    await eventually(async () => expect((await readIndexed(db)).length).toBeGreaterThan(0), patience);
    await register(3);
    await everythingIndexed(db);
  });

  test.concurrent('it lists nothing for a while, and prunes the end of its last list', async (context) => {
    const provider = await openProvider(context);
    const db = await index(context, [provider]);
    const reopen = { restart: { downMs: 150 } };
    await register(2);
    await everythingIndexed(db);
    provider.misbehaviour.set({ refuseLists: true, ...reopen });
    await register(2);
    await everythingIndexed(db);
    const { checkpoint } = (await sourceRow(db))!;
    provider.misbehaviour.set({ refuseLists: null, forget: { below: checkpoint }, ...reopen });
    await register(2);
    await everythingIndexed(db);
  });

  test.concurrent('it restarts again and again', async (context) => {
    const provider = await openProvider(context);
    const db = await index(context, [provider]);
    for (let round = 0; round < 4; round++) {
      provider.misbehaviour.set({ restart: { downMs: 150 } });
      await register(2);
    }
    await everythingIndexed(db);
  });
});

describe('of two providers', () => {
  async function followTwo(context: TestContext) {
    const [first, second] = [await openProvider(context), await openProvider(context)];
    const db = await index(context, [first, second]);
    await register(2);
    await everythingIndexed(db);
    expect((await sourceRow(db))?.cursor_provider).toBe(first.rpcUrl);
    const hosts = [first, second].map(({ rpcUrl }) => new URL(rpcUrl).host);
    return { db, first, second, hosts };
  }

  test.concurrent('one dies: the other is followed from the same checkpoint, and both are shown', async (context) => {
    const { db, first, second, hosts } = await followTwo(context);
    first.misbehaviour.set({ restart: { downMs: 3_600_000 } });
    await register(3);
    await everythingIndexed(db);
    expect((await sourceRow(db))?.cursor_provider).toBe(second.rpcUrl);
    await eventually(
      async () =>
        expect(await readProviders(db.pool)).toMatchObject([
          { host: hosts[1], inUse: true, state: 'healthy' },
          { host: hosts[0], inUse: false, state: 'failing', reason: expect.any(String) },
        ]),
      patience,
    );
  });

  test.concurrent('one follows another fork: the source stops, and its error names both and the checkpoint', async (context) => {
    const providers = [await openProvider(context), await openProvider(context)];
    providers[1]!.misbehaviour.set({ fork: { from: 0 } });
    const db = await index(context, providers);
    await eventually(async () => expect((await sourceRow(db))?.stopped_at).toBeInstanceOf(Date), patience);
    const [first, other] = providers.map(({ rpcUrl }) => new URL(rpcUrl).host);
    expect((await sourceRow(db))?.last_error).toMatch(
      new RegExp(
        `^${first} and ${other} give different digests for checkpoint \\d+ of testnet: \\w+ and \\w+\\.`,
      ),
    );
  });

  // The clock is that of the whole network, so this test runs alone.
  test('one lags: the other is followed once its newest checkpoint is 15 seconds older', async (context) => {
    const { db, first, second, hosts } = await followTwo(context);
    context.onTestFinished(() => localnet.misbehaviour.reset());
    localnet.misbehaviour.set({ clock: { offsetMs: 60_000 } });
    first.misbehaviour.set({ late: { checkpoints: 10_000, share: 1, seed: 1 } });
    await register(3);
    await everythingIndexed(db);
    await eventually(async () => {
      const [inUse, spare] = await readProviders(db.pool);
      expect(inUse).toMatchObject({ host: hosts[1], state: 'healthy' });
      expect(spare).toMatchObject({
        state: 'lagging',
        reason: expect.stringMatching(/is \d+ s behind the other/),
      });
    }, patience);
    await eventually(
      async () => expect((await sourceRow(db))?.cursor_provider).toBe(second.rpcUrl),
      patience,
    );
  });
});
